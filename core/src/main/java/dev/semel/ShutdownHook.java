package dev.semel;

import org.jspecify.annotations.Nullable;

/**
 * A hook that runs an action when the process is terminated by SIGTERM, Ctrl-C or {@link System#exit}. It is registered
 * with the first worker, so that a program that only submits has none, and removed when its instance is closed.
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
            // The process is ending already: the leases of tasks that a worker claims now will expire.
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
            // The process is ending: the hook runs, and closing a closed worker has no effect.
            return;
        }
        thread = null;
    }
}
