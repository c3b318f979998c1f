package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.RateLimit;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of limits: Q3 and Q4. */
public abstract class LimitContract extends StoreContract {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final ClaimDraft CLAIM = ClaimDraft.from(Draft.QUEUE);

    /** For subclasses. */
    protected LimitContract() {}

    // Q3

    @Test
    @DisplayName("Q3: two handles together start what the limit allows, in no span more than that and one burst")
    void aRateLimitIsKeptAndReached() {
        keptAndReached("100/sec", Duration.ofSeconds(5));
        keptAndReached("37/sec", Duration.ofSeconds(5));
        keptAndReached("1000/sec", Duration.ofSeconds(1));
        keptAndReached("7/sec", Duration.ofSeconds(10));
        keptAndReached("1/sec", Duration.ofSeconds(20));
        keptAndReached("600/min", Duration.ofSeconds(10));
        keptAndReached("30/hour", Duration.ofHours(1));
    }

    private void keptAndReached(String text, Duration time) {
        store = fresh();
        RateLimit limit = RateLimit.parse(text);
        double perMilli = 1e6 / limit.interval().toNanos();
        int expected = (int) (perMilli * time.toMillis());
        set(Draft.QUEUE, QueueSettings.builder().rateLimit(limit));
        store.submit(tasks(expected + 2 * limit.burst() + 10, Draft.plain()));
        List<Instant> starts = starts(time);

        // A start waits for the next full millisecond, and without a burst that is not made up for.
        assertThat(starts.size()).as(text).isBetween((int) (expected * 0.98) - 1, expected + limit.burst());
        for (int from = 0; from < starts.size(); from++) {
            for (int to = from; to < starts.size(); to++) {
                long span = Duration.between(starts.get(from), starts.get(to)).toMillis();
                if (to - from + 1 > perMilli * span + limit.burst() + 1e-6) {
                    throw new AssertionError((to - from + 1) + " starts within " + span + " ms under " + text);
                }
            }
        }
    }

    /** When tasks start if two handles claim in turn, as often as the store says that it is worthwhile. */
    private List<Instant> starts(Duration time) {
        List<TaskStore> handles = List.of(store, another());
        List<Instant> starts = new ArrayList<>();
        Instant end = clock.instant().plus(time);
        for (int turn = 0; clock.instant().isBefore(end); turn++) {
            Claims claims =
                    handles.get(turn % 2).claim(CLAIM.lease(Duration.ofDays(1)).as(nextClaim()));
            claims.tasks().forEach(claimed -> starts.add(clock.instant().truncatedTo(ChronoUnit.MILLIS)));
            Duration wait = Objects.requireNonNull(claims.nextDue(), "more is waiting, so the next start is known");
            clock.advance(MILLISECOND.compareTo(wait) > 0 ? MILLISECOND : wait);
        }
        return starts;
    }

    @Test
    @DisplayName("Q3: what was not used is kept for one burst and no longer, for all handles together")
    void theBurstIsBounded() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec"));
        store.submit(tasks(100, Draft.plain()));
        for (int i = 0; i < 3; i++) {
            clock.advance(HOUR);
            assertThat(claimIds(CLAIM)).hasSize(10);
            assertThat(another().claim(CLAIM.as(nextClaim())).tasks()).isEmpty();
        }
    }

    @Test
    @DisplayName("Q3, C9: a claim that the limit holds back returns when the next start is allowed, and not zero")
    void theNextStartIsKnown() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/min"));
        store.submit(tasks(2, Draft.plain()));
        Claims first = claim(CLAIM.lease(HOUR));
        assertThat(first.tasks()).hasSize(1);
        assertThat(first.nextDue()).isPositive().isLessThanOrEqualTo(Duration.ofMinutes(1));
        clock.advance(Duration.ofSeconds(59));
        Claims second = claim(CLAIM.lease(HOUR));
        assertThat(second.tasks()).isEmpty();
        assertThat(second.nextDue()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        assertThat(claimIds(CLAIM.lease(HOUR))).hasSize(1);
    }

    @Test
    @DisplayName("Q3, C9: a task that is due later than the limit allows is due when it is")
    void aLaterTaskIsDueLater() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/sec"));
        create(Draft.plain());
        create(Draft.plain().delay(HOUR));
        Claims claims = claim(CLAIM.lease(HOUR.multipliedBy(5)));
        assertThat(claims.tasks()).hasSize(1);
        assertThat(claims.nextDue()).isPositive().isLessThanOrEqualTo(HOUR);
    }

    @Test
    @DisplayName("Q3, C8: a repeated claim uses up nothing")
    void aRepeatedClaimUsesUpNothing() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec"));
        store.submit(tasks(30, Draft.plain()));
        ClaimRequest request = CLAIM.limit(4).as(nextClaim());
        assertThat(store.claim(request).tasks()).hasSize(4);
        assertThat(store.claim(request.again()).tasks()).hasSize(4);
        assertThat(store.claim(request.again()).tasks()).hasSize(4);
        assertThat(claimIds(CLAIM)).hasSize(6);
    }

    @Test
    @DisplayName("Q3: retries, tasks that were put back and vanished ones are starts too")
    void everyAttemptIsAStart() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/min"));
        create(Draft.plain());
        applied(new Settlement.Retry(claimOne(), Duration.ZERO, "again"));
        assertThat(claimIds(CLAIM)).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        applied(new Settlement.PutBack(claimOne(), Duration.ZERO));
        assertThat(claimIds(CLAIM)).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        claimOne();
        leasesExpire();
        assertThat(claimIds(CLAIM)).isEmpty();
        leasesExpire();
        assertThat(claimOne().attempt()).isEqualTo(4);
    }

    @Test
    @DisplayName("Q3: the types and tenants of a queue share its limit")
    void typesShareTheLimit() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("20/sec"));
        store.submit(tasks(5, Draft.plain().type("a")));
        store.submit(tasks(5, Draft.plain().type("b").tenant("other")));
        assertThat(claimIds(CLAIM.ofTypes("a"))).hasSize(2);
        assertThat(claimIds(CLAIM.ofTypes("b"))).isEmpty();
        clock.advance(Duration.ofMillis(100));
        assertThat(claimIds(CLAIM.ofTypes("b"))).hasSize(2);
    }

    @Test
    @DisplayName("Q3: a limit that is raised, lowered or lifted holds from then on, whatever was used before")
    void theLimitChanges() {
        store.submit(tasks(2_000, Draft.plain()));
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/day"));
        assertThat(claimIds(CLAIM)).hasSize(1);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec"));
        assertThat(starts(Duration.ofSeconds(1)).size()).as("raised").isBetween(89, 110);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/min"));
        assertThat(starts(Duration.ofMinutes(5)).size()).as("lowered").isBetween(4, 6);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1000/sec"));
        assertThat(starts(Duration.ofMillis(500)).size()).as("raised again").isBetween(390, 600);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("none"));
        assertThat(claimIds(CLAIM)).hasSizeGreaterThan(1_000);
    }

    @Test
    @DisplayName("Q3: setting the same limit again gives no new burst")
    void theSameLimitAgain() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec"));
        store.submit(tasks(30, Draft.plain()));
        assertThat(claimIds(CLAIM)).hasSize(10);
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec"));
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Operation.DeclareQueue(Draft.QUEUE, QueueSettings.NONE));
        assertThat(claimIds(CLAIM)).isEmpty();
    }

    @Test
    @DisplayName("Q3: a clock that is turned back holds back nothing for longer than the limit says")
    void theClockIsTurnedBack() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("1/sec"));
        store.submit(tasks(5, Draft.plain()));
        assertThat(claimIds(CLAIM)).hasSize(1);
        clock.advance(HOUR.negated());
        store.submit(tasks(5, Draft.plain()));
        assertThat(starts(Duration.ofSeconds(3)).size()).isBetween(1, 4);
    }

    // Q4

    @Test
    @DisplayName("Q4: of a queue with a concurrency no more tasks run than it says, over all handles together")
    void aConcurrencyIsKept() {
        TaskStore other = another();
        set(Draft.QUEUE, QueueSettings.builder().concurrency(5));
        store.submit(tasks(20, Draft.plain()));
        List<Claimed> first = claim(CLAIM.limit(3)).tasks();
        assertThat(first).hasSize(3);
        assertThat(other.claim(CLAIM.as(nextClaim())).tasks()).hasSize(2);
        assertThat(claimIds(CLAIM)).isEmpty();
        applied(new Settlement.Complete(first.get(0).lease(), null));
        applied(new Settlement.Complete(first.get(1).lease(), null));
        assertThat(other.claim(CLAIM.as(nextClaim())).tasks()).hasSize(2);
        assertThat(claimIds(CLAIM)).isEmpty();
    }

    @Test
    @DisplayName("Q4, L2: however an attempt ends, its slot is free at once and listeners are notified")
    void everyEndFreesAPlace() {
        TaskStore other = another();
        Ear ear = new Ear();
        store.listen(ear);
        set(Draft.QUEUE, QueueSettings.builder().concurrency(1));
        List<Function<Lease, Settlement>> ends = List.of(
                lease -> new Settlement.Complete(lease, null),
                lease -> new Settlement.Retry(lease, Duration.ofDays(1), "again"),
                lease -> new Settlement.PutBack(lease, Duration.ofDays(1)),
                lease -> new Settlement.Fail(lease, false, "broken"),
                lease -> new Settlement.Fail(lease, true, "too slow"),
                Settlement.Cancelled::new);
        create(Draft.plain());
        Lease running = claimOne();
        for (Function<Lease, Settlement> end : ends) {
            TaskId next = create(Draft.plain());
            assertThat(claimIds(CLAIM)).isEmpty();
            ear.forget();
            applied(end.apply(running));
            ear.awaitDue(Draft.QUEUE);
            List<Claimed> taken = other.claim(CLAIM.as(nextClaim())).tasks();
            assertThat(taken).hasSize(1);
            running = taken.getFirst().lease();
            assertThat(running.taskId()).isEqualTo(next);
        }
    }

    @Test
    @DisplayName("Q4: a task that was asked to cancel keeps its slot until it has ended or its lease has expired")
    void aTaskAskedToCancelKeepsItsPlace() {
        set(Draft.QUEUE, QueueSettings.builder().concurrency(1));
        TaskId id = create(Draft.plain());
        claimOne();
        TaskId next = create(Draft.plain());
        apply(new Operation.Cancel(id));
        assertThat(claimIds(CLAIM)).isEmpty();
        leasesExpire();
        assertThat(claimIds(CLAIM)).containsExactly(next);
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("Q4, C9: a slot is free when a lease expires, and the claim that it held back returns when")
    void aLeaseFreesAPlace() {
        set(Draft.QUEUE, QueueSettings.builder().concurrency(2));
        create(Draft.plain());
        claim(CLAIM.lease(Duration.ofSeconds(10)));
        create(Draft.plain());
        claim(CLAIM.lease(Duration.ofSeconds(20)));
        TaskId next = create(Draft.plain());
        Claims held = claim(CLAIM);
        assertThat(held.tasks()).isEmpty();
        assertThat(held.nextDue()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
        clock.advance(Duration.ofSeconds(10).minus(MILLISECOND));
        assertThat(claimIds(CLAIM)).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(claimIds(CLAIM)).containsExactly(next);
        assertThat(claimIds(CLAIM)).isEmpty();
    }

    @Test
    @DisplayName("Q4: an extension keeps the slot")
    void anExtensionKeepsThePlace() {
        set(Draft.QUEUE, QueueSettings.builder().concurrency(1));
        create(Draft.plain());
        Lease lease = claimOne();
        create(Draft.plain());
        for (int i = 0; i < 5; i++) {
            clock.advance(ClaimDraft.LEASE.minus(MILLISECOND));
            applied(new Settlement.Extend(lease, ClaimDraft.LEASE));
            assertThat(claimIds(CLAIM)).isEmpty();
        }
    }

    @Test
    @DisplayName("Q4: after a concurrency is lowered running tasks continue, and none is claimed until fewer run")
    void theConcurrencyChanges() {
        store.submit(tasks(10, Draft.plain()));
        List<Claimed> running = claim(CLAIM.limit(4)).tasks();
        set(Draft.QUEUE, QueueSettings.builder().concurrency(2));
        for (int ended = 0; ended < 3; ended++) {
            assertThat(claimIds(CLAIM)).isEmpty();
            if (ended < 2) {
                applied(new Settlement.Complete(running.get(ended).lease(), null));
            }
        }
        applied(new Settlement.Complete(running.get(2).lease(), null));
        assertThat(claimIds(CLAIM)).hasSize(1);
        set(Draft.QUEUE, QueueSettings.builder().concurrency(4));
        assertThat(claimIds(CLAIM)).hasSize(2);
        set(Draft.QUEUE, QueueSettings.builder().concurrency(0));
        assertThat(claimIds(CLAIM)).hasSize(3);
    }

    @Test
    @DisplayName("Q4, C8: a repeated claim gets its own tasks, however full the queue is")
    void aRepeatedClaimGetsItsOwn() {
        set(Draft.QUEUE, QueueSettings.builder().concurrency(2));
        store.submit(tasks(5, Draft.plain()));
        ClaimRequest request = CLAIM.as(nextClaim());
        assertThat(store.claim(request).tasks()).hasSize(2);
        assertThat(store.claim(request.again()).tasks()).hasSize(2);
    }

    @Test
    @DisplayName(
            "Q3, Q4: of both limits the tighter one holds, and what the one holds back uses up nothing of the other")
    void bothLimits() {
        set(Draft.QUEUE, QueueSettings.builder().rateLimit("100/sec").concurrency(3));
        store.submit(tasks(30, Draft.plain()));
        List<Claimed> running = claim(CLAIM).tasks();
        assertThat(running).hasSize(3);
        assertThat(claimIds(CLAIM)).isEmpty();
        set(Draft.QUEUE, QueueSettings.builder().concurrency(20));
        assertThat(claimIds(CLAIM)).as("7 of the burst are left").hasSize(7);
    }

    @Test
    @DisplayName("Q3, Q4: a claim takes no more from limited queues than it says, but as much as it may from others")
    void limitedTasksOfAClaim() {
        String rated = "rated";
        String narrow = "narrow";
        set(rated, QueueSettings.builder().rateLimit("1000/sec"));
        set(narrow, QueueSettings.builder().concurrency(50));
        store.submit(tasks(20, Draft.plain().queue(rated)));
        store.submit(tasks(20, Draft.plain().queue(narrow)));
        store.submit(tasks(20, Draft.plain()));
        ClaimDraft claimDraft =
                ClaimDraft.from(rated, narrow, Draft.QUEUE).limit(40).limited(3);
        Claims claims = claim(claimDraft);
        assertThat(claims.tasks().stream()
                        .filter(claimed -> claimed.task().queue().equals(Draft.QUEUE)))
                .hasSize(20);
        assertThat(claims.tasks()).hasSize(23);
        assertThat(claims.nextDue()).as("others are due").isEqualTo(Duration.ZERO);
        assertThat(claimIds(claimDraft)).hasSize(3);
        assertThat(claimIds(ClaimDraft.from(rated).limit(10).limited(10))).hasSize(10);
    }

    @Test
    @DisplayName("Q3, Q4: without a limit on any queue it does not matter how many may be limited")
    void limitedWithoutLimits() {
        store.submit(tasks(20, Draft.plain()));
        assertThat(claimIds(CLAIM.limited(1))).hasSize(20);
    }
}
