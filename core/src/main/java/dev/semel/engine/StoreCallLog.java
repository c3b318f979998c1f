package dev.semel.engine;

import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;

/** The log messages for failed store calls of a worker. */
final class StoreCallLog {

    private StoreCallLog() {}

    /**
     * Logs a failed call that the worker repeats. There is a stack trace only for errors other than an outage.
     *
     * @param call names the call, as in "claim"
     */
    static void failed(SafeLogger log, String call, String worker, RuntimeException thrown) {
        if (thrown instanceof StoreUnavailable) {
            log.warn("Store did not answer: call={} worker={} error={}", call, worker, thrown.getMessage());
        } else if (isClosed(thrown)) {
            log.error(
                    "Store was closed before its worker, which can do no more: call={} worker={}. Close the worker, or"
                            + " its instance, first",
                    call,
                    worker);
        } else if (thrown instanceof StoreUnusable) {
            log.error("Store is unusable: call={} worker={} error={}", call, worker, thrown.getMessage());
        } else {
            log.error("Store call failed: call={} worker={}", call, worker, thrown);
        }
    }

    /** Returns whether the store was closed, so that repeating a call never helps. */
    static boolean isClosed(RuntimeException thrown) {
        return thrown instanceof StoreUnusable unusable && unusable.isClosed();
    }
}
