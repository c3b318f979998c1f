package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of closing: L3. */
public abstract class CloseContract extends StoreContract {

    /** For subclasses. */
    protected CloseContract() {}

    @Test
    @DisplayName("L3: a store that was closed refuses every operation as closed")
    void aClosedStoreSaysSo() {
        TaskStore closed = open(new ManualClock());
        TaskId id = ids.next();
        Lease lease = new Lease(id, 1, 1);
        closed.submit(List.of(Draft.keyed("k").as(ids.next())));
        closed.close();
        closed.close();
        Map<String, Runnable> operations = new LinkedHashMap<>();
        operations.put("submit", () -> closed.submit(List.of(Draft.keyed("k").as(ids.next()))));
        operations.put("submit in bulk", () -> closed.submit(tasks(200, Draft.plain())));
        operations.put("claim", () -> closed.claim(ClaimDraft.from(Draft.QUEUE).as(nextClaim())));
        operations.put("settle", () -> closed.settle(List.of(new Settlement.Extend(lease, Duration.ofSeconds(1)))));
        operations.put("operate", () -> closed.operate(List.of(new Operation.Cancel(id))));
        operations.put("find", () -> closed.find(List.of(id)));
        operations.put("attempts", () -> closed.attempts(List.of(id)));
        operations.put("effects", () -> closed.effects(List.of(id)));
        operations.put("list", () -> closed.list(TaskQuery.all(1)));
        operations.put("records", () -> closed.records(List.of(Draft.keyed("k").identity())));
        operations.put("queues", closed::queues);
        operations.put("depths", closed::depths);
        operations.put("sweep", () -> closed.sweep(new SweepRequest(Duration.ZERO, Map.of(), Duration.ZERO, 1)));
        operations.put("sweep of vanished attempts", () -> closed.sweep(SweepRequest.ofVanished()));
        operations.forEach((name, operation) -> assertThatThrownBy(operation::run)
                .as(name)
                .hasMessageContaining("closed")
                .asInstanceOf(InstanceOfAssertFactories.type(StoreUnusable.class))
                .matches(StoreUnusable::isClosed));
    }
}
