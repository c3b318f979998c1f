package dev.semel.architecture;

import dev.semel.architecture.planted.Below;

/** Half of a cycle, planted for a test. */
public record Above(Below below) {}
