package dev.semel.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for Semel's own work beside the callers': calls of a store, and what timers and hints begin. Platform threads: a
 * driver that waits for its server on a virtual thread is woken by way of another thread, at every answer, which cost a worker
 * on PostgreSQL a tenth of its speed; and waking a virtual thread needs memory, which there may be none of.
 */
final class OwnThreads {

    private static final Logger LOG = LoggerFactory.getLogger(OwnThreads.class);

    private static final Executor POOL = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("semel-store-call-", 0).factory());

    private OwnThreads() {}

    /**
     * Runs work that ends by itself and that nobody waits for. Whatever it throws is logged: the next hint or tick does it
     * again.
     *
     * @param what names the work in the log
     * @return whether it was begun; false if no thread could be had
     */
    static boolean run(String what, Runnable work) {
        try {
            POOL.execute(() -> {
                try {
                    work.run();
                } catch (Throwable e) {
                    log(what, e);
                }
            });
            return true;
        } catch (Throwable e) {
            log(what, e);
            return false;
        }
    }

    /** Runs work that deals with everything it may meet; throws if no thread can be had. */
    static void execute(Runnable work) {
        POOL.execute(work);
    }

    /** Runs a short step on a timer's thread: a step that throws would be its last. */
    static Runnable tick(String what, Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (Throwable e) {
                log(what, e);
            }
        };
    }

    /** Logs as far as that is possible; a full heap may be what is to be logged. */
    static void log(String what, Throwable thrown) {
        try {
            LOG.error("Failed, and will be done again: {}", what, thrown);
        } catch (Throwable e) {
            return;
        }
    }
}
