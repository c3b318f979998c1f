package dev.semel.storetests.simulation;

import dev.semel.testkit.virtualtime.Call;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the parties asked of the store and what they were answered. An answer that did not arrive is not here: what became
 * of such a call is unknown, and counts as maybe.
 */
final class History {

    /**
     * A point in the order of all that happened.
     *
     * @param order rises with every request that was sent and every call that the store did
     * @param at the store's time
     */
    record Moment(long order, Instant at) {}

    /**
     * An answer that arrived.
     *
     * @param done when the store did it
     * @param value what it answered
     */
    record Answer<T>(Moment done, T value) {}

    /** A call and, once it has arrived, its answer. */
    static final class Entry<T> {
        final String party;
        final Call<T> call;
        final Moment asked;
        private @Nullable Answer<T> answer;

        private Entry(String party, Call<T> call, Moment asked) {
            this.party = party;
            this.call = call;
            this.asked = asked;
        }

        /** The answer, or null if it is unknown. */
        @Nullable
        Answer<T> answer() {
            return answer;
        }

        void arrived(Answer<T> arrived) {
            answer = arrived;
        }
    }

    private final List<Entry<?>> entries = new ArrayList<>();
    private long order;

    <T> Entry<T> asked(String party, Call<T> call, Instant at) {
        Entry<T> entry = new Entry<>(party, call, new Moment(++order, at));
        entries.add(entry);
        return entry;
    }

    <T> Answer<T> done(T value, Instant at) {
        return new Answer<>(new Moment(++order, at), value);
    }

    /** The next point in the order of things, for what happens elsewhere than in the store. */
    Moment now(Instant at) {
        return new Moment(++order, at);
    }

    /** All calls in the order in which they were sent. */
    List<Entry<?>> entries() {
        return entries;
    }
}
