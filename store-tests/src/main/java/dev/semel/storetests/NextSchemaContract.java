package dev.semel.storetests;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import org.junit.jupiter.api.Nested;

/**
 * The whole life of tasks with the present program on the next version of the schema, as in a rolling deployment: the laws of
 * the contract, without those parts that are about crowds and long random sequences.
 */
public abstract class NextSchemaContract {

    /** For subclasses. */
    protected NextSchemaContract() {}

    /**
     * Opens an empty store whose schema is of the next version.
     *
     * @param clock its clock
     * @return the store
     */
    protected abstract TaskStore open(ManualClock clock);

    /**
     * Opens the store that was opened last a second time.
     *
     * @return another handle
     */
    protected abstract TaskStore openAnother();

    @Nested
    class Submitting extends SubmitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Keeping extends DataContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Replacing extends ReplaceContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Claiming extends ClaimContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Moving extends MoveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Redriving extends RedriveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Looking extends LookContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Sweeping extends SweepContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Queues extends QueueContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class Mutexes extends MutexContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class DeadLetters extends DeadLetterQueueContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }

    @Nested
    class KeepingNothing extends NoRetentionContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return NextSchemaContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return NextSchemaContract.this.openAnother();
        }
    }
}
