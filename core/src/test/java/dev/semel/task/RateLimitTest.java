package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.RateLimit.Per;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private static final List<Per> SPANS = List.of(Per.SEC, Per.MIN, Per.HOUR, Per.DAY);
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * MILLI;

    @Test
    void aLimitIsReadAndWritten() {
        assertThat(RateLimit.parse("100/sec")).isEqualTo(new RateLimit(100, Per.SEC));
        assertThat(RateLimit.parse("500/min")).isEqualTo(new RateLimit(500, Per.MIN));
        assertThat(RateLimit.parse("10/hour")).isEqualTo(new RateLimit(10, Per.HOUR));
        assertThat(RateLimit.parse("1/day")).isEqualTo(new RateLimit(1, Per.DAY));
        assertThat(RateLimit.parse("none")).isEqualTo(RateLimit.NONE);
        for (String text : List.of("1/sec", "1000000/sec", "500/min", "10/hour", "1/day", "none")) {
            assertThat(RateLimit.parse(text).text()).isEqualTo(text);
        }
        assertThat(RateLimit.parse("007/min").text()).isEqualTo("7/min");
    }

    @Test
    void whatIsNoLimitIsRefusedWithAnExample() {
        for (String wrong : List.of(
                "",
                "100",
                "/sec",
                "100/",
                "0/sec",
                "-1/sec",
                "1.5/sec",
                "100 / sec",
                "100/second",
                "100/SEC",
                "none ",
                "12345678/sec",
                "١/sec",
                "100/sec/min")) {
            assertThatThrownBy(() -> RateLimit.parse(wrong))
                    .as(wrong)
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("such as \"100/sec\" or \"500/min\", or none, but got \"" + wrong + "\"");
        }
        assertThatThrownBy(() -> RateLimit.parse("1000001/sec"))
                .isInstanceOf(InvalidInput.class)
                .hasMessage("A rate limit is 1 to 1000000 starts, but got \"1000001\".");
        assertThatThrownBy(() -> new RateLimit(-1, Per.SEC)).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new RateLimit(0, Per.DAY)).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aWrongTextIsShownCut() {
        assertThatThrownBy(() -> RateLimit.parse("x".repeat(10_000)))
                .isInstanceOf(InvalidInput.class)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500));
    }

    @Test
    void theBurstIsATenthOfASecondAndOneAtTheLeast() {
        assertThat(RateLimit.parse("1/day").burst()).isEqualTo(1);
        assertThat(RateLimit.parse("19/sec").burst()).isEqualTo(1);
        assertThat(RateLimit.parse("20/sec").burst()).isEqualTo(2);
        assertThat(RateLimit.parse("100/sec").burst()).isEqualTo(10);
        assertThat(RateLimit.parse("600/min").burst()).isEqualTo(1);
        assertThat(RateLimit.parse("1000000/sec").burst()).isEqualTo(100_000);
    }

    @Test
    void theIntervalIsNeverShorterThanTheLimitSays() {
        assertThat(RateLimit.parse("100/sec").interval()).isEqualTo(Duration.ofMillis(10));
        assertThat(RateLimit.parse("1/day").interval()).isEqualTo(Duration.ofDays(1));
        assertThat(RateLimit.parse("7/sec").interval()).isEqualTo(Duration.ofNanos(142_857_143));
        for (RateLimit limit : randomLimits(1_000)) {
            assertThat(limit.interval().multipliedBy(limit.starts()))
                    .as(limit.text())
                    .isGreaterThanOrEqualTo(span(limit.per()));
        }
    }

    @Test
    void aFreshMarkAllowsOneBurst() {
        for (RateLimit limit : randomLimits(200)) {
            assertThat(limit.allowed(0, START)).as(limit.text()).isEqualTo(limit.burst());
            long mark = limit.markAfter(0, START, limit.burst());
            assertThat(limit.allowed(mark, START)).as(limit.text()).isZero();
            assertThat(limit.allowed(mark, START + limit.interval().toNanos()))
                    .as(limit.text())
                    .isEqualTo(1);
            assertThat(limit.allowed(mark, START + limit.interval().toNanos() - 1))
                    .as(limit.text())
                    .isZero();
        }
    }

    @Test
    void afterTheWaitOneMayStartAndNotLater() {
        for (RateLimit limit : randomLimits(200)) {
            long mark = limit.markAfter(0, START, limit.burst());
            long wait = limit.waitAfter(mark, START).toNanos();
            assertThat(wait).as(limit.text()).isPositive();
            assertThat(limit.allowed(mark, START + wait)).as(limit.text()).isPositive();
            assertThat(wait).isLessThanOrEqualTo(Math.max(limit.interval().toNanos(), 10 * MILLI));
        }
    }

    @Test
    void walksOfAnyKindStayUnderTheLimitAndOneBurst() {
        for (int seed = 1; seed <= 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            RateLimit limit = randomLimit(random);
            long mark = 0;
            long now = START;
            List<Long> starts = new ArrayList<>();
            while (starts.size() < 300) {
                int allowed = limit.allowed(mark, now);
                assertThat(allowed).isBetween(0, limit.burst());
                int started = allowed == 0 ? 0 : random.nextInt(allowed + 1);
                mark = limit.markAfter(mark, now, started);
                assertThat(limit.isTooFarAhead(mark, now)).isFalse();
                for (int i = 0; i < Math.min(started, 50); i++) {
                    starts.add(now);
                }
                now += random.nextInt(4) == 0
                        ? random.nextLong(20 * limit.interval().toNanos())
                        : random.nextLong(2 * limit.interval().toNanos());
            }
            assertWithin(limit, starts, "seed " + seed);
        }
    }

    @Test
    void takingAllThatIsAllowedReachesTheLimit() {
        for (String text : List.of("1/sec", "20/sec", "100/sec", "333/sec", "1000000/sec", "500/min", "9/hour")) {
            RateLimit limit = RateLimit.parse(text);
            long mark = 0;
            long now = START;
            long started = 0;
            long end = START + 1_000 * limit.interval().toNanos();
            while (now < end) {
                int allowed = limit.allowed(mark, now);
                mark = limit.markAfter(mark, now, allowed);
                started += allowed;
                now += limit.waitAfter(mark, now).toNanos();
            }
            assertThat(started).as(text).isBetween(1_000L - limit.burst(), 1_000L + limit.burst());
        }
    }

    @Test
    void anIdleTimeIsNotSavedUpBeyondOneBurst() {
        RateLimit limit = RateLimit.parse("100/sec");
        long mark = limit.markAfter(0, START, 10);
        assertThat(limit.allowed(mark, START + 3_600 * SECOND)).isEqualTo(10);
    }

    @Test
    void aMarkOfASlowerLimitOrALaterClockIsTooFarAhead() {
        RateLimit slow = RateLimit.parse("1/day");
        RateLimit fast = RateLimit.parse("100/sec");
        long mark = slow.markAfter(0, START, 1);
        assertThat(slow.isTooFarAhead(mark, START)).isFalse();
        assertThat(slow.isTooFarAhead(mark, START - SECOND)).isTrue();
        assertThat(fast.isTooFarAhead(mark, START)).isTrue();
        assertThat(fast.allowed(mark, START)).isZero();
        long corrected = fast.markAfter(mark, START, 0);
        assertThat(fast.isTooFarAhead(corrected, START)).isFalse();
        assertThat(fast.allowed(corrected, START + 100 * MILLI)).isEqualTo(10);
        assertThat(slow.isTooFarAhead(corrected, START)).isFalse();
    }

    private static void assertWithin(RateLimit limit, List<Long> starts, String what) {
        double interval = limit.interval().toNanos();
        for (int from = 0; from < starts.size(); from++) {
            for (int to = from; to < starts.size(); to++) {
                double most = (starts.get(to) - starts.get(from)) / interval + limit.burst();
                assertThat(to - from + 1 <= most + 1e-6)
                        .as("%s: %s, starts %s to %s", what, limit.text(), from, to)
                        .isTrue();
            }
        }
    }

    private static List<RateLimit> randomLimits(int count) {
        SplittableRandom random = new SplittableRandom(7);
        List<RateLimit> limits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            limits.add(randomLimit(random));
        }
        return limits;
    }

    private static RateLimit randomLimit(SplittableRandom random) {
        int starts = 1 + random.nextInt(random.nextBoolean() ? 50 : RateLimit.MOST_STARTS);
        return new RateLimit(starts, SPANS.get(random.nextInt(SPANS.size())));
    }

    private static Duration span(Per per) {
        return switch (per) {
            case SEC -> Duration.ofSeconds(1);
            case MIN -> Duration.ofMinutes(1);
            case HOUR -> Duration.ofHours(1);
            case DAY -> Duration.ofDays(1);
        };
    }
}
