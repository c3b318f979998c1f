package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The law of fairness, C7. In which order queues and tenants take turns is up to the store. */
public abstract class FairnessContract extends StoreContract {

    /** For subclasses. */
    protected FairnessContract() {}

    @Test
    @DisplayName("C7: no queue starves another: a claim of several with backlog takes from each")
    void everyQueueIsServed() {
        store.submit(tasks(500, Draft.plain().queue("busy").priority(9)));
        clock.advance(Duration.ofHours(1));
        store.submit(tasks(100, Draft.plain().queue("quiet")));
        store.submit(tasks(2, Draft.plain().queue("still")));
        Map<String, Long> taken =
                counted(claimed(ClaimDraft.from("busy", "quiet", "still").limit(12)), Task::queue);
        assertThat(taken).containsEntry("still", 2L).containsEntry("busy", 5L).containsEntry("quiet", 5L);
    }

    @Test
    @DisplayName("C7: no tenant starves another: a claim of a queue with backlog takes from each")
    void everyTenantIsServed() {
        store.submit(tasks(500, Draft.plain().tenant("busy").priority(9)));
        clock.advance(Duration.ofHours(1));
        store.submit(tasks(100, Draft.plain().tenant("quiet")));
        store.submit(tasks(2, Draft.plain().tenant("still")));
        Map<String, Long> taken = counted(claimed(ClaimDraft.from(Draft.QUEUE).limit(12)), Task::tenant);
        assertThat(taken).containsEntry("still", 2L).containsEntry("busy", 5L).containsEntry("quiet", 5L);
    }

    @Test
    @DisplayName("C7: claims of one task each serve every tenant of every queue as well")
    void claimsOfOneTaskServeEverybody() {
        for (String queue : List.of("a", "b")) {
            for (String tenant : List.of("busy", "quiet")) {
                store.submit(tasks(120, Draft.plain().queue(queue).tenant(tenant)));
                clock.advance(Duration.ofHours(1));
            }
        }
        List<Task> taken = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            taken.addAll(claimed(ClaimDraft.from("a", "b").limit(1).lease(Duration.ofDays(1))));
        }
        assertThat(counted(taken, task -> task.queue() + " " + task.tenant()))
                .containsOnlyKeys("a busy", "a quiet", "b busy", "b quiet")
                .allSatisfy((group, count) -> assertThat(count).as(group).isGreaterThanOrEqualTo(2));
    }

    @Test
    @DisplayName("C7, C6: taking turns leaves the order of each tenant in each queue as it is")
    void theOrderWithinAGroupHolds() {
        Map<String, List<TaskId>> expected = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            Draft draft = Draft.plain().queue("queue-" + i % 2).tenant("tenant-" + i % 3);
            TaskId id = create(draft.type("type-" + i % 5));
            expected.computeIfAbsent(draft.queue() + draft.tenant(), group -> new ArrayList<>())
                    .add(id);
            clock.advance(MILLISECOND);
        }
        Map<String, List<TaskId>> taken = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            for (Task task : claimed(ClaimDraft.from("queue-0", "queue-1").limit(10))) {
                taken.computeIfAbsent(task.queue() + task.tenant(), group -> new ArrayList<>())
                        .add(task.id());
            }
        }
        assertThat(taken).isEqualTo(expected);
    }

    @Test
    @DisplayName("C7, C4: a tenant of whom nothing can be taken does not use up a turn")
    void emptyTurnsCostNothing() {
        store.submit(tasks(5, Draft.plain().tenant("other-type").type("other")));
        store.submit(tasks(5, Draft.plain().tenant("not-due").delay(Duration.ofHours(1))));
        List<NewTask> wanted = tasks(5, Draft.plain().tenant("wanted"));
        store.submit(wanted);
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE).ofTypes(Draft.TYPE).limit(5)))
                .isEqualTo(wanted.stream().map(NewTask::id).toList());
    }

    private List<Task> claimed(ClaimDraft claimDraft) {
        return claim(claimDraft).tasks().stream().map(claimed -> claimed.task()).toList();
    }

    private static Map<String, Long> counted(List<Task> tasks, Function<Task, String> by) {
        return tasks.stream().collect(Collectors.groupingBy(by, Collectors.counting()));
    }
}
