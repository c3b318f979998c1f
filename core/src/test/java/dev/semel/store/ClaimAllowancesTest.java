package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimAllowances.Running;
import dev.semel.task.RateLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of what limits leave to a claim. The expectations are written from the laws, not from the class. */
class ClaimAllowancesTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.006Z");
    private static final long NANOS = NOW.toEpochMilli() * 1_000_000;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int MOST_LIMITED = 3;
    private static final String QUEUE = "q";
    private static final RateLimit TWENTY = RateLimit.parse("20/sec");

    private final ClaimAllowances allowances = new ClaimAllowances(
            new ClaimRequest(
                    1, false, Set.of(QUEUE, "p"), null, 10, MOST_LIMITED, 10, ClaimRequest.ANY_BYTES, LEASE, "w"),
            NOW);

    @Test
    void aQueueOfWhichNothingIsSaidGivesWhatItHas() {
        for (int i = 0; i < 2 * MOST_LIMITED; i++) {
            assertThat(allowances.isOpen(QUEUE)).isTrue();
            allowances.take(QUEUE);
        }
        assertThat(allowances.areUnlimited()).isTrue();
        assertThat(allowances.left(QUEUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(allowances.holdsBack(QUEUE)).isFalse();
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW);
        assertThat(allowances.marks()).isEmpty();
    }

    @Test
    void aPausedQueueGivesNothingAndAnotherOneIsNotTouched() {
        allowances.pause(QUEUE);
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.holdsBack(QUEUE)).isTrue();
        assertThat(allowances.isLimited(QUEUE)).isFalse();
        assertThat(allowances.next(QUEUE, NOW)).isNull();
        assertThat(allowances.isOpen("p")).isTrue();
    }

    @Test
    void aConcurrencyGivesThePlacesThatAreFree() {
        allowances.limit(QUEUE, concurrency(3), 0, new Running(1, NOW.plusSeconds(7)));
        assertThat(allowances.left(QUEUE)).isEqualTo(2);
        assertThat(allowances.next(QUEUE, NOW)).as("a place is free").isEqualTo(NOW);
        allowances.take(QUEUE);
        allowances.take(QUEUE);
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.holdsBack(QUEUE)).isTrue();
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW.plusSeconds(7));
        assertThat(allowances.next(QUEUE, NOW.plusSeconds(8))).isEqualTo(NOW.plusSeconds(8));
        allowances.leave(QUEUE);
        assertThat(allowances.isOpen(QUEUE)).isTrue();
        assertThat(allowances.holdsBack(QUEUE)).isFalse();
    }

    @Test
    void thePlaceOfATaskJustTakenIsFreeAtTheEndOfItsLease() {
        allowances.limit(QUEUE, concurrency(1), 0, Running.NONE);
        allowances.take(QUEUE);
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW.plus(LEASE));
        allowances.limit("p", concurrency(2), 0, new Running(1, NOW.plusSeconds(60)));
        allowances.take("p");
        assertThat(allowances.next("p", NOW)).isEqualTo(NOW.plus(LEASE));
    }

    @Test
    void aConcurrencyThatWasLoweredGivesNothing() {
        allowances.limit(QUEUE, concurrency(1), 0, new Running(5, NOW.plusSeconds(60)));
        assertThat(allowances.left(QUEUE)).isZero();
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW.plusSeconds(60));
    }

    @Test
    void aRateLimitGivesItsBurstAndTheMarkIsKept() {
        allowances.limit(QUEUE, rate(TWENTY), 0, Running.NONE);
        assertThat(allowances.left(QUEUE)).isEqualTo(TWENTY.burst()).isEqualTo(2);
        assertThat(allowances.marks()).isEmpty();
        allowances.take(QUEUE);
        allowances.take(QUEUE);
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.marks()).isEqualTo(Map.of(QUEUE, TWENTY.markAfter(0, NANOS, 2)));
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW.plusMillis(50));
    }

    @Test
    void aMarkThatIsUsedUpGivesNothingAndIsNotWritten() {
        allowances.limit(QUEUE, rate(TWENTY), TWENTY.markAfter(0, NANOS, 2), Running.NONE);
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.holdsBack(QUEUE)).isTrue();
        assertThat(allowances.marks()).isEmpty();
        assertThat(allowances.next(QUEUE, NOW)).isEqualTo(NOW.plusMillis(50));
    }

    @Test
    void aMarkTooFarAheadIsSetBack() {
        long far = NANOS + Duration.ofDays(1).toNanos();
        long most = TWENTY.markAfter(far, NANOS, 0);
        allowances.limit(QUEUE, rate(TWENTY), far, Running.NONE);
        assertThat(allowances.marks()).isEqualTo(Map.of(QUEUE, most));
        assertThat(ClaimAllowances.markUnder(rate(TWENTY), far, NOW)).isEqualTo(most);
        assertThat(ClaimAllowances.markUnder(rate(TWENTY), NANOS, NOW)).isEqualTo(NANOS);
        assertThat(ClaimAllowances.markUnder(concurrency(1), far, NOW)).isEqualTo(far);
    }

    @Test
    void aWaitOfLessThanAMillisecondIsOne() {
        RateLimit fast = RateLimit.parse("1000000/sec");
        allowances.limit(QUEUE, rate(fast).or(concurrency(10)), fast.markAfter(0, NANOS, fast.burst()), Running.NONE);
        assertThat(allowances.next(QUEUE, NOW)).isAfter(NOW);
    }

    @Test
    void theStricterOfTwoLimitsHolds() {
        allowances.limit(QUEUE, rate(TWENTY).or(concurrency(1)), 0, Running.NONE);
        assertThat(allowances.left(QUEUE)).isEqualTo(1);
        allowances.limit("p", rate(TWENTY).or(concurrency(9)), 0, Running.NONE);
        assertThat(allowances.left("p")).isEqualTo(2);
    }

    @Test
    void aClaimTakesNoMoreTasksOfLimitedQueuesThanItAllows() {
        allowances.limit(QUEUE, concurrency(10), 0, Running.NONE);
        for (int i = 0; i < MOST_LIMITED; i++) {
            assertThat(allowances.isOpen(QUEUE)).isTrue();
            allowances.take(QUEUE);
        }
        assertThat(allowances.isOpen(QUEUE)).isFalse();
        assertThat(allowances.holdsBack(QUEUE))
                .as("it is the claim that wants no more")
                .isFalse();
        assertThat(allowances.isOpen("p")).isTrue();
    }

    @Test
    void aMutexIsHeldByOneThatRunsOrThatTheClaimHasBegun() {
        assertThat(allowances.isBlocked(null, false)).isFalse();
        assertThat(allowances.isBlocked("m", true)).isTrue();
        assertThat(allowances.isBlocked("m", false)).isFalse();
        allowances.begin("m");
        allowances.begin(null);
        assertThat(allowances.isBlocked("m", false)).isTrue();
        assertThat(allowances.isBlocked("n", false)).isFalse();
        assertThat(allowances.isBlocked(null, false)).isFalse();
    }

    private static QueueSettings concurrency(int tasks) {
        return QueueSettings.builder().concurrency(tasks).build();
    }

    private static QueueSettings rate(RateLimit limit) {
        return QueueSettings.builder().rateLimit(limit).build();
    }
}
