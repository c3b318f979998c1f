package dev.semel.cli;

import picocli.CommandLine.Model.CommandSpec;

/** One command: says what it takes, and does it. */
interface Command {

    /** What the command takes and how its help reads; its user object is the command. */
    CommandSpec spec();

    /**
     * Does it.
     *
     * @param invocation what was asked for
     * @return an {@link ExitCode}
     */
    int run(Invocation invocation);
}
