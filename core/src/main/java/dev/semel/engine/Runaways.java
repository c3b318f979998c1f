package dev.semel.engine;

import dev.semel.task.SafeLogger;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The handlers of a worker that ignored their interrupt. Their attempts are settled or lost, but nothing can stop their
 * threads, so the worker counts them and stops claiming when there are too many.
 */
final class Runaways {

    private static final SafeLogger LOG = SafeLogger.of(WorkerLoop.class);

    // Each runaway handler keeps a thread and its memory. A worker that continued beyond this limit would hide a bug.
    private static final int PER_SLOT = 4;

    private final WorkerSettings settings;
    private final Set<HeldTask> handlers = new LinkedHashSet<>();

    Runaways(WorkerSettings settings) {
        this.settings = settings;
    }

    /** Adds a handler, and returns whether there are too many now. */
    boolean tooManyWith(HeldTask held) {
        handlers.add(held);
        LOG.warn(
                "Runaway handler ignores its interrupt: task={} attempt={} runaways={}",
                held.claimed.task().id(),
                held.claimed.lease().attempt(),
                handlers.size());
        if (tooMany()) {
            LOG.error(
                    "Worker stopped claiming: worker={} runaways={}. Handlers must end when they are interrupted. The"
                            + " worker continues when one of them ends; otherwise restart the process",
                    settings.name(),
                    handlers.size());
        }
        return tooMany();
    }

    /** Notes the end of a handler, and returns whether it was one of these. */
    boolean ended(HeldTask held) {
        if (!handlers.remove(held)) {
            return false;
        }
        LOG.info(
                "Runaway handler ended: task={} runaways_left={}",
                held.claimed.task().id(),
                handlers.size());
        return true;
    }

    /** Returns whether there are so many that the worker must not claim. */
    boolean tooMany() {
        return handlers.size() >= PER_SLOT * settings.concurrency();
    }
}
