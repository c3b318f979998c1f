package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.engine.Cleaning;
import dev.semel.engine.Worker;
import dev.semel.guard.Guard;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueSettings;
import dev.semel.task.InvalidInput;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Durations whose milliseconds or nanoseconds exceed a {@code long} are rejected like other wrong ones. */
@Timeout(60)
class LongDurationsTest {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    @Test
    void noDurationIsTooLongForAClearAnswer() {
        try (Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            Map<String, Consumer<Duration>> takers = new LinkedHashMap<>();
            takers.put("ttl of a submission", time -> semel.submit(WORK, "").idempotencyTtl(time));
            takers.put("delay", time -> semel.submit(WORK, "").delay(time));
            takers.put("timeout of a submission", time -> semel.submit(WORK, "").timeout(time));
            takers.put("ttl of a type", time -> type().idempotencyTtl(time));
            takers.put("timeout of a type", time -> type().timeout(time));
            takers.put(
                    "ttl of an instance",
                    time -> Semel.on(new InMemoryTaskStore()).idempotencyTtl(time));
            takers.put(
                    "shutdown grace", time -> Semel.on(new InMemoryTaskStore()).shutdownGrace(time));
            takers.put("lease", time -> worker(semel).lease(time).start());
            takers.put("poll", time -> worker(semel).poll(time).start());
            takers.put("close grace", time -> worker(semel).closeGrace(time));
            takers.put("grace of a close", time -> worker(semel).start().close(time));
            takers.put("retention of a queue", time -> QueueSettings.builder().retention(time));
            takers.put("ttl of a queue", time -> QueueSettings.builder().idempotencyTtl(time));
            takers.put("cleaning interval", time -> new Cleaning(time, time, time, time));
            takers.put("retry delay", RetryPolicy::delays);
            takers.put(
                    "backoff",
                    time -> new RetryPolicy(2, new RetryPolicy.Backoff.Exponential(Duration.ZERO, time, 2, 0)));
            takers.put(
                    "ttl of a guard", time -> Guard.on(new InMemoryGuardStore()).ttl(time));
            takers.put(
                    "lease of a guard",
                    time -> Guard.on(new InMemoryGuardStore()).lease(time));
            takers.put("wait limit", time -> Guard.on(new InMemoryGuardStore()).waitLimit(time));
            takers.put(
                    "sweeps of a guard",
                    time -> Guard.on(new InMemoryGuardStore()).sweepEvery(time));
            for (Duration time : new Duration[] {
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofNanos(Long.MAX_VALUE).plusNanos(1),
                Duration.ofDays(36_526)
            }) {
                takers.forEach((what, taker) -> assertThatThrownBy(() -> taker.accept(time))
                        .as("%s of %s", what, time)
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("100 years"));
            }
        }
    }

    @Test
    void waitingMayTakeAnyTime() throws Exception {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        try (Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            Worker worker = worker(semel).start();
            assertThat(semel.submit(WORK, "done").send().result(forEver)).isEqualTo("done");
            worker.close();
            assertThat(worker.awaitEnd(forEver)).isTrue();
        }
    }

    private static TaskType.Builder<String, String> type() {
        return TaskType.builder("work", String.class, String.class);
    }

    private static Worker.Builder worker(Semel semel) {
        return semel.worker("default").handle(WORK, (context, input) -> input);
    }
}
