package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of intents and outcomes: E1 to E3. */
public abstract class EffectContract extends EffectStoreContract {

    private static final Duration HOUR = Duration.ofHours(1);

    /** For subclasses. */
    protected EffectContract() {}

    // E1

    @Test
    @DisplayName("E1: an intent is recorded under the newest attempt while it runs")
    void anIntentIsRecorded() {
        Lease lease = begin(KEYED);
        assertThat(effects(lease.taskId())).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        applied(intend(lease));
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease,
                        EffectState.IN_PROGRESS,
                        clock.instant(),
                        null,
                        false,
                        null,
                        null,
                        null,
                        null,
                        null));
        applied(new Transition.PutBack(lease, Duration.ZERO));
        Lease second = claimOne();
        EffectId other = new EffectId(lease.taskId(), "charge", 1);
        applied(new Transition.Intend(second, other, HOUR));
        assertThat(effects(lease.taskId())).extracting(EffectRecord::by).containsExactly(lease, second);
        assertThat(effects(lease.taskId()).getLast().windowEnd())
                .isEqualTo(clock.instant().plus(HOUR));
    }

    @Test
    @DisplayName("E1: under no other attempt than the newest that runs: what is refused changes nothing")
    void anIntentOfAnotherAttemptIsStale() {
        TaskId id = create(KEYED);
        assertStale(intend(new Lease(id, 0)), intend(new Lease(id, 1)));
        Lease old = claimOne();
        assertStale(intend(new Lease(id, 0)), intend(new Lease(id, 2)), intend(new Lease(id, Integer.MAX_VALUE)));
        leasesRunOut();
        Lease current = claimOne();
        assertStale(intend(old));
        applied(intend(current));
        assertStale(intend(old));
        applied(new Transition.Complete(current, null));
        assertStale(intend(old), intend(current));
        changesNothing(() -> assertThat(apply(intend(new Lease(ids.next(), 1)))).isEqualTo(Applied.NOT_FOUND));
    }

    @Test
    @DisplayName("E1: an attempt that has ended in any way intends nothing more")
    void anIntentAfterTheEndIsStale() {

        for (int kind = 0; kind < MoveContract.KINDS; kind++) {
            Lease lease = intended(Draft.plain());
            applied(MoveContract.endings(lease).get(kind));
            EffectId other = new EffectId(lease.taskId(), "mail", 0);
            assertStale(intend(lease), intend(lease, other));
            apply(new Transition.Cancel(lease.taskId()));
        }
    }

    @Test
    @DisplayName("E1: a lease that ran out still holds for an intent until another attempt has begun")
    void anIntentUnderAnExpiredLease() {
        Lease lease = begin(KEYED);
        clock.advance(Duration.ofDays(1));
        applied(intend(lease));
        assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
    }

    @Test
    @DisplayName("E1: a task that was asked to cancel still records what it does")
    void anIntentOfATaskThatIsToCancel() {
        Lease lease = begin(KEYED);
        apply(new Transition.Cancel(lease.taskId()));
        applied(intend(lease));
        applied(done(lease));
        assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
        applied(new Transition.Cancelled(lease));
    }

    @Test
    @DisplayName("E1: an intent that is sent again while its attempt runs is applied, and stale after that")
    void anIntentIsRepeated() {
        Lease lease = begin(KEYED);
        Transition.Intend move = intend(lease, HOUR);
        applied(move);
        changesNothing(() -> applied(move));
        clock.advance(HOUR);
        changesNothing(() -> applied(move));
        applied(new Transition.Retry(lease, Duration.ZERO, "again"));
        assertStale(move);
        claimOne();
        assertStale(move);
    }

    // E2

    @Test
    @DisplayName("E2: an outcome is recorded under the newest attempt while it runs, with its result, its time and how")
    void anOutcomeIsRecorded() {
        for (How how : List.of(How.RAN, How.PROBED, How.ASSUMED)) {
            Lease lease = begin(Draft.plain());
            Instant intendedAt = clock.instant();
            applied(intend(lease, HOUR));
            clock.advance(Duration.ofSeconds(2));
            applied(new Transition.Conclude(lease, charge(lease), new EffectOutcome.Done("{\"receipt\": 1.50}", how)));
            assertThat(effect(lease))
                    .isEqualTo(new EffectRecord(
                            charge(lease),
                            lease,
                            EffectState.DONE,
                            intendedAt,
                            intendedAt.plus(HOUR),
                            false,
                            clock.instant(),
                            how,
                            "{\"receipt\": 1.50}",
                            null,
                            null));
            applied(new Transition.Complete(lease, null));
        }
        Lease lease = intended(Draft.plain());
        Instant now = clock.instant();
        applied(new Transition.Conclude(lease, charge(lease), new EffectOutcome.NotDone("declined", How.PROBED)));
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease,
                        EffectState.NOT_DONE,
                        now,
                        null,
                        false,
                        now,
                        How.PROBED,
                        null,
                        "declined",
                        null));
    }

    @Test
    @DisplayName(
            "E2: an outcome that is sent again is applied, even after another attempt has begun, and changes nothing")
    void anOutcomeIsRepeated() {
        for (boolean happened : new boolean[] {true, false}) {
            Lease lease = intended(Draft.plain());
            Transition.Conclude move = happened ? done(lease) : notDone(lease);
            applied(move);
            changesNothing(() -> applied(move));
            applied(new Transition.Retry(lease, Duration.ZERO, "again"));
            changesNothing(() -> applied(move));
            Lease second = claimOne();
            changesNothing(() -> applied(move));
            applied(new Transition.Complete(second, null));
            clock.advance(Duration.ofDays(1));
            changesNothing(() -> applied(move));
        }
    }

    @Test
    @DisplayName("E2: of two outcomes under one lease the first is kept: the same is applied, another is settled")
    void theFirstOutcomeIsKept() {
        Lease lease = intended(Draft.plain());
        applied(done(lease, charge(lease), "1"));
        changesNothing(() -> {
            applied(done(lease, charge(lease), "2"));
            assertThat(apply(notDone(lease))).isEqualTo(Applied.SETTLED);
            assertThat(apply(new Transition.Conclude(lease, charge(lease), new EffectOutcome.Done("1", How.PROBED))))
                    .isEqualTo(Applied.SETTLED);
        });
        applied(new Transition.Complete(lease, null));
        changesNothing(() -> assertThat(apply(notDone(lease))).isEqualTo(Applied.SETTLED));
    }

    @Test
    @DisplayName("E2: an outcome of an attempt that is over is stale and changes nothing")
    void aLateOutcomeIsStale() {
        Lease first = intended(KEYED);
        leasesRunOut();
        Lease second = claimOne();
        assertStale(done(first), notDone(first), done(new Lease(first.taskId(), 3)));
        applied(intend(second));
        assertStale(done(first), notDone(first));
        applied(new Transition.Retry(second, Duration.ZERO, "again"));
        assertStale(done(first), done(second), notDone(second));
        assertThat(stateOf(first)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("E2: an outcome under a lease that ran out is recorded until another attempt has begun")
    void anOutcomeUnderAnExpiredLease() {
        Lease lease = intended(KEYED);
        clock.advance(Duration.ofDays(1));
        applied(done(lease));
        assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
    }

    @Test
    @DisplayName("E2: an outcome of an effect that was never intended is not found")
    void anOutcomeWithoutAnIntentIsNotFound() {
        Lease lease = intended(KEYED);
        EffectId other = new EffectId(lease.taskId(), "charge", 1);
        changesNothing(() -> assertThat(apply(done(lease, other, "1"))).isEqualTo(Applied.NOT_FOUND));
        applied(new Transition.Complete(lease, null));
        assertStale(done(lease, other, "1"), done(new Lease(ids.next(), 1)));
    }

    @Test
    @DisplayName("E2: an attempt may record the outcome of an intent of an earlier one")
    void anOutcomeOfAnEarlierIntent() {
        Instant intendedAt = clock.instant();
        Lease first = leftUnknown(KEYED);
        clock.advance(Duration.ofSeconds(5));
        Lease second = claimOne();
        Transition.Conclude probed =
                new Transition.Conclude(second, charge(first), new EffectOutcome.Done("\"found\"", How.PROBED));
        applied(probed);
        assertThat(effect(first))
                .isEqualTo(new EffectRecord(
                        charge(first),
                        second,
                        EffectState.DONE,
                        intendedAt,
                        null,
                        false,
                        clock.instant(),
                        How.PROBED,
                        "\"found\"",
                        null,
                        null));
        changesNothing(() -> applied(probed));
        assertStale(done(first));
    }

    // E3

    @Test
    @DisplayName("E3: an effect that is done stays so: a later intent or outcome is settled and changes nothing")
    void whatIsDoneStaysDone() {
        Lease lease = begin(KEYED);
        applied(intend(lease, HOUR));
        applied(done(lease));
        assertSettled(intend(lease, HOUR), intend(lease));
        applied(new Transition.Fail(lease, false, "broken"));
        applied(new Transition.Redrive(lease.taskId(), 1));
        Lease second = claimOne();
        assertSettled(intend(second, HOUR), intend(second), done(second), notDone(second));
        clock.advance(Duration.ofDays(1));
        assertSettled(intend(second, HOUR), intend(second), done(second), notDone(second));
        assertThat(effect(lease).result()).isEqualTo("\"receipt\"");
    }

    // Batches

    @Test
    @DisplayName("M10, E1 to E3: a batch of moves of effects means its items in order")
    void batchesMeanTheirItemsInOrder() {
        Lease lease = begin(KEYED);
        EffectId mail = new EffectId(lease.taskId(), "mail", 0);
        assertThat(store.apply(List.of(
                        done(lease),
                        intend(lease),
                        done(lease),
                        intend(lease, mail),
                        intend(lease),
                        notDone(lease, mail),
                        intend(lease, mail))))
                .containsExactly(
                        Applied.NOT_FOUND,
                        Applied.APPLIED,
                        Applied.APPLIED,
                        Applied.APPLIED,
                        Applied.SETTLED,
                        Applied.APPLIED,
                        Applied.APPLIED);
        assertThat(effects(lease.taskId()))
                .extracting(EffectRecord::state)
                .containsExactly(EffectState.DONE, EffectState.IN_PROGRESS);
        assertThat(store.apply(List.of(
                        done(lease, mail, "2"), new Transition.Complete(lease, "3"), intend(lease), done(lease))))
                .containsExactly(Applied.APPLIED, Applied.APPLIED, Applied.STALE, Applied.APPLIED);
        assertThat(effects(lease.taskId())).extracting(EffectRecord::state).containsOnly(EffectState.DONE);
    }

    @Test
    @DisplayName("M10, E5: an intent and the end of its attempt in one batch leave the effect unknown")
    void anIntentAndAnEndInOneBatch() {
        Lease lease = begin(KEYED);
        assertThat(store.apply(List.of(intend(lease), new Transition.Complete(lease, null), done(lease))))
                .containsExactly(Applied.APPLIED, Applied.APPLIED, Applied.STALE);
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("M10, E1: intents of many tasks in one batch, and one that is refused fails none of its neighbours")
    void intentsOfManyTasks() {
        store.submit(tasks(400, Draft.plain()));
        List<Transition> batch = new ArrayList<>();
        List<Claimed> claimed = claim(WISH).tasks();
        for (int i = 0; i < 400; i++) {
            Lease lease = claimed.get(i).lease();
            batch.add(intend(i % 10 == 3 ? new Lease(lease.taskId(), 2) : lease));
        }
        List<Applied> answers = store.apply(batch);
        for (int i = 0; i < 400; i++) {
            TaskId id = claimed.get(i).task().id();
            assertThat(answers.get(i)).isEqualTo(i % 10 == 3 ? Applied.STALE : Applied.APPLIED);
            assertThat(effects(id)).hasSize(i % 10 == 3 ? 0 : 1);
        }
        List<Transition> ends = new ArrayList<>();
        claimed.forEach(each -> {
            ends.add(done(each.lease()));
            ends.add(new Transition.Complete(each.lease(), null));
        });
        assertThat(store.apply(ends)).containsOnly(Applied.APPLIED, Applied.NOT_FOUND);
        assertThat(ledger()).hasSize(360).allMatch(effect -> effect.state() == EffectState.DONE);
    }
}
