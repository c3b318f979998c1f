package dev.semel.cli;

/** What to do when the program is told to end, for as long as this is open. */
final class AtSignal implements AutoCloseable {

    private final Thread hook;

    AtSignal(Runnable work) {
        this.hook = new Thread(work, "semel-at-signal");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending already, and the work is being done.
            return;
        }
    }
}
