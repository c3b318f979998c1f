package dev.semel.cli;

import org.jspecify.annotations.Nullable;

/** The command line of Semel. */
public final class Main {

    private Main() {}

    /**
     * Runs one command.
     *
     * @param arguments the command and its options
     */
    public static void main(String[] arguments) {
        @Nullable String version = Main.class.getPackage().getImplementationVersion();
        System.out.println("semel " + (version == null ? "development" : version));
    }
}
