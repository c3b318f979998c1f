package dev.semel.cli;

/** A shutdown hook that is registered until it is closed. */
final class ShutdownHook implements AutoCloseable {

    private final Thread hook;

    ShutdownHook(Runnable work) {
        this.hook = new Thread(work, "semel-at-signal");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, so the hook runs or has run.
            return;
        }
    }
}
