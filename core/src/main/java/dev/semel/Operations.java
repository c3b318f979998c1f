package dev.semel;

import dev.semel.engine.Cleaner;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operations on existing tasks, keys and queues: look up, cancel, redrive, erase, release, pause, set. Every operation can be
 * repeated, and the repetition changes nothing.
 */
public final class Operations {

    private final TaskStore store;
    private final Cleaner cleaner;
    private final Explainer explainer;
    private final TaskPages pages;
    private final Redriver redriver;

    Operations(TaskStore store, Cleaner cleaner, Explainer explainer) {
        this.store = store;
        this.cleaner = cleaner;
        this.explainer = explainer;
        this.pages = new TaskPages(store);
        this.redriver = new Redriver(store);
    }

    /** The outcome of a request to cancel a task. */
    public enum Cancellation {
        /** The task has ended as cancelled, now or before. */
        CANCELLED,
        /**
         * The task is running and its cancellation was requested: it stays open and holds its key until its handler
         * ends or its lease expires.
         */
        ASKED,
        /** The task had ended in another state before. */
        ENDED
    }

    /** The outcome of a request to redrive a task. */
    public enum Redriving {
        /** The same task is pending again with a new retry budget, by this request or by a concurrent one. */
        REDRIVEN,
        /** A newer task holds the key; nothing changed. */
        SUPERSEDED,
        /** The task is not a dead letter, or was redriven since it was looked up; nothing changed. */
        NOT_DEAD
    }

    /** The outcome of a request to erase a task's data. */
    public enum Erasure {
        /** The data is deleted. */
        ERASED,
        /** The task is open; nothing changed. */
        OPEN
    }

    /**
     * A preview of what a redrive would do with a dead letter.
     *
     * @param task the dead letter
     * @param attempts its attempts, oldest first
     * @param effects the effects of its lineage. Effects that are done will not run again. Effects with unknown outcome
     *     will be handled as their handler declares, or will not run again if their provider's window has passed
     * @param supersededBy the newer task that holds its key, so that a redrive would change nothing; null if the dead
     *     letter would run
     */
    public record Outlook(
            Task task,
            List<Attempt> attempts,
            List<EffectRecord> effects,
            @Nullable TaskId supersededBy) {}

    /**
     * A view of a queue.
     *
     * @param name its name
     * @param setUp its settings: declared, and set at run time
     * @param depth the number of its tasks by state
     */
    public record QueueView(String name, QueueSetUp setUp, QueueDepth depth) {}

    /**
     * A view of a key.
     *
     * @param record its record, or null if there is none, because the key was never used, or was released or cleaned up
     * @param tasks the tasks that were created under it and are still stored, newest first, at most a thousand
     */
    public record KeyView(@Nullable KeyRecord record, List<Task> tasks) {}

    // ---- tasks

    /**
     * Cancels a task. A pending or waiting task ends immediately; a running task is requested to end.
     *
     * @param id the task
     * @return the outcome
     * @throws TaskNotFound if there is no such task
     */
    public Cancellation cancel(TaskId id) {
        Submitted answer = store.submit(List.of(new SubmitRequest.Cancel(Limits.notNull("task id", id))))
                .getFirst();
        return switch (answer) {
            case Submitted.Cancellation.CANCELLED -> Cancellation.CANCELLED;
            case Submitted.Cancellation.REQUESTED -> Cancellation.ASKED;
            case Submitted.Cancellation.TOO_LATE -> Cancellation.ENDED;
            case Submitted.Cancellation.NOT_FOUND -> throw notFound(id);
            case Submitted other -> throw new IllegalStateException("A cancellation was answered with " + other);
        };
    }

    /**
     * Cancels all open tasks that match a filter.
     *
     * @param filter the filter; without states it matches pending, running and waiting tasks
     * @param each called with each task and its outcome
     */
    public void cancelAll(TaskQuery filter, Progress<Cancellation> each) {
        Limits.notNull("listener", each);
        pages.each(filter, TaskPages.OPEN, tasks -> {
            List<Operation> moves = new ArrayList<>();
            tasks.forEach(task -> moves.add(new Operation.Cancel(task.id())));
            List<Operated> answers = store.operate(moves);
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) != Operated.NOT_FOUND) {
                    each.done(tasks.get(i), cancellation(tasks.get(i).id(), answers.get(i)));
                }
            }
        });
    }

    /**
     * Lists the open tasks that {@link #cancelAll} would cancel.
     *
     * @param filter the filter; without states it matches pending, running and waiting tasks
     * @param each called with each task
     */
    public void previewCancelAll(TaskQuery filter, Consumer<Task> each) {
        Limits.notNull("listener", each);
        pages.each(filter, TaskPages.OPEN, tasks -> tasks.forEach(each));
    }

    /**
     * Explains the state of a task, and what a submission with its key would do now.
     *
     * @param id the task
     * @return the explanation
     * @throws TaskNotFound if there is no such task
     */
    public Explanation explain(TaskId id) {
        return explainer.explain(Limits.notNull("task id", id));
    }

    private static Cancellation cancellation(TaskId id, Operated answer) {
        return switch (answer) {
            case APPLIED -> Cancellation.CANCELLED;
            case CANCEL_REQUESTED -> Cancellation.ASKED;
            case STALE, SUPERSEDED, HELD, CIRCLE -> Cancellation.ENDED;
            case NOT_FOUND -> throw notFound(id);
        };
    }

    // ---- dead letters

    /**
     * Lists dead letters, newest first.
     *
     * @param filter the filter; without states it matches failed and timed out tasks
     * @return a page of dead letters
     */
    public Page deadLetters(TaskQuery filter) {
        return store.list(TaskPages.in(filter, TaskPages.DEAD));
    }

    /**
     * Redrives a dead letter: it runs again as the same task with a new retry budget.
     *
     * @param id the task
     * @return the outcome
     * @throws TaskNotFound if there is no such task
     */
    public Redriving redrive(TaskId id) {
        Task task = find(id);
        return task.state().isDead() ? redriver.redrive(List.of(task)).getFirst() : Redriving.NOT_DEAD;
    }

    /**
     * Redrives all dead letters that match a filter.
     *
     * @param filter the filter; without states it matches failed and timed out tasks
     * @param each called with each task and its outcome
     */
    public void redriveAll(TaskQuery filter, Progress<Redriving> each) {
        Limits.notNull("listener", each);
        pages.each(filter, TaskPages.DEAD, tasks -> {
            List<Redriving> outcomes = redriver.redrive(tasks);
            for (int i = 0; i < outcomes.size(); i++) {
                each.done(tasks.get(i), outcomes.get(i));
            }
        });
    }

    /**
     * Previews {@link #redriveAll} without changing anything.
     *
     * @param filter the filter; without states it matches failed and timed out tasks
     * @param each called with each task
     */
    public void previewRedriveAll(TaskQuery filter, Consumer<Outlook> each) {
        Limits.notNull("listener", each);
        Map<Identity, TaskId> promised = new HashMap<>();
        pages.each(
                filter,
                TaskPages.DEAD,
                tasks -> redriver.previews(tasks, promised).forEach(each));
    }

    /**
     * Previews {@link #redrive} without changing anything.
     *
     * @param id the task
     * @return the preview; empty if the task is not a dead letter
     * @throws TaskNotFound if there is no such task
     */
    public Optional<Outlook> previewRedrive(TaskId id) {
        Task task = find(id);
        return task.state().isDead() ? Optional.of(redriver.preview(task)) : Optional.empty();
    }

    /**
     * Deletes the data of a task that has ended: input, result, errors, attempts, the history of a workflow, and what its effects
     * answered. A record of its key stays as a tombstone until its window has passed, so a duplicate is still recognised and is
     * told that the result is no longer stored. If the task ended without success, the next submission of its key is a rerun: then
     * the names and states of its effects stay as well, so that none is repeated, and their answers are null.
     *
     * @param id the task
     * @return the outcome
     * @throws TaskNotFound if there is no such task, or its data is no longer stored
     */
    public Erasure erase(TaskId id) {
        Operated answer = store.operate(List.of(new Operation.Erase(Limits.notNull("task id", id))))
                .getFirst();
        return switch (answer) {
            case APPLIED -> Erasure.ERASED;
            case HELD -> Erasure.OPEN;
            case NOT_FOUND -> throw notFound(id);
            default -> throw new IllegalStateException("An erasure was answered with " + answer);
        };
    }

    // ---- keys

    /**
     * Looks up a key.
     *
     * @param identity the identity of the key
     * @return its record and its tasks
     */
    public KeyView key(Identity identity) {
        Limits.notNull("identity", identity);
        return new KeyView(
                store.record(identity).orElse(null),
                store.list(TaskQuery.of(identity, TaskQuery.MAX_LIMIT)).tasks());
    }

    /** The outcome of a request to release a key. */
    public enum Release {
        /** The key is released: the next submission creates a new task. */
        RELEASED,
        /** Its task is still open and holds the key. */
        HELD,
        /** There is no record of the key: it is free already. */
        FREE
    }

    /**
     * Releases a key whose task has ended, so that the next submission creates a new task.
     *
     * @param identity the identity of the key
     * @return the outcome
     */
    public Release release(Identity identity) {
        Limits.notNull("identity", identity);
        // Another submission may take the key in between. Then the new holder is looked up, a bounded number of times.
        for (int tries = 0; tries < 10; tries++) {
            Optional<KeyRecord> record = store.record(identity);
            if (record.isEmpty()) {
                return Release.FREE;
            }
            switch (one(new Operation.ReleaseKey(identity, record.get().taskId()))) {
                case APPLIED -> {
                    return Release.RELEASED;
                }
                case HELD -> {
                    return Release.HELD;
                }
                case NOT_FOUND -> {
                    return Release.FREE;
                }
                case SUPERSEDED, STALE, CANCEL_REQUESTED, CIRCLE -> {}
            }
        }
        return Release.HELD;
    }

    // ---- queues

    /**
     * Looks up all queues that have settings or tasks.
     *
     * @return the queues, sorted by name
     */
    public List<QueueView> queues() {
        Map<String, QueueSetUp> setUps = store.queues();
        Map<String, QueueDepth> depths = store.depths();
        Map<String, QueueView> views = new TreeMap<>();
        QueueDepth none = QueueDepth.EMPTY;
        setUps.forEach((name, setUp) -> views.put(name, new QueueView(name, setUp, depths.getOrDefault(name, none))));
        // A store may count zero tasks for a queue that had some once.
        depths.forEach((name, depth) -> {
            if (!depth.equals(none)) {
                views.putIfAbsent(name, new QueueView(name, QueueSetUp.NONE, depth));
            }
        });
        return List.copyOf(views.values());
    }

    /**
     * Looks up the queues that have open tasks or dead letters of one tenant. Only that tenant's tasks are counted; the
     * settings are those of the queue, which all its tenants share.
     *
     * @param tenant the tenant
     * @return the queues, sorted by name
     */
    public List<QueueView> queues(String tenant) {
        Map<String, QueueDepth> depths = new TreeMap<>(store.depths(Limits.name("tenant", tenant)));
        depths.values().removeIf(QueueDepth.EMPTY::equals);
        Map<String, QueueSetUp> setUps = store.queues(depths.keySet());
        return depths.entrySet().stream()
                .map(depth -> new QueueView(
                        depth.getKey(), setUps.getOrDefault(depth.getKey(), QueueSetUp.NONE), depth.getValue()))
                .toList();
    }

    /**
     * Changes settings of a queue at run time, for all processes. They override code and configuration.
     *
     * @param queue the queue
     * @param changes the changes; settings that are not given keep their value
     * @throws InvalidInput if the queue would get its own dead letters back
     */
    public void set(String queue, QueueSettings changes) {
        change(
                queue,
                new Operation.SetQueue(Limits.name("queue", queue), Limits.notNull("settings of a queue", changes)));
    }

    /**
     * Removes all settings that were made at run time, including a pause. The settings of code and configuration apply
     * again.
     *
     * @param queue the queue
     * @throws InvalidInput if the queue would get its own dead letters back
     */
    public void reset(String queue) {
        change(queue, new Operation.ResetQueue(Limits.name("queue", queue)));
    }

    /**
     * Removes all settings of a queue: those made at run time, and those that code and configuration declared. A queue
     * without tasks is then no longer listed. A program that declares settings of it does so again when it is next built.
     *
     * @param queue the queue
     */
    public void forget(String queue) {
        Limits.name("queue", queue);
        List<Operated> unused = store.operate(
                List.of(new Operation.DeclareQueue(queue, QueueSettings.NONE), new Operation.ResetQueue(queue)));
    }

    /**
     * Pauses a queue: none of its tasks is claimed until it is resumed. Running tasks continue.
     *
     * @param queue the queue
     */
    public void pause(String queue) {
        set(queue, QueueSettings.builder().paused(true).build());
    }

    /**
     * Resumes a paused queue.
     *
     * @param queue the queue
     */
    public void resume(String queue) {
        set(queue, QueueSettings.builder().paused(false).build());
    }

    private void change(String queue, Operation.OfQueue move) {
        if (one(move) == Operated.CIRCLE) {
            throw QueueDeclarer.circle(queue, QueueDeclarer.NOTHING_CHANGED);
        }
    }

    // ---- cleaning

    /**
     * Deletes tasks and records that have outlived their retention or their window, and waits until that is done. If
     * this instance is cleaning in the background, the method returns immediately and reports that there is more.
     *
     * @param progress called after every step with what was deleted so far
     * @return what was deleted
     */
    public Swept clean(Consumer<Swept> progress) {
        return cleaner.clean(Limits.notNull("listener", progress));
    }

    /**
     * A listener for the outcomes of an operation on several tasks.
     *
     * @param <T> the class of the outcome
     */
    @FunctionalInterface
    public interface Progress<T> {

        /**
         * Reports the outcome of one task.
         *
         * @param task the task as it was before
         * @param outcome the outcome
         */
        void done(Task task, T outcome);
    }

    private Task find(TaskId id) {
        Task task = store.find(List.of(Limits.notNull("task id", id))).get(id);
        if (task == null) {
            throw notFound(id);
        }
        return task;
    }

    private Operated one(Operation move) {
        return store.operate(List.of(move)).getFirst();
    }

    private static TaskNotFound notFound(TaskId id) {
        return new TaskNotFound("There is no task " + id + ", or its data is no longer stored.", id);
    }
}
