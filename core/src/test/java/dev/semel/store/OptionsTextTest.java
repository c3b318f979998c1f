package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OptionsTextTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static TaskOptions written(@Nullable RetryPolicy retry, @Nullable TraceContext trace) {
        TaskOptions options = new TaskOptions(0, retry, null, null, trace);
        TaskOptions read = OptionsText.options(0, OptionsText.of(options), null, null);
        assertThat(read).isEqualTo(options);
        return read;
    }

    @Test
    void whatWasWrittenIsRead() {
        RetryPolicy retry = RetryPolicy.attempts(7);
        TraceContext trace = new TraceContext(PARENT, null);
        TraceContext stated = new TraceContext(PARENT, "vendor=a|b,other=1");
        written(null, null);
        written(retry, null);
        written(null, trace);
        written(retry, trace);
        written(null, stated);
        written(retry, stated);
        // A state that is as long as the trace itself.
        written(null, new TraceContext(PARENT, "a=" + "x".repeat(32)));
    }

    @Test
    void timeLimitsAreReadAsTheyWereWritten() {
        TraceContext stated = new TraceContext(PARENT, "vendor=!a|b,other=1");
        for (TimeLimits limits : new TimeLimits[] {
            TimeLimits.of(Duration.ofMillis(1), null),
            TimeLimits.of(null, Duration.ofDays(36_525)),
            new TimeLimits(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(7), 3)
        }) {
            for (TaskOptions others : new TaskOptions[] {
                TaskOptions.NONE,
                new TaskOptions(0, RetryPolicy.attempts(7), null, null),
                new TaskOptions(0, RetryPolicy.attempts(7), null, null, stated)
            }) {
                TaskOptions options = others.withLimits(limits);
                assertThat(OptionsText.options(0, OptionsText.of(options), null, null))
                        .isEqualTo(options);
            }
        }
        TaskOptions workflow = new TaskOptions(
                        0, RetryPolicy.attempts(7), null, null, stated, new WorkflowOptions(Duration.ofDays(1)))
                .withLimits(TimeLimits.of(null, Duration.ofHours(1)));
        String text = OptionsText.of(workflow);
        assertThat(text).startsWith("~");
        assertThat(OptionsText.options(0, text, null, null)).isEqualTo(workflow);
    }

    @Test
    void tagsAreReadAsTheyWereWritten() {
        for (TaskOptions others : new TaskOptions[] {
            TaskOptions.NONE,
            new TaskOptions(0, RetryPolicy.attempts(7), null, null, new TraceContext(PARENT, "a=;b|c,d=!")),
            new TaskOptions(0, null, null, null, null, new WorkflowOptions(Duration.ofDays(1))),
            TaskOptions.NONE.withLimits(TimeLimits.of(Duration.ofDays(1), Duration.ofHours(1)))
        }) {
            for (List<String> tags : List.of(List.of("a"), List.of("b:1/2", "a-_.", "b:1/2"))) {
                TaskOptions options = others.withTags(tags);
                assertThat(OptionsText.options(0, OptionsText.of(options), null, null))
                        .isEqualTo(options);
            }
        }
        assertThat(TaskOptions.NONE.withTags(List.of("b", "a", "b")).tags()).containsExactly("a", "b");
        assertThatThrownBy(() -> TaskOptions.NONE.withTags(List.of("a,b"))).isInstanceOf(InvalidInput.class);
        assertThatThrownBy(() ->
                        TaskOptions.NONE.withTags(List.of("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("at most 10");
    }

    @Test
    void everyTraceComesBackAndTakes34Characters() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 10_000; i++) {
            String parent = "00-%016x%016x-%016x-%02x"
                    .formatted(
                            i % 3 == 0 ? 0 : random.nextLong(),
                            random.nextLong() | 1,
                            i % 5 == 0 ? 1 : random.nextLong() | 1,
                            random.nextInt(256));
            TraceContext trace = new TraceContext(parent, null);
            assertThat(OptionsText.of(new TaskOptions(0, null, null, null, trace)))
                    .hasSize(1 + 34);
            assertThat(written(null, trace).trace()).isEqualTo(trace);
        }
    }

    @Test
    void aTraceInItsLongFormIsReadToo() {
        assertThat(OptionsText.options(0, "|" + PARENT, null, null).trace()).isEqualTo(new TraceContext(PARENT, null));
        assertThat(OptionsText.options(0, "|" + PARENT + "|a=b", null, null).trace())
                .isEqualTo(new TraceContext(PARENT, "a=b"));
    }
}
