package dev.semel.store;

import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.SafeLogger;
import dev.semel.task.ScheduleId;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, which is lost when the program ends: for tests, and as the reference that every other store is compared
 * with.
 *
 * <p>It is the plainest way to keep the laws of {@link TaskStore}: one lock around every operation, maps, and sorted sets.
 * The laws of each operation are in a class of their own: {@code MemorySubmissions}, {@code MemoryClaims},
 * {@code MemorySettlements}, {@code MemoryOperations}, {@code MemoryEffects} and {@code MemorySweeps}.
 *
 * <p>It has no threads. Listeners are called by the thread whose operation made tasks due or ended them, after it has released
 * the lock.
 */
public final class InMemoryTaskStore implements TaskStore {

    private static final SafeLogger LOG = SafeLogger.of(InMemoryTaskStore.class);

    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private boolean closed; // guarded by the lock

    private final MemoryTables tables = new MemoryTables();
    private final MemoryEffects effects = new MemoryEffects(tables);
    private final MemorySubmissions submitting = new MemorySubmissions(tables, effects);
    private final MemoryDeadLetters deadLetters = new MemoryDeadLetters(submitting);
    private final MemoryClaims claiming = new MemoryClaims(tables, deadLetters);
    private final MemorySettlements settling = new MemorySettlements(tables, deadLetters, effects, submitting);
    private final MemorySchedules schedules = new MemorySchedules(tables, submitting);
    private final MemorySweeps sweeping = new MemorySweeps(tables, claiming, effects);
    private final MemoryOperations operating = new MemoryOperations(tables, deadLetters, effects, schedules, sweeping);

    /** Creates an empty store with the system's clock. */
    public InMemoryTaskStore() {
        this(InstantSource.system());
    }

    /**
     * Creates an empty store.
     *
     * @param clock decides what is due and what has expired
     */
    public InMemoryTaskStore(InstantSource clock) {
        this.clock = Limits.notNull("clock", clock);
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        List<SubmitRequest> items = List.copyOf(batch);
        if (items.size() > MAX_BATCH) {
            throw new InvalidInput("A batch has at most " + MAX_BATCH + " submissions, but got " + items.size()
                    + ". Send it in parts.");
        }
        return atomically(now -> SubmitRequest.inOrder(
                items,
                tasks ->
                        tasks.stream().map(task -> submitting.submit(task, now)).toList(),
                new SubmitRequest.Single() {
                    @Override
                    public Operated cancel(TaskId task) {
                        return operating.operate(new Operation.Cancel(task), now);
                    }

                    @Override
                    public Submitted.Signalled signal(SubmitRequest.Signal signal) {
                        return tables.flows().signal(signal, now);
                    }

                    @Override
                    public Submitted start(SubmitRequest.SignalWithStart start) {
                        return tables.flows().start(start, submitting, now);
                    }
                }));
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return atomically(now -> claiming.claim(request, now));
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        List<Settlement> items = List.copyOf(batch);
        RejectedAdvances rejected = new RejectedAdvances();
        return atomically(now -> items.stream()
                .map(item -> {
                    Settled answer = rejected.answer(item).orElseGet(() -> settling.settle(item, now));
                    rejected.note(item, answer);
                    return answer;
                })
                .toList());
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operation> items = List.copyOf(batch);
        return atomically(
                now -> items.stream().map(item -> operating.operate(item, now)).toList());
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
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        return atomically(now -> tables.flows().read(queries, now));
    }

    @Override
    public Page list(TaskQuery query) {
        if (query.parent() != null) {
            return StepPages.list(this, query);
        }
        return atomically(now -> {
            List<Task> tasks = tables.newestFirst(query.before()).stream()
                    .map(StoredTask::task)
                    .filter(query::selects)
                    .filter(task -> !query.workflows() || tables.flows().isWorkflow(task))
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
            found.values().removeIf(QueueSetUp.NONE::equals);
            return found;
        });
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return atomically(now -> {
            Map<String, QueueDepth> depths = new LinkedHashMap<>();
            for (StoredTask task : tables.all()) {
                if (tenant == null || tenant.equals(task.task().tenant())) {
                    depths.merge(task.task().queue(), depth(task, now), InMemoryTaskStore::sum);
                }
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
    public DueSchedules dueSchedules(int limit) {
        return atomically(now -> schedules.due(limit, now));
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        return atomically(now -> schedules.find(ids));
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        return atomically(now -> schedules.list(query));
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

    /** Closes the store. Its tasks are lost, and every further operation throws {@link StoreUnusable}. */
    @Override
    public void close() {
        listeners.clear();
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Truncates a time to milliseconds, which every store keeps. */
    static Instant toMillis(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS);
    }

    private <T> T atomically(Function<Instant, T> operation) {
        T answer;
        MemoryTables.News news;
        lock.lock();
        try {
            if (closed) {
                throw StoreUnusable.closed("The store in memory");
            }
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
                // The operation is done, whether or not a listener fails.
                LOG.warn("Listener failed: store=memory", e);
            }
        }
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
