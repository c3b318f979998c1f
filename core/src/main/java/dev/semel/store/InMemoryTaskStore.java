package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.SafeLogger;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A store that keeps everything in memory and nothing when the program ends: for tests, and the reference that every other
 * store is compared with.
 *
 * <p>It is the plainest way to keep the laws of {@link TaskStore}: one lock around every operation, maps, and sorted sets.
 * The laws of each operation are in a class of their own: {@code MemorySubmitting}, {@code MemoryClaiming},
 * {@code MemoryMoving}, {@code MemoryEffects} and {@code MemorySweeping}.
 *
 * <p>It has no threads. Listeners are called by the thread whose operation made the news, after the lock was released.
 */
public final class InMemoryTaskStore implements TaskStore {

    private static final SafeLogger LOG = SafeLogger.of(InMemoryTaskStore.class);

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();

    private final MemoryTables tables = new MemoryTables();
    private final MemoryEffects effects = new MemoryEffects(tables);
    private final MemorySubmitting submitting = new MemorySubmitting(tables, effects);
    private final MemoryClaiming claiming = new MemoryClaiming(tables);
    private final MemoryMoving moving = new MemoryMoving(tables, submitting, effects);
    private final MemorySweeping sweeping = new MemorySweeping(tables, claiming, effects);

    /** Makes an empty store that goes by the system's clock. */
    public InMemoryTaskStore() {
        this(InstantSource.system());
    }

    /**
     * Makes an empty store.
     *
     * @param clock decides what is due and what has expired
     */
    public InMemoryTaskStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        List<NewTask> items = List.copyOf(batch);
        if (items.size() > MAX_BATCH) {
            throw new InvalidInput("A batch has at most " + MAX_BATCH + " submissions, but got " + items.size()
                    + ". Send it in parts.");
        }
        return atomically(now -> {
            List<Submitted> answers = new ArrayList<>();
            items.forEach(item -> answers.add(submitting.submit(item, now)));
            return answers;
        });
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return atomically(now -> claiming.claim(request, now));
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        List<Transition> moves = List.copyOf(batch);
        return atomically(now -> {
            List<Applied> answers = new ArrayList<>();
            moves.forEach(move -> answers.add(moving.apply(move, now)));
            return answers;
        });
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        return atomically(now -> {
            Map<TaskId, Task> found = new LinkedHashMap<>();
            for (TaskId id : ids) {
                StoredTask stored = tables.find(id);
                if (stored != null) {
                    found.put(id, stored.task());
                }
            }
            return found;
        });
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        return atomically(now -> {
            Map<TaskId, List<Attempt>> found = new LinkedHashMap<>();
            for (TaskId id : ids) {
                List<Attempt> attempts = tables.attempts(id);
                if (!attempts.isEmpty()) {
                    found.put(id, attempts);
                }
            }
            return found;
        });
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        return atomically(now -> effects.of(lineages, now));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return atomically(now -> effects.list(query, now));
    }

    @Override
    public Page list(TaskQuery query) {
        return atomically(now -> {
            List<Task> tasks = tables.newestFirst(query.before()).stream()
                    .map(StoredTask::task)
                    .filter(task -> passes(task, query))
                    .limit(query.limit())
                    .toList();
            return new Page(
                    tasks, tasks.size() < query.limit() ? null : tasks.getLast().id());
        });
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        return atomically(now -> {
            Map<Identity, KeyRecord> found = new LinkedHashMap<>();
            for (Identity identity : identities) {
                StoredKey key = tables.key(identity);
                if (key != null) {
                    found.put(identity, seen(key, now));
                }
            }
            return found;
        });
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return atomically(now -> {
            Map<String, QueueSetUp> found = new LinkedHashMap<>();
            tables.queues().forEach((name, queue) -> found.put(name, queue.setUp));
            return found;
        });
    }

    @Override
    public Map<String, QueueDepth> depths() {
        return atomically(now -> {
            Map<String, QueueDepth> depths = new LinkedHashMap<>();
            for (StoredTask task : tables.all()) {
                depths.merge(task.task().queue(), depth(task, now), InMemoryTaskStore::sum);
            }
            return depths;
        });
    }

    private static QueueDepth depth(StoredTask task, Instant now) {
        return switch (task.state()) {
            case PENDING ->
                task.isDue(now) ? new QueueDepth(1, 0, 0, 0, 0, task.dueAt()) : new QueueDepth(0, 1, 0, 0, 0, null);
            case RUNNING ->
                task.isDue(now) ? new QueueDepth(1, 0, 0, 0, 0, task.dueAt()) : new QueueDepth(0, 0, 1, 0, 0, null);
            case WAITING -> new QueueDepth(0, 0, 0, 1, 0, null);
            case FAILED, TIMED_OUT -> new QueueDepth(0, 0, 0, 0, 1, null);
            case COMPLETED, CANCELLED -> new QueueDepth(0, 0, 0, 0, 0, null);
        };
    }

    private static QueueDepth sum(QueueDepth a, QueueDepth b) {
        Instant first = a.oldestDue();
        Instant second = b.oldestDue();
        return new QueueDepth(
                a.due() + b.due(),
                a.delayed() + b.delayed(),
                a.running() + b.running(),
                a.waiting() + b.waiting(),
                a.dead() + b.dead(),
                first == null || (second != null && second.isBefore(first)) ? second : first);
    }

    @Override
    public Swept sweep(SweepRequest request) {
        return atomically(now -> sweeping.sweep(request, now));
    }

    @Override
    public Registration listen(StoreListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Ends all listening. What is stored stays, as for every store, for as long as this object is there. */
    @Override
    public void close() {
        listeners.clear();
    }

    /** Cuts a time to what every store keeps. */
    static Instant toMillis(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS);
    }

    private <T> T atomically(Function<Instant, T> operation) {
        T answer;
        MemoryTables.News news;
        lock.lock();
        try {
            answer = operation.apply(toMillis(clock.instant()));
            news = tables.takeNews();
        } finally {
            lock.unlock();
        }
        tell(news);
        return answer;
    }

    private void tell(MemoryTables.News news) {
        for (StoreListener listener : listeners) {
            try {
                if (!news.dueQueues().isEmpty()) {
                    listener.tasksMayBeDue(news.dueQueues());
                }
                if (!news.endedIds().isEmpty()) {
                    listener.tasksMayHaveEnded(news.endedIds());
                }
            } catch (Throwable e) {
                // The operation is done, whatever a listener makes of the hint.
                LOG.warn("A listener failed with a hint of the in-memory store", e);
            }
        }
    }

    private static boolean passes(Task task, TaskQuery query) {
        return (query.tenant() == null || query.tenant().equals(task.tenant()))
                && (query.queue() == null || query.queue().equals(task.queue()))
                && (query.type() == null || query.type().equals(task.type()))
                && (query.states().isEmpty() || query.states().contains(task.state()))
                && (query.identity() == null || query.identity().equals(task.identity()));
    }

    private KeyRecord seen(StoredKey key, Instant now) {
        StoredTask stored = tables.find(key.taskId());
        StoredKey.End end = key.remembered();
        TaskState state;
        Instant finishedAt;
        if (end != null) {
            state = end.state();
            finishedAt = end.finishedAt();
        } else if (stored != null) {
            state = stored.state();
            finishedAt = stored.task().progress().finishedAt();
        } else {
            throw new IllegalStateException("The record of " + key.identity() + " names a task that is not stored");
        }
        return new KeyRecord(
                key.identity(),
                key.taskId(),
                key.type(),
                key.inputHash(),
                key.run(),
                key.lineage(),
                key.createdAt(),
                key.expiresAt(),
                key.windowPassed(now),
                state,
                finishedAt,
                end != null || (stored != null && stored.task().dataGone()),
                key.duplicates(),
                key.lastDuplicateAt());
    }
}
