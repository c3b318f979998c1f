package dev.semel.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which one instance runs its own work, separate from its callers' threads: store calls, and work that
 * timers and hints start. Each worker and each background job has a bounded number of calls in flight, so the number of
 * threads is bounded too. An idle thread ends after a minute.
 *
 * <p>They are platform threads for two reasons. A driver that waits for its server on a virtual thread is woken through
 * another thread at every answer, which cost a worker on PostgreSQL a tenth of its speed. And waking a virtual thread
 * needs memory, which may be exhausted.
 */
public final class OwnThreads {

    private static final Logger LOG = LoggerFactory.getLogger(OwnThreads.class);

    private final Executor pool = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("semel-store-call-", 0).factory());

    /** Creates the threads of one instance; none is started before there is work. */
    public OwnThreads() {}

    /**
     * Runs work that ends by itself and that no caller waits for. An exception is logged: the next hint or tick runs
     * the work again.
     *
     * @param what names the work in the log
     * @param work the work
     * @return whether the work was started; false if no thread was available
     */
    public boolean run(String what, Runnable work) {
        try {
            pool.execute(() -> {
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

    /** Runs work that handles its own exceptions; throws if no thread is available. */
    void execute(Runnable work) {
        pool.execute(work);
    }

    /** Wraps a short step for a timer, which would not run the step again after an exception. */
    static Runnable tick(String what, Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (Throwable e) {
                log(what, e);
            }
        };
    }

    /** Logs an exception, if there is memory for that: the exception may be an exhausted heap. */
    static void log(String what, Throwable thrown) {
        try {
            LOG.error("Background work failed, will be retried: work={}", what, thrown);
        } catch (Throwable e) {
            return;
        }
    }
}
