package dev.semel.storetests;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import org.junit.jupiter.api.Nested;

/** The whole contract of a {@link TaskStore} as one test class; its parts are nested classes. */
public abstract class TaskStoreContract {

    /** For subclasses. */
    protected TaskStoreContract() {}

    /**
     * Opens a fresh, empty store. May be called several times in one test.
     *
     * @param clock the store's only notion of now
     * @return the store
     */
    protected abstract TaskStore open(ManualClock clock);

    /**
     * Opens a second handle on the data of the store that was opened last, as another process would: for a durable store
     * another instance, for the store in memory the same one.
     *
     * @return the handle
     */
    protected abstract TaskStore openAnother();

    /** The laws of submitting one task: S1 to S5, S9, S11 and S12. */
    @Nested
    class Submitting extends SubmitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** After the end: L3. */
    @Nested
    class Closing extends CloseContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** Data is returned as it was stored. */
    @Nested
    class Keeping extends DataContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of the decision table: S8. */
    @Nested
    class Deciding extends DecisionContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of schedules: T1 to T6. */
    @Nested
    class Schedules extends ScheduleContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** Ticks that overlap, from the scheduler to the claim. */
    @Nested
    class OverlappingTicks extends ScheduleOverlapContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of replacing: S10. */
    @Nested
    class Replacing extends ReplaceContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of batches: S6 and S7. */
    @Nested
    class Batches extends BatchContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The ends of attempts: M4, M7, M11 and E7. */
    @Nested
    class Ending extends AttemptEndContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of a submitter's cancellation: M6, M7 and S6. */
    @Nested
    class Cancelling extends CancelContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of claiming one queue: C1 to C6 and C8 to C10. */
    @Nested
    class Claiming extends ClaimContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of fairness: C7. */
    @Nested
    class TakingTurns extends FairnessContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of moving: M1 to M7, M9 to M11. */
    @Nested
    class Moving extends MoveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of redriving: M8. */
    @Nested
    class Redriving extends RedriveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** House rule one: any operation may be repeated after a lost answer. */
    @Nested
    class Repeating extends RepetitionContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of looking: L1 and L2. */
    @Nested
    class Looking extends LookContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of sweeping: W1 to W5. */
    @Nested
    class Sweeping extends SweepContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of queues: Q1, Q2 and Q8 to Q10. */
    @Nested
    class Queues extends QueueContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of limits: Q3 and Q4. */
    @Nested
    class Limits extends LimitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of mutexes: Q5. */
    @Nested
    class Mutexes extends MutexContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of dead-letter queues: Q6. */
    @Nested
    class DeadLetters extends DeadLetterQueueContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of data that is deleted when its task ends: Q7. */
    @Nested
    class KeepingNothing extends NoRetentionContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of intents and outcomes: E1 to E3. */
    @Nested
    class Intending extends EffectContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of what later attempts make of effects: E4 to E6. */
    @Nested
    class GoingOn extends LineageContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of parked tasks: E7. */
    @Nested
    class Parking extends ParkContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of resolutions: E8. */
    @Nested
    class Resolving extends ResolveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of resolutions where no task is parked: E8. */
    @Nested
    class Noting extends NotParkedContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of listing effects: E9. */
    @Nested
    class Ledger extends LedgerContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of reads that are narrowed to one tenant: E11 and Q11. */
    @Nested
    class Tenants extends TenantContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The law of deleted effects: E10. */
    @Nested
    class Forgetting extends ForgetContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of effects under contention. */
    @Nested
    class EffectsConcurrently extends EffectRaceContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws under contention. */
    @Nested
    class Concurrently extends ConcurrencyContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of histories and steps: F1 to F4, F14. */
    @Nested
    class Advancing extends AdvanceContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of waiting: F5 to F8. */
    @Nested
    class Awaiting extends WaitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of signals: F9 and F13. */
    @Nested
    class Signalling extends SignalContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of the ends of workflows: F10 to F12. */
    @Nested
    class EndingWorkflows extends WorkflowEndContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of starting, replacing, keeping and listing workflows: F15 to F17, and W1 for workflows. */
    @Nested
    class StartingWorkflows extends WorkflowStartContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of generations: F18 and F19. */
    @Nested
    class Restarting extends RestartContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of effects that are left to a person while their workflow goes on: E12 and F20. */
    @Nested
    class Referring extends ReferContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of time limits: D1 to D6. */
    @Nested
    class TimeLimits extends TimeLimitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** The laws of workflows that continue as new: F21 and F22. */
    @Nested
    class ContinuingAsNew extends ContinuationContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }

    /** Random operations, compared with the store in memory. */
    @Nested
    class AsTheModel extends ModelContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return TaskStoreContract.this.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return TaskStoreContract.this.openAnother();
        }
    }
}
