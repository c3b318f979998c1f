package dev.semel.observe;

import dev.semel.store.Attempt;
import dev.semel.store.QueueDepth;
import dev.semel.task.CheckResult;
import dev.semel.task.SafeLogger;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An observer that logs what another observer throws. It is called in the middle of the engine's steps and of batches with
 * submissions of several callers, which must not fail because of it.
 */
public final class SafeObserver implements Observer {

    private static final SafeLogger LOG = SafeLogger.of(SafeObserver.class);

    private final Observer observer;
    private final AtomicBoolean logged = new AtomicBoolean();

    private SafeObserver(Observer observer) {
        this.observer = observer;
    }

    /**
     * Makes an observer safe to call.
     *
     * @param observer the observer
     * @return the same events, without exceptions; {@link Observer#NONE} stays itself
     */
    public static Observer of(Observer observer) {
        return observer.equals(NONE) || observer instanceof SafeObserver ? observer : new SafeObserver(observer);
    }

    // Each event may fail, and there are many: the first one is enough to find the cause.
    private void failed(Throwable thrown) {
        if (logged.compareAndSet(false, true)) {
            LOG.warn("Observer failed, the event is not counted; further failures are logged at DEBUG", thrown);
        } else {
            LOG.debug("Observer failed, the event is not counted", thrown);
        }
    }

    @Override
    public void checked(CheckResult result, Duration took) {
        try {
            observer.checked(result, took);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void submitted(String queue, String type, SubmitResult result) {
        try {
            observer.submitted(queue, type, result);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void claimed(String queue, String type) {
        try {
            observer.claimed(queue, type);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void started(String queue, String type, @Nullable Duration waited) {
        try {
            observer.started(queue, type, waited);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void ran(String queue, String type, Duration took) {
        try {
            observer.ran(queue, type, took);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void settled(String queue, String type, Attempt.Outcome outcome) {
        try {
            observer.settled(queue, type, outcome);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void leaseLost(String queue, String type) {
        try {
            observer.leaseLost(queue, type);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void effect(String queue, String type, EffectResult result) {
        try {
            observer.effect(queue, type, result);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void storeCalled(StoreCall call, CallResult result, int items, Duration took) {
        try {
            observer.storeCalled(call, result, items, took);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void refused(RefusedWrite write) {
        try {
            observer.refused(write);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void cleaned(int tasks, int records) {
        try {
            observer.cleaned(tasks, records);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void slots(int slots) {
        try {
            observer.slots(slots);
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void depths(Map<String, QueueDepth> depths, Instant now) {
        try {
            observer.depths(depths, now);
        } catch (Throwable e) {
            failed(e);
        }
    }
}
