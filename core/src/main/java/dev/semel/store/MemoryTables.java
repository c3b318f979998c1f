package dev.semel.store;

import dev.semel.store.Allowances.MemoryQueue;
import dev.semel.store.Allowances.Mutex;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tables of {@link InMemoryTaskStore} and their indexes. Not thread-safe: the store holds its lock around every call.
 *
 * <p>{@link #save} is the only method that stores a task, and keeps every index consistent. It also records hints for listeners.
 */
final class MemoryTables {

    private final NavigableMap<TaskId, StoredTask> tasks = new TreeMap<>();
    private final Map<TaskId, NavigableMap<Integer, Attempt>> attempts = new HashMap<>();
    private final Map<Identity, StoredKey> keys = new LinkedHashMap<>();
    private final MemoryFlows flows = new MemoryFlows(this);

    private final DueTasks due = new DueTasks();
    private final Map<Identity, NavigableSet<StoredTask>> openOfIdentity = new HashMap<>();
    private final Map<Long, NavigableSet<StoredTask>> runningOfClaim = new HashMap<>();
    private final Map<String, NavigableSet<StoredTask>> runningOfQueue = new HashMap<>();
    private final Map<Mutex, NavigableSet<StoredTask>> runningOfMutex = new HashMap<>();
    private final Map<Mutex, NavigableSet<StoredTask>> blockedOfMutex = new HashMap<>();
    private final Map<String, MemoryQueue> queues = new LinkedHashMap<>();
    private final NavigableSet<StoredTask> runningAskedToCancel = new TreeSet<>(StoredTask.BY_DUE);
    private final NavigableSet<StoredTask> limited = new TreeSet<>(StoredTask.BY_LIMIT);
    private final NavigableSet<StoredTask> ended = new TreeSet<>(StoredTask.BY_END);

    private long sequence;
    private Set<String> dueQueues = new LinkedHashSet<>();
    private Set<TaskId> endedIds = new LinkedHashSet<>();

    /**
     * Hints for listeners.
     *
     * @param dueQueues queues with tasks that may have become due
     * @param endedIds tasks that have ended
     */
    record News(Set<String> dueQueues, Set<TaskId> endedIds) {}

    long nextSequence() {
        return sequence++;
    }

    MemoryFlows flows() {
        return flows;
    }

    DueTasks due() {
        return due;
    }

    /** Returns tasks, newest first: those before a task, or all. */
    Collection<StoredTask> newestFirst(@Nullable TaskId before) {
        return (before == null ? tasks : tasks.headMap(before, false))
                .descendingMap()
                .values();
    }

    @Nullable
    StoredTask find(TaskId id) {
        return tasks.get(id);
    }

    /** Stores a new task or the next version of a task, and applies the consequences of its change of state to other tasks. */
    Consequences save(StoredTask version) {
        StoredTask previous = tasks.get(version.id());
        // A new task had no state. It has no consequences, like a task that keeps waiting.
        TaskState before = previous == null ? TaskState.WAITING : previous.state();
        Consequences then =
                Consequences.of(before, version.state(), settings(version.task().queue()));
        StoredTask next = then.strips() ? version.stripped() : version;
        tasks.put(next.id(), next);
        if (previous != null) {
            unindex(previous);
        }
        index(next);
        if (next.state() == TaskState.PENDING || then.freesPlace()) {
            dueQueues.add(next.task().queue());
        }
        if (before.isOpen() && !next.state().isOpen()) {
            endedIds.add(next.id());
            flows.ended(version.task());
            if (then.strips()) {
                flows.forget(next.id());
            }
        }
        Mutex mutex = then.freesMutex() ? Mutex.of(next.task()) : null;
        if (mutex != null) {
            blockedOfMutex.getOrDefault(mutex, Collections.emptyNavigableSet()).stream()
                    .min(StoredTask.BY_DUE)
                    .ifPresent(this::wake);
        }
        StoredTask successor = then.wakesSuccessor() && next.successor() != null ? tasks.get(next.successor()) : null;
        if (successor != null && successor.state() == TaskState.WAITING) {
            wake(successor);
        }
        return then;
    }

    private void wake(StoredTask waiting) {
        save(waiting.pending(waiting.dueAt()));
    }

    /** Cancels a task, or requests its cancellation. */
    Operated cancel(StoredTask task, Instant now) {
        CancelDecision decision = CancelDecision.of(task.state());
        switch (decision) {
            case END -> save(task.cancelled(now));
            case ASK -> save(task.askedToCancel());
            case DONE_BEFORE, TOO_LATE -> {}
        }
        return decision.answer();
    }

    /** Deletes a task that has ended, and its attempts. */
    void remove(StoredTask task) {
        tasks.remove(task.id());
        attempts.remove(task.id());
        flows.forget(task.id());
        unindex(task);
    }

    /** Returns the open tasks of an identity, oldest first: one task, or a replaced task that still runs and its successor. */
    List<StoredTask> openOf(Identity identity) {
        return List.copyOf(openOfIdentity.getOrDefault(identity, Collections.emptyNavigableSet()));
    }

    /** The running tasks of a queue. */
    Collection<StoredTask> runningOf(String queue) {
        return runningOfQueue.getOrDefault(queue, Collections.emptyNavigableSet());
    }

    /** The running tasks of a mutex: at most one, unless the store has a bug. */
    Collection<StoredTask> runningOf(Mutex mutex) {
        return runningOfMutex.getOrDefault(mutex, Collections.emptyNavigableSet());
    }

    /** Returns the settings and the rate limit of a queue, or null if it never had any. */
    @Nullable
    MemoryQueue queue(String name) {
        return queues.get(name);
    }

    Map<String, MemoryQueue> queues() {
        return queues;
    }

    /** Returns the effective settings of a queue. */
    QueueSettings settings(String queue) {
        MemoryQueue kept = queues.get(queue);
        return kept == null ? QueueSettings.NONE : kept.setUp.effective();
    }

    /** Changes the settings or the rate limit of a queue. */
    void change(String queue, Consumer<MemoryQueue> change) {
        change.accept(queues.computeIfAbsent(queue, name -> new MemoryQueue()));
        dueQueues.add(queue);
    }

    /** All tasks, in no particular order. */
    Collection<StoredTask> all() {
        return tasks.values();
    }

    /** The running tasks whose newest attempt was begun by a claim. */
    List<StoredTask> runningOf(long claim) {
        return List.copyOf(runningOfClaim.getOrDefault(claim, Collections.emptyNavigableSet()));
    }

    /** The tasks that were asked to cancel and whose lease has expired. */
    List<StoredTask> vanishedAskedToCancel(Instant now) {
        List<StoredTask> vanished = new ArrayList<>();
        for (StoredTask task : runningAskedToCancel) {
            if (!task.isDue(now)) {
                break;
            }
            vanished.add(task);
        }
        // In one order in all stores, which is that of the dead letters that follow.
        vanished.sort(Comparator.comparing(StoredTask::id));
        return vanished;
    }

    /** The tasks of which a time limit has passed. */
    List<StoredTask> overdue(Instant now) {
        List<StoredTask> overdue = new ArrayList<>();
        for (StoredTask task : limited) {
            if (now.isBefore(Objects.requireNonNull(task.nextLimit()))) {
                break;
            }
            overdue.add(task);
        }
        return overdue;
    }

    /** The tasks that have ended, oldest end first. */
    Collection<StoredTask> ended() {
        return ended;
    }

    void beginAttempt(TaskId id, int number, String worker, Instant now) {
        attempts.computeIfAbsent(id, task -> new TreeMap<>())
                .put(number, new Attempt(number, worker, now, null, null, null));
    }

    void endAttempt(TaskId id, int number, AttemptEnd end, Instant now) {
        attempts.computeIfAbsent(id, task -> new TreeMap<>())
                .computeIfPresent(
                        number,
                        (same, begun) -> new Attempt(
                                number, begun.worker(), begun.startedAt(), now, end.outcome(), end.error()));
    }

    /** Deletes an attempt that ended with a wait, which is not kept. */
    void forgetAttempt(TaskId id, int number) {
        attempts.computeIfPresent(id, (same, kept) -> {
            kept.remove(number);
            return kept.isEmpty() ? null : kept;
        });
    }

    @Nullable
    Attempt attempt(TaskId id, int number) {
        return attempts.getOrDefault(id, Collections.emptyNavigableMap()).get(number);
    }

    List<Attempt> attempts(TaskId id) {
        return List.copyOf(
                attempts.getOrDefault(id, Collections.emptyNavigableMap()).values());
    }

    @Nullable
    StoredKey key(Identity identity) {
        return keys.get(identity);
    }

    Collection<StoredKey> keys() {
        return keys.values();
    }

    /** The task that a record names, which must be stored. */
    StoredTask taskOf(StoredKey key) {
        StoredTask task = tasks.get(key.taskId());
        if (task == null) {
            throw new IllegalStateException("The record of " + key.identity() + " names a task that is not stored");
        }
        return task;
    }

    /** The state of the task that a record names. */
    TaskState stateOf(StoredKey key) {
        StoredKey.End end = key.remembered();
        return end != null ? end.state() : taskOf(key).state();
    }

    KeyHolder holder(StoredKey key) {
        return new KeyHolder(key.taskId(), stateOf(key), key.expiresAt());
    }

    void save(StoredKey key) {
        keys.put(key.identity(), key);
    }

    void remove(StoredKey key) {
        keys.remove(key.identity());
    }

    /** Returns the hints since the last call, and clears them. */
    News takeNews() {
        News news = new News(dueQueues, endedIds);
        dueQueues = new LinkedHashSet<>();
        endedIds = new LinkedHashSet<>();
        return news;
    }

    private void index(StoredTask task) {
        if (DueTasks.holds(task)) {
            due.add(task);
        }
        Identity identity = task.identity();
        if (task.state().isOpen() && identity != null) {
            put(openOfIdentity, identity, task);
        }
        if (task.state() == TaskState.RUNNING) {
            put(runningOfClaim, task.claim(), task);
            put(runningOfQueue, task.task().queue(), task);
            if (task.cancelRequested()) {
                runningAskedToCancel.add(task);
            }
        }
        Mutex mutex = Mutex.of(task.task());
        if (mutex != null && task.state() == TaskState.RUNNING) {
            put(runningOfMutex, mutex, task);
        }
        if (mutex != null && task.blocked()) {
            put(blockedOfMutex, mutex, task);
        }
        if (task.nextLimit() != null) {
            limited.add(task);
        }
        if (!task.state().isOpen()) {
            ended.add(task);
        }
    }

    private void unindex(StoredTask task) {
        if (DueTasks.holds(task)) {
            due.remove(task);
        }
        Identity identity = task.identity();
        if (task.state().isOpen() && identity != null) {
            take(openOfIdentity, identity, task);
        }
        if (task.state() == TaskState.RUNNING) {
            take(runningOfClaim, task.claim(), task);
            take(runningOfQueue, task.task().queue(), task);
            runningAskedToCancel.remove(task);
        }
        Mutex mutex = Mutex.of(task.task());
        if (mutex != null) {
            take(runningOfMutex, mutex, task);
            take(blockedOfMutex, mutex, task);
        }
        if (task.nextLimit() != null) {
            limited.remove(task);
        }
        if (!task.state().isOpen()) {
            ended.remove(task);
        }
    }

    private static <K> void put(Map<K, NavigableSet<StoredTask>> index, K key, StoredTask task) {
        index.computeIfAbsent(key, any -> new TreeSet<>(StoredTask.BY_CREATION)).add(task);
    }

    private static <K> void take(Map<K, NavigableSet<StoredTask>> index, K key, StoredTask task) {
        index.computeIfPresent(key, (any, of) -> {
            of.remove(task);
            return of.isEmpty() ? null : of;
        });
    }
}
