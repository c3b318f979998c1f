package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskStore;
import dev.semel.store.TimeLimits;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The data of a store whose schema is upgraded: one task that has ended, one that runs, one that is pending, and a workflow that waits. */
public final class UpgradeScene {

    private final NewTask ended = Tasks.keyed("ended", "{}");
    private final NewTask running = Tasks.keyed("running", "{}");
    private final NewTask waiting = Tasks.keyed("waiting", "{}");
    private final NewTask pending = Tasks.keyed("pending", "{}");
    private final List<Task> before = new ArrayList<>();
    private @Nullable Lease held;
    private History history = new History(List.of(), List.of(), Instant.EPOCH);

    /** Creates a scene that has not been played. */
    public UpgradeScene() {}

    /**
     * Writes the data, which the schema before version 6 can hold: without time limits and tags.
     *
     * @param store a store without tasks
     */
    public void write(TaskStore store) {
        Tasks.submit(store, ended);
        settle(store, new Settlement.Complete(claim(store), "1"));
        Tasks.submit(store, waiting);
        Lease lease = claim(store);
        settle(
                store,
                new Settlement.Advance(lease, 1, List.of(new NewLine.Note(HistoryLine.Kind.VALUE, "value", "\"v\""))));
        settle(store, new Settlement.Wait(lease, 0, 1, null, null));
        Tasks.submit(store, running);
        held = claim(store);
        Tasks.submit(store, pending);
        before.addAll(stored(store));
        history = history(store);
    }

    /**
     * Checks that all of it is there after the upgrade, that it goes on, and that tasks can have time limits and tags.
     *
     * @param store the store, opened by this program
     */
    public void check(TaskStore store) {
        assertThat(stored(store)).isEqualTo(before);
        assertThat(history(store).lines()).isEqualTo(history.lines());
        assertThat(Tasks.submit(store, Tasks.keyed("ended", "{}"))).isInstanceOf(Submitted.Returned.class);
        settle(store, new Settlement.Complete(Objects.requireNonNull(held), "2"));
        assertThat(store.submit(List.of(new SubmitRequest.Signal(waiting.id(), "key", "go", null))))
                .containsExactly(Submitted.Signalled.ACCEPTED);
        List<Claimed> claimed = store.claim(Tasks.request(10)).tasks();
        assertThat(claimed).extracting(one -> one.task().id()).containsExactlyInAnyOrder(waiting.id(), pending.id());
        claimed.forEach(one -> settle(store, new Settlement.Complete(one.lease(), "3")));
        assertThat(stored(store)).extracting(Task::state).containsOnly(TaskState.COMPLETED);
        TaskOptions options = TaskOptions.NONE
                .withLimits(TimeLimits.of(Duration.ofHours(1), Duration.ofMinutes(1)))
                .withTags(List.of("blue"));
        NewTask limited = new NewTask(
                Tasks.id(), Identity.DEFAULT_TENANT, Tasks.QUEUE, Tasks.TYPE, "{}", NewTask.Start.now(), options, null);
        Tasks.submit(store, limited);
        assertThat(Objects.requireNonNull(store.find(List.of(limited.id())).get(limited.id()))
                        .options())
                .isEqualTo(options);
        StoreInvariants.check(store);
    }

    private List<Task> stored(TaskStore store) {
        List<Task> tasks = new ArrayList<>();
        for (NewTask task : List.of(ended, running, waiting, pending)) {
            tasks.add(Objects.requireNonNull(store.find(List.of(task.id())).get(task.id())));
        }
        return tasks;
    }

    private History history(TaskStore store) {
        TaskId id = waiting.id();
        return Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(id))).get(id));
    }

    private static Lease claim(TaskStore store) {
        return store.claim(Tasks.request(1)).tasks().getFirst().lease();
    }

    private static void settle(TaskStore store, Settlement settlement) {
        assertThat(store.settle(List.of(settlement))).containsExactly(Settled.APPLIED);
    }
}
