package dev.semel.cli;

import picocli.CommandLine.Model.CommandSpec;

/** A command of the command line. */
interface Command {

    /** Returns the options and the help of the command; the user object of the spec is the command. */
    CommandSpec spec();

    /**
     * Runs the command.
     *
     * @param invocation the given arguments, and where to read and write
     * @return an {@link ExitCode}
     */
    int run(Invocation invocation);
}
