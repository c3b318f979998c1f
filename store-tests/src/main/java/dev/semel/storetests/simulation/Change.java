package dev.semel.storetests.simulation;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.storetests.simulation.History.Moment;
import org.jspecify.annotations.Nullable;

/** One send of a settlement or of an operation, with its answer; null if the answer did not arrive. */
sealed interface Change {

    /** The settlement or operation itself. */
    Object item();

    String party();

    Moment asked();

    @Nullable
    Moment done();

    @Nullable
    Enum<?> answer();

    /** Whether it was answered as applied. */
    boolean answeredApplied();

    /** Whether it certainly took effect: it was answered as applied, or with a request to cancel. */
    boolean applied();

    /** Whether this send did anything, for all we know. */
    default boolean mayHaveApplied() {
        return answer() == null || applied();
    }

    /** The first moment at which it can have been done. */
    default Moment earliest() {
        Moment done = done();
        return done == null ? asked() : done;
    }

    /** A send of a settlement. */
    record Settle(
            String party,
            Settlement item,
            Moment asked,
            @Nullable Moment done,
            @Nullable Settled answer) implements Change {

        @Override
        public boolean answeredApplied() {
            return answer == Settled.APPLIED;
        }

        @Override
        public boolean applied() {
            return answer == Settled.APPLIED || answer == Settled.CANCEL_REQUESTED;
        }
    }

    /** A send of an operation, or of a submitter's cancellation. */
    record Operate(
            String party,
            Operation item,
            Moment asked,
            @Nullable Moment done,
            @Nullable Operated answer) implements Change {

        @Override
        public boolean answeredApplied() {
            return answer == Operated.APPLIED;
        }

        @Override
        public boolean applied() {
            return answer == Operated.APPLIED || answer == Operated.CANCEL_REQUESTED;
        }
    }
}
