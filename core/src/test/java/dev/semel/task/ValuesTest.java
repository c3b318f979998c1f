package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ValuesTest {

    @Test
    void aTaskIdIsAUuidOfVersionSevenThatBeginsWithTheTime() {
        Instant time = Instant.parse("2026-01-27T12:00:00.123Z");
        RandomGenerator random = new SplittableRandom(1);
        TaskId earlier = TaskId.next(InstantSource.fixed(time), random);
        TaskId later = TaskId.next(InstantSource.fixed(time.plusMillis(1)), random);
        assertThat(earlier.value().version()).isEqualTo(7);
        assertThat(earlier.value().variant()).isEqualTo(2);
        assertThat(earlier.value().getMostSignificantBits() >>> 16).isEqualTo(time.toEpochMilli());
        assertThat(earlier).isLessThan(later);
        assertThat(TaskId.parse(later.toString())).isEqualTo(later);
    }

    @Test
    void manyTaskIdsOfOneMillisecondAreAllDifferent() {
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        RandomGenerator random = new SplittableRandom(2);
        TreeSet<TaskId> ids = new TreeSet<>();
        for (int i = 0; i < 100_000; i++) {
            ids.add(TaskId.next(clock, random));
        }
        assertThat(ids).hasSize(100_000);
    }

    @Test
    void whatIsNoTaskIdIsRefused() {
        for (String wrong : List.of("", "1-1-1-1-1", "01890a5d-ac96-774b-bcce-b302099a805x", "x".repeat(36))) {
            assertThatThrownBy(() -> TaskId.parse(wrong)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void aStateIsReadBackFromItsWord() {
        for (TaskState state : TaskState.values()) {
            assertThat(TaskState.parse(state.word())).isEqualTo(state);
        }
        assertThat(TaskState.TIMED_OUT.word()).isEqualTo("timed_out");
        assertThat(TaskState.TIMED_OUT.isDead()).isTrue();
        assertThat(TaskState.CANCELLED.isDead()).isFalse();
        assertThatThrownBy(() -> TaskState.parse("done")).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aDurationInAMessageIsWrittenForAPerson() {
        assertThat(Durations.shown(Duration.ofSeconds(30))).isEqualTo("30 s");
        assertThat(Durations.shown(Duration.ofSeconds(90))).isEqualTo("90 s");
        assertThat(Durations.shown(Duration.ofMinutes(5))).isEqualTo("5 min");
        assertThat(Durations.shown(Duration.ofHours(2))).isEqualTo("2 h");
        assertThat(Durations.shown(Duration.ofDays(7))).isEqualTo("7 d");
        assertThat(Durations.shown(Duration.ofMillis(1_500))).isEqualTo("1500 ms");
        assertThat(Durations.shown(Duration.ofMillis(60_250))).isEqualTo("60.25 s");
        assertThat(Durations.shown(Duration.ofNanos(1))).isEqualTo("0.000000001 s");
        assertThat(Durations.shown(Duration.ofMillis(-250))).isEqualTo("-250 ms");
        assertThat(Durations.shown(Duration.ZERO)).isEqualTo("0 s");
        assertThat(Durations.shown(Duration.ofSeconds(Long.MIN_VALUE))).endsWith(" s");
        assertThatThrownBy(() -> Limits.positive("idempotency ttl", Duration.ZERO))
                .hasMessage("An idempotency ttl is at least a millisecond, but got \"0 s\".");
        assertThatThrownBy(() -> Limits.duration("lease", Duration.ofDays(40_000)))
                .hasMessage("A lease is between 0 and 100 years, but got \"40000 d\".");
    }

    @Test
    void aDurationIsANumberAndAUnit() {
        assertThat(Durations.parse("250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(Durations.parse("30s")).isEqualTo(Duration.ofSeconds(30));
        assertThat(Durations.parse("5m")).isEqualTo(Duration.ofMinutes(5));
        assertThat(Durations.parse("2h")).isEqualTo(Duration.ofHours(2));
        assertThat(Durations.parse("7d")).isEqualTo(Duration.ofDays(7));
        assertThat(Durations.parse("0")).isEqualTo(Duration.ZERO);
        for (String wrong : List.of("7x", "", "d", "-1s", "1.5h", "1 s", "999999999999999999d", "40000d", "PT5S")) {
            assertThatThrownBy(() -> Durations.parse(wrong)).isInstanceOf(InvalidInput.class);
        }
        assertThatThrownBy(() -> Durations.parse("7x"))
                .hasMessageContaining("\"7x\"")
                .hasMessageContaining("\"7d\"");
    }

    @Test
    void aDurationIsWrittenInItsLargestUnit() {
        for (String text : List.of("0", "1ms", "1500ms", "90s", "45m", "36h", "7d")) {
            assertThat(Durations.text(Durations.parse(text))).isEqualTo(text);
        }
        assertThat(Durations.text(Durations.parse("48h"))).isEqualTo("2d");
    }

    @Test
    void waitsGrowUpToTheCapAndJitterOnlyShortensThem() {
        RetryPolicy policy = new RetryPolicy(
                10, new RetryPolicy.Backoff.Exponential(Duration.ofSeconds(1), Duration.ofSeconds(10), 2.0, 0.5));
        RandomGenerator random = new SplittableRandom(3);
        long[] longest = {1000, 2000, 4000, 8000, 10_000, 10_000};
        for (int failures = 1; failures <= longest.length; failures++) {
            for (int i = 0; i < 100; i++) {
                assertThat(policy.delayAfter(failures, random).toMillis())
                        .isBetween(longest[failures - 1] / 2, longest[failures - 1]);
            }
        }
        assertThat(policy.delayAfter(1_000, random)).isLessThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void fixedDelaysAllowOneAttemptMoreThanThereAreDelays() {
        RetryPolicy policy = RetryPolicy.delays(Duration.ofSeconds(1), Duration.ofSeconds(5));
        RandomGenerator random = new SplittableRandom(4);
        assertThat(policy.allowsAfter(2)).isTrue();
        assertThat(policy.allowsAfter(3)).isFalse();
        assertThat(policy.delayAfter(1, random)).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.delayAfter(2, random)).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.delayAfter(9, random)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aRetryPolicyIsReadBackFromItsText() {
        for (RetryPolicy policy : List.of(
                RetryPolicy.standard(),
                RetryPolicy.attempts(3),
                RetryPolicy.delays(Duration.ZERO, Duration.ofDays(1)))) {
            assertThat(RetryPolicy.parse(policy.text())).isEqualTo(policy);
        }
        for (String wrong :
                List.of("", "5", "x fixed 1s", "5 fixed", "5 exponential 1s", "0 fixed 1s", "5 linear 1s")) {
            assertThatThrownBy(() -> RetryPolicy.parse(wrong)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void settingsThatContradictEachOtherAreRefusedWithBothValues() {
        assertThatThrownBy(() ->
                        new RetryPolicy.Backoff.Exponential(Duration.ofSeconds(10), Duration.ofSeconds(1), 2.0, 0.1))
                .hasMessageContaining("\"1 s\"")
                .hasMessageContaining("\"10 s\"");
        assertThatThrownBy(() -> new RetryPolicy.Backoff.Exponential(Duration.ZERO, Duration.ZERO, 0.5, 0.1))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> new RetryPolicy.Backoff.Exponential(Duration.ZERO, Duration.ZERO, 2.0, Double.NaN))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> RetryPolicy.attempts(0)).isInstanceOf(InvalidInput.class);
    }

    @Test
    void aTypeSaysWhichExceptionsAreNotRetried() {
        TaskType<String, Void> type = TaskType.builder("t", String.class, Void.class)
                .nonRetryable(UncheckedIOException.class)
                .build();
        assertThat(type.retries(new IllegalStateException())).isTrue();
        assertThat(type.retries(new UncheckedIOException(new IOException()))).isFalse();
        assertThat(type.retries(new PermanentFailure("no"))).isFalse();
    }

    @Test
    void aTypeKeepsItsSettings() {
        TaskType<String, Void> type = TaskType.builder("t", String.class, Void.class)
                .queue("q")
                .scope(Scope.tenant())
                .reuse(ReusePolicy.never())
                .idempotencyTtl(Duration.ofHours(1))
                .ignoreFields("/trace")
                .timeout(Duration.ofSeconds(5))
                .priority(9)
                .retry(RetryPolicy.attempts(2))
                .build();
        assertThat(type.queue()).isEqualTo("q");
        assertThat(type.scope()).isEqualTo(Scope.tenant());
        assertThat(type.reuse()).contains(ReusePolicy.never());
        assertThat(type.idempotencyTtl()).contains(Duration.ofHours(1));
        assertThat(type.ignoredFields()).containsExactly(new JsonPointer("/trace"));
        assertThat(type.timeout()).contains(Duration.ofSeconds(5));
        assertThat(type.priority()).isEqualTo(9);
        assertThat(type.retry().maxAttempts()).isEqualTo(2);
        assertThat(type).hasToString("TaskType[t]");
        assertThatThrownBy(() -> TaskType.of("no good", String.class, Void.class))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> TaskType.builder("t", String.class, Void.class).priority(10))
                .isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() -> TaskType.builder("t", String.class, Void.class).timeout(Duration.ZERO))
                .isInstanceOf(InvalidInput.class);
    }

    @Test
    void lessThanAMillisecondIsNotAPositiveDuration() {
        assertThat(Limits.positive("lease", Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(1));
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofNanos(999_999), Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> Limits.positive("lease", wrong)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    void anErrorIsKeptUpToItsLimit() {
        assertThat(Limits.error("short")).isEqualTo("short");
        String cut = Limits.error("x".repeat(10_000));
        assertThat(cut).hasSizeLessThan(8_100).endsWith("(2000 characters cut)");
        assertThat(Limits.error(cut)).as("prepared twice").isEqualTo(cut);
        assertThat(Limits.error(cut + "!")).endsWith("characters cut)").doesNotContain("!");
    }

    @Test
    void aValueInAMessageHasNoCharactersThatChangeHowOthersAreShown() {
        assertThat(Limits.shown("a\nb\u202Ec\u2028d\u200Be\u001B[31m"))
                .isEqualTo("a\\u000Ab\\u202Ec\\u2028d\\u200Be\\u001B[31m");
        assertThat(Limits.shown("\uDB40\uDC41 \uD83D")).isEqualTo("\\uDB40\\uDC41 \\uD83D");
        assertThat(Limits.shown("Grüße, 世界 🚚")).isEqualTo("Grüße, 世界 🚚");
    }
}
