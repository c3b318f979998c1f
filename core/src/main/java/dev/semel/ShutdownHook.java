package dev.semel;

import org.jspecify.annotations.Nullable;

/**
 * Runs something when the process is told to end, by SIGTERM, Ctrl-C or {@link System#exit}. Registered with the first worker, so
 * that a program that only submits has none, and removed when its instance is closed.
 */
final class ShutdownHook {

    private final Runnable action;
    private @Nullable Thread thread;

    ShutdownHook(Runnable action) {
        this.action = action;
    }

    synchronized void register() {
        if (thread != null) {
            return;
        }
        Thread hook = Thread.ofPlatform().name("semel-shutdown").unstarted(action);
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            thread = hook;
        } catch (IllegalStateException e) {
            // The process is ending already: the leases of what a worker takes now run out.
            thread = null;
        }
    }

    synchronized void remove() {
        Thread hook = thread;
        if (hook == null) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs, and closing what is closed costs nothing.
            return;
        }
        thread = null;
    }
}
