package dev.semel.architecture.planted;

import dev.semel.architecture.Above;

/** Half of a cycle, planted for a test. */
public record Below(Above above) {}
