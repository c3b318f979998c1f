package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
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
                        lease.attemptId(),
                        EffectState.IN_PROGRESS,
                        clock.instant(),
                        null,
                        false,
                        null,
                        null,
                        null,
                        null,
                        null));
        applied(new Settlement.PutBack(lease, Duration.ZERO));
        Lease second = claimOne();
        EffectId other = new EffectId(lease.taskId(), "charge", 1);
        applied(new Settlement.Intend(second, other, HOUR));
        assertThat(effects(lease.taskId()))
                .extracting(EffectRecord::by)
                .containsExactly(lease.attemptId(), second.attemptId());
        assertThat(effects(lease.taskId()).getLast().windowEnd())
                .isEqualTo(clock.instant().plus(HOUR));
    }

    @Test
    @DisplayName("E1: under no other attempt than the newest while it runs: what is rejected changes nothing")
    void anIntentOfAnotherAttemptIsStale() {
        TaskId id = create(KEYED);
        assertStale(intend(lease(id, 0)), intend(lease(id, 1)));
        Lease old = claimOne();
        assertStale(intend(lease(id, 0)), intend(lease(id, 2)), intend(lease(id, Integer.MAX_VALUE)));
        leasesExpire();
        Lease current = claimOne();
        assertStale(intend(old));
        applied(intend(current));
        assertStale(intend(old));
        applied(new Settlement.Complete(current, null));
        assertStale(intend(old), intend(current));
        changesNothing(() -> assertThat(apply(intend(lease(ids.next(), 1)))).isEqualTo(Settled.NOT_FOUND));
    }

    @Test
    @DisplayName("E1: an attempt that has ended in any way intends nothing more")
    void anIntentAfterTheEndIsStale() {

        for (int kind = 0; kind < MoveContract.KINDS; kind++) {
            Lease lease = intended(Draft.plain());
            applied(MoveContract.endings(lease).get(kind));
            EffectId other = new EffectId(lease.taskId(), "mail", 0);
            assertStale(intend(lease), intend(lease, other));
            apply(new Operation.Cancel(lease.taskId()));
        }
    }

    @Test
    @DisplayName("E1: an expired lease still holds for an intent until another attempt has begun")
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
        apply(new Operation.Cancel(lease.taskId()));
        applied(intend(lease));
        applied(done(lease));
        assertThat(stateOf(lease)).isEqualTo(EffectState.DONE);
        applied(new Settlement.Cancelled(lease));
    }

    @Test
    @DisplayName("E1: an intent that is sent again while its attempt runs is applied, and stale after that")
    void anIntentIsRepeated() {
        Lease lease = begin(KEYED);
        Settlement.Intend settlement = intend(lease, HOUR);
        applied(settlement);
        changesNothing(() -> applied(settlement));
        clock.advance(HOUR);
        changesNothing(() -> applied(settlement));
        applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
        assertStale(settlement);
        claimOne();
        assertStale(settlement);
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
            applied(new Settlement.Conclude(lease, charge(lease), new EffectOutcome.Done("{\"receipt\": 1.50}", how)));
            assertThat(effect(lease))
                    .isEqualTo(new EffectRecord(
                            charge(lease),
                            lease.attemptId(),
                            EffectState.DONE,
                            intendedAt,
                            intendedAt.plus(HOUR),
                            false,
                            clock.instant(),
                            how,
                            "{\"receipt\": 1.50}",
                            null,
                            null));
            applied(new Settlement.Complete(lease, null));
        }
        Lease lease = intended(Draft.plain());
        Instant now = clock.instant();
        applied(new Settlement.Conclude(lease, charge(lease), new EffectOutcome.NotDone("declined", How.PROBED)));
        assertThat(effect(lease))
                .isEqualTo(new EffectRecord(
                        charge(lease),
                        lease.attemptId(),
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
            Settlement.Conclude settlement = happened ? done(lease) : notDone(lease);
            applied(settlement);
            changesNothing(() -> applied(settlement));
            applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
            changesNothing(() -> applied(settlement));
            Lease second = claimOne();
            changesNothing(() -> applied(settlement));
            applied(new Settlement.Complete(second, null));
            clock.advance(Duration.ofDays(1));
            changesNothing(() -> applied(settlement));
        }
    }

    @Test
    @DisplayName("E2: of two outcomes under one lease the first is kept: the same is applied, another is settled")
    void theFirstOutcomeIsKept() {
        Lease lease = intended(Draft.plain());
        applied(done(lease, charge(lease), "1"));
        changesNothing(() -> {
            applied(done(lease, charge(lease), "2"));
            assertThat(apply(notDone(lease))).isEqualTo(Settled.CONCLUDED);
            assertThat(apply(new Settlement.Conclude(lease, charge(lease), new EffectOutcome.Done("1", How.PROBED))))
                    .isEqualTo(Settled.CONCLUDED);
        });
        applied(new Settlement.Complete(lease, null));
        changesNothing(() -> assertThat(apply(notDone(lease))).isEqualTo(Settled.CONCLUDED));
    }

    @Test
    @DisplayName("E2: an outcome of an attempt that is over is stale and changes nothing")
    void aLateOutcomeIsStale() {
        Lease first = intended(KEYED);
        leasesExpire();
        Lease second = claimOne();
        assertStale(done(first), notDone(first), done(lease(first.taskId(), 3)));
        applied(intend(second));
        assertStale(done(first), notDone(first));
        applied(new Settlement.Retry(second, Duration.ZERO, "again"));
        assertStale(done(first), done(second), notDone(second));
        assertThat(stateOf(first)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("E2: an outcome under an expired lease is recorded until another attempt has begun")
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
        changesNothing(() -> assertThat(apply(done(lease, other, "1"))).isEqualTo(Settled.NOT_FOUND));
        applied(new Settlement.Complete(lease, null));
        assertStale(done(lease, other, "1"), done(lease(ids.next(), 1)));
    }

    @Test
    @DisplayName("E2: an attempt may record the outcome of an intent of an earlier one")
    void anOutcomeOfAnEarlierIntent() {
        Instant intendedAt = clock.instant();
        Lease first = leftUnknown(KEYED);
        clock.advance(Duration.ofSeconds(5));
        Lease second = claimOne();
        Settlement.Conclude probed =
                new Settlement.Conclude(second, charge(first), new EffectOutcome.Done("\"found\"", How.PROBED));
        applied(probed);
        assertThat(effect(first))
                .isEqualTo(new EffectRecord(
                        charge(first),
                        second.attemptId(),
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
        assertConcluded(intend(lease, HOUR), intend(lease));
        applied(new Settlement.Fail(lease, false, "broken"));
        applied(new Operation.Redrive(lease.taskId(), 1));
        Lease second = claimOne();
        assertConcluded(intend(second, HOUR), intend(second), done(second), notDone(second));
        clock.advance(Duration.ofDays(1));
        assertConcluded(intend(second, HOUR), intend(second), done(second), notDone(second));
        assertThat(effect(lease).result()).isEqualTo("\"receipt\"");
    }

    // Batches

    @Test
    @DisplayName("M10, E1 to E3: a batch of settlements of effects means its items in order")
    void batchesMeanTheirItemsInOrder() {
        Lease lease = begin(KEYED);
        EffectId mail = new EffectId(lease.taskId(), "mail", 0);
        assertThat(store.settle(List.of(
                        done(lease),
                        intend(lease),
                        done(lease),
                        intend(lease, mail),
                        intend(lease),
                        notDone(lease, mail),
                        intend(lease, mail))))
                .containsExactly(
                        Settled.NOT_FOUND,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.APPLIED,
                        Settled.CONCLUDED,
                        Settled.APPLIED,
                        Settled.APPLIED);
        assertThat(effects(lease.taskId()))
                .extracting(EffectRecord::state)
                .containsExactly(EffectState.DONE, EffectState.IN_PROGRESS);
        assertThat(store.settle(List.of(
                        done(lease, mail, "2"), new Settlement.Complete(lease, "3"), intend(lease), done(lease))))
                .containsExactly(Settled.APPLIED, Settled.APPLIED, Settled.STALE, Settled.APPLIED);
        assertThat(effects(lease.taskId())).extracting(EffectRecord::state).containsOnly(EffectState.DONE);
    }

    @Test
    @DisplayName("M10, E5: an intent and the end of its attempt in one batch leave the effect unknown")
    void anIntentAndAnEndInOneBatch() {
        Lease lease = begin(KEYED);
        assertThat(store.settle(List.of(intend(lease), new Settlement.Complete(lease, null), done(lease))))
                .containsExactly(Settled.APPLIED, Settled.APPLIED, Settled.STALE);
        assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
    }

    @Test
    @DisplayName("M10, E1: intents of many tasks in one batch, and a rejected one fails none of its neighbours")
    void intentsOfManyTasks() {
        store.submit(tasks(400, Draft.plain()));
        List<Settlement> batch = new ArrayList<>();
        List<Claimed> claimed = claim(CLAIM).tasks();
        for (int i = 0; i < 400; i++) {
            Lease lease = claimed.get(i).lease();
            batch.add(intend(i % 10 == 3 ? lease(lease.taskId(), 2) : lease));
        }
        List<Settled> answers = store.settle(batch);
        for (int i = 0; i < 400; i++) {
            TaskId id = claimed.get(i).task().id();
            assertThat(answers.get(i)).isEqualTo(i % 10 == 3 ? Settled.STALE : Settled.APPLIED);
            assertThat(effects(id)).hasSize(i % 10 == 3 ? 0 : 1);
        }
        List<Settlement> ends = new ArrayList<>();
        claimed.forEach(each -> {
            ends.add(done(each.lease()));
            ends.add(new Settlement.Complete(each.lease(), null));
        });
        assertThat(store.settle(ends)).containsOnly(Settled.APPLIED, Settled.NOT_FOUND);
        assertThat(ledger()).hasSize(360).allMatch(effect -> effect.state() == EffectState.DONE);
    }
}
