package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.FaultyStore.Fault;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

    private final ManualClock clock = new ManualClock();
    private final TaskStore calm = new InMemoryTaskStore(clock);
    private final NewTask task = Draft.plain().as(new RisingIds(clock).next());

    @Test
    void aCallThatFailsBeforeDoesNothing() {
        FaultyStore faulty = FaultyStore.onCall(calm, 1, Fault.BEFORE);
        assertThatThrownBy(() -> faulty.submit(List.of(task)))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("Call 1, submit");
        assertThat(calm.find(List.of(task.id()))).isEmpty();
        assertThat(faulty.submit(List.of(task))).hasSize(1);
        assertThat(faulty.calls()).isEqualTo(2);
    }

    @Test
    void aCallThatFailsAfterHasDoneItsWork() {
        FaultyStore faulty = FaultyStore.onCall(calm, 2, Fault.AFTER);
        assertThat(faulty.find(List.of(task.id()))).isEmpty();
        assertThatThrownBy(() -> faulty.submit(List.of(task))).isInstanceOf(StoreUnavailable.class);
        assertThat(calm.find(List.of(task.id()))).hasSize(1);
    }

    @Test
    void theSameSeedFailsTheSameCalls() {
        List<String> first = outcomes(7);
        assertThat(outcomes(7)).isEqualTo(first);
        assertThat(outcomes(8)).isNotEqualTo(first);
        assertThat(first.stream().filter("failed"::equals).count()).isBetween(200L, 400L);
    }

    @Test
    void everyReadingCallCounts() {
        FaultyStore faulty = new FaultyStore(calm, call -> Fault.BEFORE);
        assertThatThrownBy(() -> faulty.attempts(task.id())).hasMessageContaining("attempts");
        assertThatThrownBy(() -> faulty.list(TaskQuery.all(1))).hasMessageContaining("list");
        assertThatThrownBy(() -> faulty.record(Draft.keyed("k").identity())).hasMessageContaining("record");
        assertThat(faulty.calls()).isEqualTo(3);
        faulty.close();
    }

    private List<String> outcomes(long seed) {
        FaultyStore faulty = FaultyStore.seeded(calm, seed, 0.3);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            try {
                assertThat(faulty.find(List.of())).isEmpty();
                outcomes.add("answered");
            } catch (StoreUnavailable e) {
                outcomes.add("failed");
            }
        }
        return outcomes;
    }
}
