package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.observe.Observer;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DepthSamplerTest {

    private final InMemoryTaskStore store = new InMemoryTaskStore();
    private final List<Map<String, QueueDepth>> reported = new ArrayList<>();

    private final Observer observer = new Observer() {
        @Override
        public void depths(Map<String, QueueDepth> depths, Instant now) {
            reported.add(depths);
        }
    };

    @Test
    void queuesOfWorkersAndThoseThatWereSeenAreReportedAlsoWhenTheyAreEmpty() {
        try (DepthSampler sampler = new DepthSampler(
                store, observer, Duration.ofSeconds(1), null, InstantSource.system(), () -> Set.of("worked"))) {
            NewTask task = new NewTask(
                    TaskId.next(InstantSource.system(), new Random(1)),
                    "default",
                    "busy",
                    "type",
                    "{}",
                    NewTask.Start.now(),
                    TaskOptions.NONE,
                    null);
            store.submit(List.of(task));
            sampler.sample();
            store.operate(List.of(new Operation.Cancel(task.id())));
            store.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 100));
            sampler.sample();
        }
        assertThat(reported.getFirst()).containsOnlyKeys("busy", "worked").containsEntry("worked", QueueDepth.EMPTY);
        assertThat(reported.getFirst().get("busy").due()).isOne();
        assertThat(reported.getLast()).isEqualTo(Map.of("busy", QueueDepth.EMPTY, "worked", QueueDepth.EMPTY));
    }
}
