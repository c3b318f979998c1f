package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of looking: L1 and L2. */
public abstract class LookContract extends StoreContract {

    /** For subclasses. */
    protected LookContract() {}

    @Test
    @DisplayName("L1: a listing is in falling order of ids, in pages of its limit")
    void aListingFalls() {
        List<TaskId> ids = new ArrayList<>();
        for (NewTask task : tasks(25, Draft.plain())) {
            ids.add(task.id());
            submit(task);
        }
        ids.sort(Comparator.reverseOrder());
        TaskQuery query = TaskQuery.all(10);
        assertThat(idsOf(store.list(query).tasks())).isEqualTo(ids.subList(0, 10));
        assertThat(idsOf(store.list(query.after(ids.get(9))).tasks())).isEqualTo(ids.subList(10, 20));
        assertThat(idsOf(store.list(query.after(ids.get(19))).tasks())).isEqualTo(ids.subList(20, 25));
        assertThat(store.list(query.after(ids.get(24))).tasks()).isEmpty();
        assertThat(idsOf(store.list(TaskQuery.all(TaskQuery.MAX_LIMIT)).tasks()))
                .isEqualTo(ids);
    }

    @Test
    @DisplayName("L4: a listing by tag has the tasks that were submitted with it, newest first, and no others")
    void aListingByTag() {
        Draft red = Draft.plain().options(TaskOptions.NONE.withTags(List.of("red")));
        Draft both = Draft.plain().options(TaskOptions.NONE.withTags(List.of("red", "blue")));
        List<TaskId> reds = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            create(Draft.plain());
            reds.add(create(i % 2 == 0 ? red : both.queue("other").tenant("tenant")));
        }
        tasks(150, both.queue("batch")).forEach(task -> reds.add(task.id()));
        store.submit(reds.stream().skip(7).map(both.queue("batch")::as).toList());
        reds.sort(Comparator.reverseOrder());
        assertThat(tagged(TaskQuery.builder().tag("red"))).isEqualTo(reds);
        assertThat(tagged(TaskQuery.builder().tag("blue"))).hasSize(153);
        assertThat(tagged(TaskQuery.builder().tag("green"))).isEmpty();
        assertThat(tagged(TaskQuery.builder().tag("red").tenant("tenant").pageSize(2)))
                .hasSize(3);
        assertThat(tagged(TaskQuery.builder()
                        .tag("red")
                        .tenant(Identity.DEFAULT_TENANT)
                        .pageSize(3)))
                .hasSize(154);
        assertThat(tagged(TaskQuery.builder().tag("red").tenant("nobody"))).isEmpty();
        assertThat(tagged(TaskQuery.builder().tag("red").queue("other").states(TaskState.COMPLETED)))
                .isEmpty();
        TaskId one = tagged(TaskQuery.builder().tag("blue").queue("other")).getFirst();
        assertThat(read(one).options().tags()).containsExactly("blue", "red");
    }

    @Test
    @DisplayName("L4: tags stay as they were submitted, and are deleted with the data of their task")
    void tagsOfATask() {
        Draft draft = Draft.keyed("k").options(TaskOptions.NONE.withTags(List.of("red")));
        TaskId id = create(draft);
        submit(draft.options(TaskOptions.NONE.withTags(List.of("blue"))));
        submit(draft.as(id));
        assertThat(tagged(TaskQuery.builder().tag("red"))).containsExactly(id);
        assertThat(tagged(TaskQuery.builder().tag("blue"))).isEmpty();
        applied(new Settlement.Fail(claimOne(), false, "broken"));
        TaskId rerun = create(draft.options(TaskOptions.NONE.withTags(List.of("blue"))));
        assertThat(tagged(TaskQuery.builder().tag("red"))).containsExactly(id);
        assertThat(tagged(TaskQuery.builder().tag("blue"))).containsExactly(rerun);
        applied(new Operation.Erase(id));
        assertThat(tagged(TaskQuery.builder().tag("red"))).isEmpty();
        applied(new Settlement.Complete(claimOne(), "1"));
        clock.advance(Duration.ofDays(40));
        store.sweep(new SweepRequest(Duration.ofDays(7), Map.of(), Duration.ofDays(7), 100));
        assertThat(tagged(TaskQuery.builder().tag("blue"))).isEmpty();
        TaskId again = create(draft.options(TaskOptions.NONE.withTags(List.of("blue", "red"))));
        assertThat(tagged(TaskQuery.builder().tag("blue"))).containsExactly(again);
    }

    /** All tasks of a query, page by page. */
    private List<TaskId> tagged(TaskQuery.Builder query) {
        List<TaskId> ids = new ArrayList<>();
        TaskQuery next = query.build();
        for (Page page = store.list(next); ; page = store.list(next)) {
            ids.addAll(idsOf(page.tasks()));
            if (page.next() == null) {
                return ids;
            }
            next = next.after(page.next());
        }
    }

    @Test
    @DisplayName("L1: ids are ordered as unsigned numbers")
    void idsAreOrderedUnsigned() {
        List<TaskId> ids = List.of(
                TaskId.parse("ffffffff-ffff-7fff-bfff-ffffffffffff"),
                TaskId.parse("80000000-0000-7000-8000-000000000000"),
                TaskId.parse("7fffffff-ffff-7fff-bfff-ffffffffffff"),
                TaskId.parse("00000000-0000-7000-8000-000000000001"),
                TaskId.parse("00000000-0000-7000-8000-000000000000"));
        ids.forEach(id -> submit(Draft.plain().as(id)));
        assertThat(idsOf(store.list(TaskQuery.all(10)).tasks())).isEqualTo(ids);
        assertThat(idsOf(store.list(TaskQuery.all(10).after(ids.get(1))).tasks()))
                .isEqualTo(ids.subList(2, 5));
    }

    @Test
    @DisplayName("L1: pages neither repeat nor miss a task that was there throughout, whatever is added and deleted")
    void pagesAreStable() {
        List<NewTask> lasting = tasks(40, Draft.plain());
        // Made now, submitted between the pages: the ids of slow senders lie among the old ones.
        List<NewTask> slow = tasks(10, Draft.plain());
        List<NewTask> more = tasks(40, Draft.plain());
        store.submit(lasting);
        store.submit(more);
        List<TaskId> seen = new ArrayList<>();
        TaskQuery query = TaskQuery.all(7);
        List<Task> page = store.list(query).tasks();
        int pages = 0;
        while (!page.isEmpty()) {
            seen.addAll(idsOf(page));
            if (pages < slow.size()) {
                submit(slow.get(pages));
                create(Draft.plain());
            }
            pages++;
            page = store.list(query.after(page.getLast().id())).tasks();
        }
        List<TaskId> throughout = new ArrayList<>();
        lasting.forEach(task -> throughout.add(task.id()));
        more.forEach(task -> throughout.add(task.id()));
        assertThat(seen).doesNotHaveDuplicates().containsAll(throughout).isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    @DisplayName("L1: a listing filters by tenant, queue, type, state and identity, together and over pages")
    void aListingFilters() {
        List<Task> all = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
            Draft draft = Draft.plain()
                    .tenant("tenant-" + i % 2)
                    .queue("queue-" + i % 3)
                    .type("type-" + i / 24)
                    .key(i % 4 == 0 ? null : "key-" + i % 4)
                    .replacing();
            create(draft);
        }
        applied(new Settlement.Complete(
                claim(ClaimDraft.from("queue-0").limit(1)).tasks().getFirst().lease(), null));
        all.addAll(Snapshot.listed(store, TaskQuery.all(TaskQuery.MAX_LIMIT)));
        Identity identity =
                Draft.keyed("key-1").tenant("tenant-1").type("type-0").identity();
        Set<TaskState> ended = Set.of(TaskState.COMPLETED, TaskState.CANCELLED);

        assertListed(
                all,
                query("tenant-1", null, null, Set.of(), null),
                t -> t.tenant().equals("tenant-1"));
        assertListed(
                all,
                query(null, "queue-2", null, Set.of(), null),
                t -> t.queue().equals("queue-2"));
        assertListed(
                all, query(null, null, "type-1", Set.of(), null), t -> t.type().equals("type-1"));
        assertListed(all, query(null, null, null, ended, null), t -> ended.contains(t.state()));
        assertListed(all, query(null, null, null, Set.of(TaskState.RUNNING), null), t -> false);
        assertListed(all, query(null, null, null, Set.of(), identity), t -> identity.equals(t.identity()));
        assertListed(
                all,
                query("tenant-1", "queue-1", "type-0", ended, identity),
                t -> t.tenant().equals("tenant-1")
                        && t.queue().equals("queue-1")
                        && t.type().equals("type-0")
                        && ended.contains(t.state())
                        && identity.equals(t.identity()));
        assertThat(store.list(query("nobody", null, null, Set.of(), null)).tasks())
                .isEmpty();
    }

    @Test
    @DisplayName("Tasks are found by id, those that are there, however many are asked for")
    void tasksAreFound() {
        List<NewTask> batch = tasks(1_500, Draft.plain());
        store.submit(batch);
        List<TaskId> asked = new ArrayList<>(batch.stream().map(NewTask::id).toList());
        asked.add(ids.next());
        assertThat(store.find(asked))
                .hasSize(1_500)
                .allSatisfy((id, task) -> assertThat(task.id()).isEqualTo(id));
        TaskId first = batch.getFirst().id();
        assertThat(store.find(List.of(first, first))).containsOnlyKeys(first);
    }

    @Test
    @DisplayName("A second handle sees all that the first has answered")
    void anotherHandleSeesTheSame() {
        TaskId id = create(Draft.keyed("k"));
        TaskStore other = another();
        assertThat(Snapshot.of(other)).isEqualTo(everything());
        other.operate(List.of(new Operation.Cancel(id)));
        assertThat(state(id)).isEqualTo(TaskState.CANCELLED);
        assertThat(Snapshot.of(other)).isEqualTo(everything());
    }

    @Test
    @DisplayName("L2: a listener is notified of due tasks after the operation that made them so")
    void listenersAreNotifiedOfDueTasks() {
        Ear ear = new Ear();
        store.listen(ear);
        TaskId id = create(Draft.keyed("k"));
        ear.awaitDue(Draft.QUEUE);
        Lease lease = claimOne();
        ear.forget();
        applied(new Settlement.Retry(lease, Duration.ZERO, "again"));
        ear.awaitDue(Draft.QUEUE);
        lease = claimOne();
        ear.forget();
        applied(new Settlement.PutBack(lease, Duration.ZERO));
        ear.awaitDue(Draft.QUEUE);
        lease = claimOne();
        applied(new Settlement.Fail(lease, false, "broken"));
        ear.forget();
        applied(new Operation.Redrive(id, 3));
        ear.awaitDue(Draft.QUEUE);

        lease = claimOne();
        create(Draft.keyed("k").queue("other").replacing());
        ear.forget();
        applied(new Settlement.Cancelled(lease));
        ear.awaitDue("other");
        ear.forget();
        create(Draft.plain().queue("later").delay(Duration.ofHours(1)));
        ear.awaitDue("later");
    }

    @Test
    @DisplayName("L2: a listener is notified of ended tasks after the operation that made them so")
    void listenersAreNotifiedOfEnds() {
        List<TaskState> whenNamed = new ArrayList<>();
        TaskId id = create(Draft.plain());
        Ear ear = new Ear() {
            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ended) {
                TaskState now = state(id);
                // A hint that names no task may be needless; one that names a task must not be sent before its end.
                if (ended.contains(id)) {
                    synchronized (whenNamed) {
                        whenNamed.add(now);
                    }
                }
                if (now == TaskState.COMPLETED) {
                    super.tasksMayHaveEnded(ended);
                }
            }
        };
        store.listen(ear);
        applied(new Settlement.Complete(claimOne(), null));
        ear.awaitEnded(id);
        synchronized (whenNamed) {
            assertThat(whenNamed).allMatch(TaskState.COMPLETED::equals);
        }
        TaskId failed = createIn(TaskState.FAILED, Draft.plain());
        ear.awaitEnded(failed);
        TaskId cancelled = createIn(TaskState.CANCELLED, Draft.plain());
        ear.awaitEnded(cancelled);
        TaskId replaced = create(Draft.keyed("k"));
        create(Draft.keyed("k").replacing());
        ear.awaitEnded(replaced);
    }

    @Test
    @DisplayName("L2: a listener that is no longer registered is not notified; one that fails disturbs no other")
    void registrationsEnd() {
        Ear closed = new Ear();
        Ear kept = new Ear();
        TaskStore.Registration registration = store.listen(closed);
        store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                throw new OnPurpose();
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ended) {
                throw new OnPurpose();
            }
        });
        store.listen(kept);
        registration.close();
        registration.close();
        TaskId id = create(Draft.plain());
        kept.awaitDue(Draft.QUEUE);
        applied(new Operation.Cancel(id));
        kept.awaitEnded(id);
        assertThat(closed.heard()).isEmpty();
    }

    private void assertListed(List<Task> all, TaskQuery query, Predicate<Task> expected) {
        assertThat(Snapshot.listed(store, query))
                .as("%s", query)
                .isEqualTo(all.stream().filter(expected).toList());
    }

    private static TaskQuery query(
            @Nullable String tenant,
            @Nullable String queue,
            @Nullable String type,
            Set<TaskState> states,
            @Nullable Identity identity) {
        return new TaskQuery(tenant, queue, type, states, identity, null, 5);
    }

    private static List<TaskId> idsOf(List<Task> tasks) {
        return tasks.stream().map(Task::id).toList();
    }

    /** Without a stack trace: a store may log it. */
    private static final class OnPurpose extends RuntimeException {

        private static final long serialVersionUID = 1L;

        OnPurpose() {
            super("a listener that fails on purpose", null, false, false);
        }
    }
}
