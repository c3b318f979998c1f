package dev.semel.engine;

import dev.semel.store.StoreListener;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.ResultNotReady;
import dev.semel.task.SafeLogger;
import dev.semel.task.SemelException;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
 * Waits for tasks to end, in whatever process they run. The store's hints say when to look; one look for all that are
 * waited for, from time to time, is the truth behind them.
 */
public final class Results implements AutoCloseable {

    private static final SafeLogger LOG = SafeLogger.of(Results.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final int AT_ONCE = 500;

    private final TaskStore store;
    private final Map<TaskId, Awaited> awaited = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean lookAgain = new AtomicBoolean();
    private final TaskStore.Registration registration;
    private final ScheduledFuture<?> looks;

    /** A task that is waited for, and by how many: the last one to leave removes it. */
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
     * Begins to listen.
     *
     * @param store where the tasks are
     * @param timers says when to look without a hint
     */
    public Results(TaskStore store, ScheduledExecutorService timers) {
        this.store = store;
        this.registration = store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {
                // of no interest here
            }

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                if (!awaited.isEmpty() && (ids.isEmpty() || ids.stream().anyMatch(awaited::containsKey))) {
                    look();
                }
            }
        });
        this.looks = timers.scheduleWithFixedDelay(
                OwnThreads.tick("a look for results", this::look),
                LOOK_EVERY.toMillis(),
                LOOK_EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for a task to end.
     *
     * @param id the task
     * @param timeout how long to wait
     * @return the ended task; empty if it is not there
     * @throws ResultNotReady if it has not ended in time
     */
    public Optional<Task> await(TaskId id, Duration timeout) {
        // Registered before the first look, so that an end in between is not missed.
        Awaited entry = awaited.compute(id, (key, before) -> Awaited.entered(before));
        try {
            look(List.of(id));
            return entry.end().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ResultNotReady(
                    "Task " + id + " has not ended within " + timeout + ". Ask again; it goes on.", id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ResultNotReady("Interrupted while waiting for task " + id + ". Ask again; it goes on.", id);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Waiting for task " + id + " failed", e);
        } finally {
            awaited.computeIfPresent(id, (key, now) -> now.left());
        }
    }

    private void look() {
        lookAgain.set(true);
        if (looking.compareAndSet(false, true)) {
            if (!OwnThreads.run("a look for results", this::lookNow)) {
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
                LOG.warn("The store did not answer a look for results: {}", e.getMessage());
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
        looks.cancel(false);
        registration.close();
    }
}
