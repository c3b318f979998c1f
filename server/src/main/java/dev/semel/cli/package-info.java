/** The command line: one class per command. */
@NullMarked
package dev.semel.cli;

import org.jspecify.annotations.NullMarked;
