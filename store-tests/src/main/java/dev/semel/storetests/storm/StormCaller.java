package dev.semel.storetests.storm;

import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the calls of one actor: takes their times, loses some of their answers, and then sends them again. */
final class StormCaller {

    private static final int MOST_SENDS = 6;

    // A request that a dead connection or an interrupted thread left behind is done by then, or never.
    private static final long LATE_NANOS = 3_000_000_000L;
    private static final long LATE_MILLIS = 60_000;

    /** A call that the storm itself lets fail. */
    private static final class LostOnPurpose extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final boolean done;

        LostOnPurpose(boolean done) {
            super(done ? "lost on purpose, after it was done" : "lost on purpose, before it was done");
            this.done = done;
        }
    }

    /** A call to a store. */
    @FunctionalInterface
    interface Call<T> {

        /**
         * Sends it.
         *
         * @param store one of the handles
         * @param again whether it was sent before
         */
        T send(TaskStore store, boolean again) throws Exception;
    }

    /**
     * An answer.
     *
     * @param value what was answered
     * @param span when it was sent and answered, this time
     * @param first when it was sent for the first time
     */
    record Answer<T>(T value, Span span, Span first) {

        boolean isRepeated() {
            return !first.equals(span);
        }
    }

    private final int actor;
    private final List<TaskStore> handles;
    private final StormClock clock;
    private final StormPlan plan;
    private final StormHistory history;
    private final double faults;

    StormCaller(
            int actor, List<TaskStore> handles, StormClock clock, StormPlan plan, StormHistory history, double faults) {
        this.actor = actor;
        this.handles = handles;
        this.clock = clock;
        this.plan = plan;
        this.history = history;
        this.faults = faults;
    }

    /** Sends a call until it is answered; null if it never is, or fails as no law allows. */
    <T> @Nullable Answer<T> call(Consumer<Span> onLost, Call<T> call) {
        return call(MOST_SENDS, onLost, call);
    }

    /** Sends a call at most so many times. */
    <T> @Nullable Answer<T> call(int sends, Consumer<Span> onLost, Call<T> call) {
        Span first = null;
        clock.pin(actor);
        try {
            for (int send = 0; send < sends; send++) {
                TaskStore store = plan.pick(handles);
                long asked = System.nanoTime();
                long clockAsked = clock.millis();
                history.called();
                try {
                    T value = once(store, send, call);
                    Span span = new Span(asked, System.nanoTime(), clockAsked, clock.millis());
                    return new Answer<>(value, span, first == null ? span : first);
                } catch (StoreUnavailable | LostOnPurpose e) {
                    history.lost();
                    if (e instanceof LostOnPurpose known && !known.done) {
                        continue;
                    }
                    Span span = new Span(asked, System.nanoTime(), clockAsked, clock.millis());
                    first = first == null ? span : first;
                    onLost.accept(e instanceof LostOnPurpose ? span : span.longer(LATE_NANOS, LATE_MILLIS));
                }
            }
        } catch (Exception e) {
            history.failed("a call failed with something else than StoreUnavailable: " + Failures.text(e));
        } finally {
            clock.unpin(actor);
        }
        return null;
    }

    private <T> T once(TaskStore store, int send, Call<T> call) throws Exception {
        // The last sends are left alone, so that most calls are answered in the end.
        boolean fails = send < 2 && plan.random.nextDouble() < faults;
        boolean before = fails && plan.random.nextBoolean();
        if (before) {
            throw new LostOnPurpose(false);
        }
        T value;
        try {
            value = call.send(store, send > 0);
        } finally {
            // An interrupt that arrived during the call belongs to the call.
            boolean unused = Thread.interrupted();
        }
        if (fails) {
            throw new LostOnPurpose(true);
        }
        return value;
    }
}
