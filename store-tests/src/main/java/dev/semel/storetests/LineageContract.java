package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operation;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of what later attempts make of the effects of earlier ones: E4 to E6. */
public abstract class LineageContract extends EffectStoreContract {

    private static final Duration HOUR = Duration.ofHours(1);

    /** For subclasses. */
    protected LineageContract() {}

    // E4

    @Test
    @DisplayName("E4: what one task recorded is read by every later attempt, redrive and rerun of its lineage")
    void aLineageSharesItsEffects() {
        Lease first = intended(KEYED);
        applied(done(first));
        EffectRecord recorded = effect(first);
        applied(new Settlement.Retry(first, Duration.ZERO, "again"));
        claimOne();
        assertThat(effect(first)).isEqualTo(recorded);
        leasesExpire();
        Lease third = claimOne();
        assertThat(effect(first)).isEqualTo(recorded);
        applied(new Settlement.Fail(third, false, "broken"));
        applied(new Operation.Redrive(third.taskId(), 3));
        Lease fourth = claimOne();
        assertThat(effect(first)).isEqualTo(recorded);
        applied(new Settlement.Fail(fourth, false, "broken"));

        TaskId rerun = create(KEYED);
        assertThat(read(rerun).lineage()).isEqualTo(first.taskId());
        Lease ofRerun = claimOne();
        assertThat(effect(read(rerun).lineage())).isEqualTo(recorded);
        assertThat(effects(rerun)).as("it has none of its own").isEmpty();
        assertConcluded(intend(ofRerun, charge(first)), notDone(ofRerun, charge(first)));
    }

    @Test
    @DisplayName("E4, E6: a rerun continues with what the task before it left unknown")
    void aRerunContinues() {
        Instant intendedAt = clock.instant();
        Lease first = begin(KEYED);
        applied(intend(first, HOUR));
        applied(new Settlement.Fail(first, false, "broken"));
        clock.advance(Duration.ofMinutes(1));
        Lease second = begin(KEYED);
        assertThat(stateOf(first)).isEqualTo(EffectState.UNKNOWN);
        applied(intend(second, charge(first)));
        EffectRecord again = effect(first);
        assertThat(again.state()).isEqualTo(EffectState.IN_PROGRESS);
        assertThat(again.by()).isEqualTo(second.attemptId());
        assertThat(again.intendedAt()).isEqualTo(intendedAt);
        assertThat(again.windowEnd()).isEqualTo(intendedAt.plus(HOUR));
        assertStale(intend(first), done(first));
        applied(done(second, charge(first), "2"));
        assertThat(effect(first).by()).isEqualTo(second.attemptId());
    }

    @Test
    @DisplayName("E4: what one task recorded is read by no other lineage")
    void otherLineagesSeeNothing() {
        Draft draft = KEYED.policy(ReusePolicy.afterFinish());
        Lease first = intended(draft);
        applied(done(first));
        applied(new Settlement.Complete(first, null));
        Lease again = begin(draft);
        assertThat(read(again.taskId()).lineage()).as("a run after success").isEqualTo(again.taskId());
        assertThat(effects(again.taskId())).isEmpty();
        applied(intend(again));
        create(draft.replacing());
        applied(new Settlement.Cancelled(again));
        Lease replacing = claimOne();
        assertThat(effects(replacing.taskId())).as("a replacement").isEmpty();
        applied(intend(replacing));
        applied(notDone(replacing));
        Lease plain = intended(Draft.plain());

        assertThat(stateOf(first)).isEqualTo(EffectState.DONE);
        assertThat(stateOf(again)).isEqualTo(EffectState.UNKNOWN);
        assertThat(stateOf(replacing)).isEqualTo(EffectState.NOT_DONE);
        assertThat(stateOf(plain)).isEqualTo(EffectState.IN_PROGRESS);
    }

    // E5

    @Test
    @DisplayName("E5: an intent without an outcome is in progress until the vanished task is taken over")
    void aVanishedAttemptRunsUntilItIsTakenOver() {
        Lease lease = intended(KEYED);
        assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
        clock.advance(Duration.ofDays(1));
        assertThat(claimIds(CLAIM.suspects(0))).isEmpty();
        store.sweep(ALL);
        assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
        claimOne();
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
        assertThat(effect(lease).by()).isEqualTo(lease.attemptId());
    }

    @Test
    @DisplayName("E5: it is unknown from the end of its attempt on, however that ends, and stays so")
    void anEndLeavesItUnknown() {

        for (int kind = 0; kind < MoveContract.KINDS; kind++) {
            Lease lease = intended(Draft.plain());
            applied(MoveContract.endings(lease).get(kind));
            assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
            clock.advance(Duration.ofSeconds(1));
            if (state(lease.taskId()) == TaskState.PENDING) {
                Lease second = claimOne();
                assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
                applied(new Settlement.Complete(second, null));
            }
            assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
            assertThat(effect(lease).by()).isEqualTo(lease.attemptId());
        }
    }

    @Test
    @DisplayName("E5: it is unknown once a claim or a sweep has ended a vanished task that was to cancel")
    void aVanishedTaskThatIsToCancel() {
        for (boolean bySweep : new boolean[] {true, false}) {
            Lease lease = intended(Draft.plain());
            apply(new Operation.Cancel(lease.taskId()));
            leasesExpire();
            assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
            if (bySweep) {
                store.sweep(LATER);
            } else {
                assertThat(claimIds(CLAIM)).isEmpty();
            }
            assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
        }
    }

    // E6

    @Test
    @DisplayName("E6: an unknown effect can be intended again until its window has passed, at that very instant not")
    void theWindowEnds() {
        Instant intendedAt = clock.instant();
        Lease first = begin(KEYED);
        applied(intend(first, HOUR));
        applied(new Settlement.PutBack(first, HOUR.minus(MILLISECOND)));
        clock.set(intendedAt.plus(HOUR).minus(MILLISECOND));
        Lease second = claimOne();
        assertThat(effect(first).windowPassed()).isFalse();
        applied(intend(second, HOUR));
        EffectRecord again = effect(first);
        assertThat(again.state()).isEqualTo(EffectState.IN_PROGRESS);
        assertThat(again.by()).isEqualTo(second.attemptId());
        assertThat(again.intendedAt()).as("the first intent counts").isEqualTo(intendedAt);
        assertThat(again.windowEnd()).isEqualTo(intendedAt.plus(HOUR));
        applied(new Settlement.PutBack(second, Duration.ZERO));
        Lease third = claimOne();
        clock.set(intendedAt.plus(HOUR));
        assertThat(effect(first).windowPassed()).isTrue();
        for (Settlement late : List.of(intend(third, HOUR), intend(third))) {
            changesNothing(() -> assertThat(apply(late)).isEqualTo(Settled.TOO_LATE));
        }
        applied(done(third));
        assertThat(stateOf(first)).as("it may still be found out").isEqualTo(EffectState.DONE);
    }

    @Test
    @DisplayName("E6: the window of a later intent counts from the first intent too")
    void aLaterWindow() {
        Instant intendedAt = clock.instant();
        Lease first = leftUnknown(KEYED);
        assertThat(effect(first).windowEnd()).isNull();
        clock.advance(Duration.ofMinutes(10));
        Lease second = claimOne();
        for (Duration passed : List.of(Duration.ofMinutes(5), Duration.ofMinutes(10))) {
            changesNothing(() -> assertThat(apply(intend(second, passed))).isEqualTo(Settled.TOO_LATE));
        }
        applied(intend(second, Duration.ofMinutes(11)));
        assertThat(effect(first).windowEnd()).isEqualTo(intendedAt.plus(Duration.ofMinutes(11)));
        applied(new Settlement.PutBack(second, Duration.ofMinutes(5)));
        clock.advance(Duration.ofMinutes(5));
        Lease third = claimOne();
        changesNothing(() -> assertThat(apply(intend(third))).isEqualTo(Settled.TOO_LATE));
        applied(intend(third, HOUR));
        assertThat(effect(first).windowEnd()).isEqualTo(intendedAt.plus(HOUR));
    }

    @Test
    @DisplayName("E6: without a window it can be intended again at any time")
    void withoutAWindow() {
        Instant intendedAt = clock.instant();
        Lease first = leftUnknown(KEYED);
        clock.advance(Duration.ofDays(3_650));
        Lease second = claimOne();
        applied(intend(second));
        assertThat(effect(first).intendedAt()).isEqualTo(intendedAt);
        assertThat(effect(first).windowPassed()).isFalse();
    }

    @Test
    @DisplayName(
            "E6: an effect that is not done begins again, in the same attempt or a later one, whatever its window was")
    void whatIsNotDoneBeginsAnew() {
        Lease first = begin(KEYED);
        applied(intend(first, HOUR));
        applied(notDone(first));
        clock.advance(Duration.ofHours(2));
        applied(intend(first, HOUR));
        assertThat(effect(first)).isEqualTo(again(first, clock.instant().plus(HOUR)));
        applied(notDone(first));
        applied(new Settlement.PutBack(first, Duration.ofHours(2)));
        clock.advance(Duration.ofHours(2));
        Lease second = claimOne();
        applied(intend(second));
        assertThat(effect(first)).isEqualTo(again(second, null));
        applied(park(second));
        applied(resolve(second, Verdict.NOT_DONE));
        clock.advance(Duration.ofHours(2));
        Lease third = claimOne();
        applied(intend(third, HOUR));
        EffectRecord again = effect(first);
        assertThat(again.intendedAt()).isEqualTo(clock.instant());
        assertThat(again.state()).isEqualTo(EffectState.IN_PROGRESS);
        assertThat(again.how()).isNull();
        assertThat(again.settledAt()).isNull();
        assertThat(again.note()).isNull();
        assertThat(again.resolution()).as("the resolution is kept").isEqualTo(kept(Verdict.NOT_DONE, "ann"));
    }

    private EffectRecord again(Lease by, @Nullable Instant windowEnd) {
        return new EffectRecord(
                charge(by),
                by.attemptId(),
                EffectState.IN_PROGRESS,
                clock.instant(),
                windowEnd,
                false,
                null,
                null,
                null,
                null,
                null);
    }
}
