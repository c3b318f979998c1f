package dev.semel.engine;

import dev.semel.store.Attempt;
import dev.semel.store.StoreListener;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Limits;
import dev.semel.task.ResultNotReady;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for tasks to end, in any process. A hint of the store triggers a lookup. Hints can be lost, so
 * all awaited tasks are also looked up periodically.
 */
public final class Results implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Results.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final int AT_ONCE = 500;

    private final TaskStore store;
    private final OwnThreads threads;
    private final Map<TaskId, Awaited> awaited = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean lookAgain = new AtomicBoolean();
    private final TaskStore.Registration registration;
    private final ScheduledFuture<?> looks;
    private volatile boolean closed;

    /** An awaited task and its number of waiting callers; the last caller to leave removes it. */
    private record Awaited(CompletableFuture<Optional<Task>> end, int waiters) {

        static Awaited entered(@Nullable Awaited before) {
            return before == null
                    ? new Awaited(new CompletableFuture<>(), 1)
                    : new Awaited(before.end, before.waiters + 1);
        }

        @Nullable
        Awaited left() {
            return waiters == 1 ? null : new Awaited(end, waiters - 1);
        }
    }

    /**
     * Registers for the store's hints and schedules the periodic lookup.
     *
     * @param store the store of the tasks
     * @param timers schedules the periodic lookup
     * @param threads runs the lookups
     */
    public Results(TaskStore store, ScheduledExecutorService timers, OwnThreads threads) {
        this.store = store;
        this.threads = threads;
        this.registration = store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                // waiting callers need only the ends of tasks
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                if (!awaited.isEmpty() && (ids.isEmpty() || ids.stream().anyMatch(awaited::containsKey))) {
                    look();
                }
            }
        });
        this.looks = timers.scheduleWithFixedDelay(
                OwnThreads.tick("lookup of results", this::look),
                LOOK_EVERY.toMillis(),
                LOOK_EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for a task to end.
     *
     * @param id the task
     * @param timeout how long to wait
     * @return the ended task; empty if there is no such task
     * @throws ResultNotReady if the task does not end in time, or this thread is interrupted
     */
    public Optional<Task> await(TaskId id, Duration timeout) {
        // Registered before the first look, so that an end in between is not missed.
        Awaited entry = awaited.compute(id, (key, before) -> Awaited.entered(before));
        try {
            if (closed) {
                throw closedInstance(); // perhaps registered after the others were failed
            }
            look(List.of(id));
            return entry.end().get(Limits.boundedWait(timeout).toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ResultNotReady(
                    "Task " + id + " has not ended within " + Durations.shown(timeout) + ". " + advice(id), id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ResultNotReady(
                    "Interrupted while waiting for task " + id + ". It continues; wait for it again.", id);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StoreUnusable
                    ? closedInstance()
                    : new IllegalStateException("Waiting for task " + id + " failed.", e);
        } finally {
            awaited.computeIfPresent(id, (key, now) -> now.left());
        }
    }

    /** Says what to do about a task that has not ended. Waiting is no help if the task itself waits for a person. */
    private String advice(TaskId id) {
        try {
            Task task = store.find(List.of(id)).get(id);
            List<Attempt> attempts = task == null || task.state() != TaskState.WAITING
                    ? List.of()
                    : store.attempts(List.of(id)).getOrDefault(id, List.of());
            // A task that was given up and redriven may wait for its mutex; its error is then another one.
            if (task != null
                    && !attempts.isEmpty()
                    && attempts.getLast().outcome() == Attempt.Outcome.PARKED
                    && Objects.equals(
                            attempts.getLast().error(), task.progress().lastError())) {
                return "It is parked: whether one of its effects happened is unknown, and it continues only after a person"
                        + " has resolved that, with \"semel effect resolve\" or Semel.effects().";
            }
        } catch (SemelException e) {
            LOG.debug("Could not look up why a task has not ended: task={} error={}", id, e.getMessage());
        }
        return "It continues; wait for it again.";
    }

    /**
     * Returns a future of the end of a task, for callers that do not wait on a thread.
     *
     * @param id the task
     * @return completed with the ended task; empty if there is no such task. It is completed by a thread of Semel's own,
     *     on which no other code may run
     */
    public CompletableFuture<Optional<Task>> ended(TaskId id) {
        Awaited entry = awaited.compute(id, (key, before) -> Awaited.entered(before));
        CompletableFuture<Optional<Task>> end =
                entry.end().whenComplete((task, thrown) -> awaited.computeIfPresent(id, (key, now) -> now.left()));
        if (closed) {
            failAll(); // it may have been registered after the others were failed
        }
        look();
        return end;
    }

    private void failAll() {
        awaited.values().forEach(entry -> entry.end().completeExceptionally(closedInstance()));
    }

    private static StoreUnusable closedInstance() {
        return StoreUnusable.closed("The instance of Semel that waits for a task");
    }

    private void look() {
        lookAgain.set(true);
        if (looking.compareAndSet(false, true)) {
            if (!threads.run("lookup of results", this::lookNow)) {
                looking.set(false);
            }
        }
    }

    private void lookNow() {
        do {
            try {
                while (lookAgain.getAndSet(false)) {
                    List<TaskId> ids = new ArrayList<>(awaited.keySet());
                    for (int from = 0; from < ids.size(); from += AT_ONCE) {
                        look(ids.subList(from, Math.min(ids.size(), from + AT_ONCE)));
                    }
                }
            } catch (SemelException e) {
                LOG.warn("Results could not be looked up, will be retried: error={}", e.getMessage());
            } finally {
                looking.set(false);
            }
        } while (lookAgain.get() && looking.compareAndSet(false, true));
    }

    private void look(List<TaskId> ids) {
        Map<TaskId, Task> found = store.find(ids);
        for (TaskId id : ids) {
            Task task = found.get(id);
            Awaited entry = awaited.get(id);
            if (entry != null && (task == null || !task.state().isOpen())) {
                entry.end().complete(Optional.ofNullable(task));
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        looks.cancel(false);
        registration.close();
        failAll();
    }
}
