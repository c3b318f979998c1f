package dev.semel.storetests;

import dev.semel.store.Attempt;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.KeyRecord;
import dev.semel.store.QueueSetUp;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that can be seen of a store.
 *
 * @param tasks the tasks, newest first
 * @param attempts the attempts of each
 * @param records the records that are there
 * @param queues the settings of queues that have any
 * @param effects the effects, in order of their ids
 * @param histories the histories of workflows, without the time at which they were read
 */
record Snapshot(
        Map<TaskId, Task> tasks,
        Map<TaskId, List<Attempt>> attempts,
        Map<Identity, KeyRecord> records,
        Map<String, QueueSetUp> queues,
        List<EffectRecord> effects,
        Map<TaskId, History> histories) {

    private static final int MOST_AT_ONCE = 1_000;

    static Snapshot of(TaskStore store) {
        return of(store, Set.of());
    }

    /** Looks at all tasks, and at the records of their identities and of others. */
    static Snapshot of(TaskStore store, Collection<Identity> others) {
        Map<TaskId, Task> tasks = new LinkedHashMap<>();
        Map<TaskId, List<Attempt>> attempts = new LinkedHashMap<>();
        Set<Identity> identities = new LinkedHashSet<>(others);
        for (Task task : listed(store, TaskQuery.all(TaskQuery.MAX_LIMIT))) {
            tasks.put(task.id(), task);
            attempts.put(task.id(), List.of());
            Identity identity = task.identity();
            if (identity != null) {
                identities.add(identity);
            }
        }
        List<TaskId> begun = tasks.values().stream()
                .filter(task -> task.progress().attempt() > 0)
                .map(Task::id)
                .toList();
        inParts(begun, part -> attempts.putAll(store.attempts(part)));
        Map<Identity, KeyRecord> records = new LinkedHashMap<>();
        inParts(List.copyOf(identities), part -> records.putAll(store.records(part)));
        Map<String, QueueSetUp> queues = new LinkedHashMap<>(store.queues());
        queues.values().removeIf(QueueSetUp.NONE::equals); // a store may list these or not
        List<EffectRecord> effects = listed(store, EffectQuery.all(EffectQuery.MAX_LIMIT));
        List<History.Query> workflows = tasks.values().stream()
                .filter(Snapshot::isWorkflow)
                .map(task -> History.Query.whole(task.id()))
                .toList();
        Map<TaskId, History> histories = new LinkedHashMap<>();
        inParts(workflows, part -> histories.putAll(store.histories(part)));
        histories.replaceAll((id, history) -> new History(history.lines(), history.inbox(), Instant.EPOCH));
        return new Snapshot(tasks, attempts, records, queues, effects, histories);
    }

    /** By their types, as the tests name them. */
    static boolean isWorkflow(Task task) {
        return task.type().startsWith(WorkflowStoreContract.TYPE);
    }

    /** Asks for many at once: one question for each of ten thousand tasks would be most of what a test waits for. */
    private static <T> void inParts(List<T> all, Consumer<List<T>> ask) {
        for (int from = 0; from < all.size(); from += MOST_AT_ONCE) {
            ask.accept(all.subList(from, Math.min(all.size(), from + MOST_AT_ONCE)));
        }
    }

    /** All pages of a listing. */
    static List<Task> listed(TaskStore store, TaskQuery query) {
        List<Task> all = new ArrayList<>();
        List<Task> page = store.list(query).tasks();
        all.addAll(page);
        while (page.size() == query.limit()) {
            page = store.list(query.after(page.getLast().id())).tasks();
            all.addAll(page);
        }
        return all;
    }

    /** All pages of a listing of effects. */
    static List<EffectRecord> listed(TaskStore store, EffectQuery query) {
        EffectQuery next = query;
        List<EffectRecord> all = new ArrayList<>();
        while (true) {
            EffectPage page = store.effects(next);
            all.addAll(page.effects());
            EffectId end = page.next();
            if (end == null) {
                return all;
            }
            if (next.after() != null && end.compareTo(next.after()) <= 0) {
                throw new AssertionError("The page after " + next.after() + " does not get on: it ends at " + end);
            }
            next = query.after(end);
        }
    }

    /** The same without the counts of duplicates of some identities. */
    Snapshot uncounted(Set<Identity> identities) {
        Map<Identity, KeyRecord> uncounted = new LinkedHashMap<>(records);
        uncounted.replaceAll((identity, record) -> identities.contains(identity) ? counted(record, 0, null) : record);
        return new Snapshot(tasks, attempts, uncounted, queues, effects, histories);
    }

    /** A record with another count of duplicates. */
    static KeyRecord counted(KeyRecord record, long duplicates, @Nullable Instant lastDuplicateAt) {
        return new KeyRecord(
                record.identity(),
                record.taskId(),
                record.type(),
                record.inputHash(),
                record.run(),
                record.lineage(),
                record.createdAt(),
                record.expiresAt(),
                record.windowPassed(),
                record.state(),
                record.finishedAt(),
                record.dataGone(),
                duplicates,
                lastDuplicateAt);
    }

    /** The open tasks. */
    List<Task> open() {
        return tasks.values().stream().filter(task -> task.state().isOpen()).toList();
    }
}
