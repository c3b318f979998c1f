package dev.semel;

import dev.semel.engine.Cleaner;
import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.EffectRecord;
import dev.semel.store.KeyRecord;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What people do to tasks, keys and queues that are there: look, cancel, redrive, release, pause, set. Everything here may be
 * repeated, and does nothing the second time.
 */
public final class Operations {

    private static final Set<TaskState> OPEN = Set.of(TaskState.PENDING, TaskState.RUNNING, TaskState.WAITING);
    private static final Set<TaskState> DEAD = Set.of(TaskState.FAILED, TaskState.TIMED_OUT);

    private final TaskStore store;
    private final Cleaner cleaner;
    private final Explainer explainer;

    Operations(TaskStore store, Cleaner cleaner, Explainer explainer) {
        this.store = store;
        this.cleaner = cleaner;
        this.explainer = explainer;
    }

    /** What became of the wish to cancel a task. */
    public enum Cancellation {
        /** It has ended as cancelled, now or before. */
        CANCELLED,
        /** It runs and was asked: it stays open and keeps its key until its handler ends or its lease runs out. */
        ASKED,
        /** It had ended another way before. */
        ENDED
    }

    /** What became of the wish to redrive a task. */
    public enum Redriving {
        /** It is pending again under a fresh budget, as the same task: by this wish, or by another at the same time. */
        REDRIVEN,
        /** A newer task holds its key; nothing changed. */
        SUPERSEDED,
        /** It is no dead letter, or was redriven since it was looked at; nothing changed. */
        NOT_DEAD
    }

    /**
     * What a redrive would do with a dead letter.
     *
     * @param task the dead letter: what would run
     * @param attempts the attempts that it had, oldest first
     * @param effects the effects of its lineage: those that are done will not run again, those that are unknown will be dealt
     *     with as their handler says, or will not run again if their provider's window has passed
     * @param supersededBy the newer task that holds its key, so that a redrive would change nothing; null if it would run
     */
    public record Outlook(
            Task task,
            List<Attempt> attempts,
            List<EffectRecord> effects,
            @Nullable TaskId supersededBy) {}

    /**
     * A queue, as people look at it.
     *
     * @param name its name
     * @param setUp its settings, in both layers
     * @param depth its tasks
     */
    public record QueueView(String name, QueueSetUp setUp, QueueDepth depth) {}

    /**
     * A key, as people look at it.
     *
     * @param record its record, or null if there is none, because nobody used it or because it was released or cleaned away
     * @param tasks the tasks that were made under it and are still stored, newest first, at most a thousand
     */
    public record KeyView(@Nullable KeyRecord record, List<Task> tasks) {}

    // ---- tasks

    /**
     * Cancels a task. One that is pending or waiting ends at once; one that runs is asked to.
     *
     * @param id the task
     * @return what became of it
     * @throws TaskNotFound if there is no such task
     */
    public Cancellation cancel(TaskId id) {
        return cancellation(id, one(new Transition.Cancel(id)));
    }

    /**
     * Cancels all open tasks that a filter lets pass.
     *
     * @param filter which ones; pending, running and waiting ones if it names no states
     * @param each told of each task and what became of it
     */
    public void cancelAll(TaskQuery filter, Progress<Cancellation> each) {
        pages(filter, OPEN, tasks -> {
            List<Transition> moves = new ArrayList<>();
            tasks.forEach(task -> moves.add(new Transition.Cancel(task.id())));
            List<Applied> answers = store.apply(moves);
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) != Applied.NOT_FOUND) {
                    each.done(tasks.get(i), cancellation(tasks.get(i).id(), answers.get(i)));
                }
            }
        });
    }

    /**
     * Lists the open tasks that {@link #cancelAll} would cancel.
     *
     * @param filter which ones; pending, running and waiting ones if it names no states
     * @param each told of each task
     */
    public void previewCancelAll(TaskQuery filter, Consumer<Task> each) {
        pages(filter, OPEN, tasks -> tasks.forEach(each));
    }

    /**
     * Says how a task came to be what it is, and what its key would do now.
     *
     * @param id the task
     * @return the explanation
     * @throws TaskNotFound if there is no such task
     */
    public Explanation explain(TaskId id) {
        return explainer.explain(id);
    }

    private static Cancellation cancellation(TaskId id, Applied answer) {
        return switch (answer) {
            case APPLIED -> Cancellation.CANCELLED;
            case CANCEL_REQUESTED -> Cancellation.ASKED;
            case STALE, SUPERSEDED, HELD, SETTLED, TOO_LATE, CIRCLE -> Cancellation.ENDED;
            case NOT_FOUND -> throw notFound(id);
        };
    }

    // ---- dead letters

    /**
     * Lists dead letters, newest first.
     *
     * @param filter which ones; failed and timed out ones if it names no states
     * @return a page of them
     */
    public Page deadLetters(TaskQuery filter) {
        return store.list(in(filter, DEAD));
    }

    /**
     * Makes a dead letter run again, as the same task under a fresh budget.
     *
     * @param id the task
     * @return what became of it
     * @throws TaskNotFound if there is no such task
     */
    public Redriving redrive(TaskId id) {
        Task task = find(id);
        return task.state().isDead()
                ? redriving(one(new Transition.Redrive(id, task.progress().attempt())))
                : Redriving.NOT_DEAD;
    }

    /**
     * Redrives all dead letters that a filter lets pass.
     *
     * @param filter which ones; failed and timed out ones if it names no states
     * @param each told of each task and what became of it
     */
    public void redriveAll(TaskQuery filter, Progress<Redriving> each) {
        pages(filter, DEAD, tasks -> {
            List<Transition> moves = new ArrayList<>();
            tasks.forEach(task ->
                    moves.add(new Transition.Redrive(task.id(), task.progress().attempt())));
            List<Applied> answers = store.apply(moves);
            for (int i = 0; i < answers.size(); i++) {
                each.done(tasks.get(i), redriving(answers.get(i)));
            }
        });
    }

    /**
     * Says what {@link #redriveAll} would do, without doing it.
     *
     * @param filter which ones; failed and timed out ones if it names no states
     * @param each told of each task
     */
    public void previewRedriveAll(TaskQuery filter, Consumer<Outlook> each) {
        Map<Identity, TaskId> promised = new HashMap<>();
        pages(filter, DEAD, tasks -> outlooks(tasks, promised).forEach(each));
    }

    /**
     * Says what {@link #redrive} would do, without doing it.
     *
     * @param id the task
     * @return the outlook; empty if the task is no dead letter
     * @throws TaskNotFound if there is no such task
     */
    public Optional<Outlook> previewRedrive(TaskId id) {
        Task task = find(id);
        return task.state().isDead()
                ? Optional.of(outlooks(List.of(task), new HashMap<>()).getFirst())
                : Optional.empty();
    }

    /** The keys that were promised to a task before are no longer free for another one. */
    private List<Outlook> outlooks(List<Task> dead, Map<Identity, TaskId> promised) {
        Map<Identity, KeyRecord> records = store.records(dead.stream()
                .map(Task::identity)
                .filter(identity -> identity != null)
                .distinct()
                .toList());
        Map<TaskId, List<Attempt>> attempts =
                store.attempts(dead.stream().map(Task::id).toList());
        Map<TaskId, List<EffectRecord>> effects =
                store.effects(dead.stream().map(Task::lineage).distinct().toList());
        List<Outlook> outlooks = new ArrayList<>();
        for (Task task : dead) {
            Identity identity = task.identity();
            TaskId newer = identity == null ? null : promised.get(identity);
            newer = newer != null ? newer : newer(task, records);
            if (identity != null && newer == null) {
                promised.put(identity, task.id());
            }
            outlooks.add(new Outlook(
                    task,
                    attempts.getOrDefault(task.id(), List.of()),
                    effects.getOrDefault(task.lineage(), List.of()),
                    newer));
        }
        return outlooks;
    }

    private @Nullable TaskId newer(Task dead, Map<Identity, KeyRecord> records) {
        Identity identity = dead.identity();
        if (identity == null) {
            return null;
        }
        KeyRecord record = records.get(identity);
        if (record != null
                && !record.taskId().equals(dead.id())
                && (record.state().isOpen() || !record.windowPassed())) {
            return record.taskId();
        }
        // One that was replaced and still runs has lost the key, and two of one key never run at the same time.
        List<Task> open = store.list(in(TaskQuery.of(identity, 1), OPEN)).tasks();
        return open.isEmpty() ? null : open.getFirst().id();
    }

    private static Redriving redriving(Applied answer) {
        return switch (answer) {
            case APPLIED -> Redriving.REDRIVEN;
            case SUPERSEDED -> Redriving.SUPERSEDED;
            case STALE, NOT_FOUND, HELD, CANCEL_REQUESTED, SETTLED, TOO_LATE, CIRCLE -> Redriving.NOT_DEAD;
        };
    }

    // ---- keys

    /**
     * Looks at a key.
     *
     * @param identity tenant, scope and key
     * @return its record and its tasks
     */
    public KeyView key(Identity identity) {
        return new KeyView(
                store.record(identity).orElse(null),
                store.list(TaskQuery.of(identity, TaskQuery.MAX_LIMIT)).tasks());
    }

    /** What became of the wish to release a key. */
    public enum Release {
        /** The next submission makes a new task. */
        RELEASED,
        /** Its task is still open, so the key stays. */
        HELD,
        /** There is no record of it: it is free already. */
        FREE
    }

    /**
     * Frees a key whose task has ended, so that the next submission makes a new task.
     *
     * @param identity tenant, scope and key
     * @return what became of it
     */
    public Release release(Identity identity) {
        // Somebody else may take the key in between; then the new holder is looked at, a few times at the most.
        for (int tries = 0; tries < 10; tries++) {
            Optional<KeyRecord> record = store.record(identity);
            if (record.isEmpty()) {
                return Release.FREE;
            }
            switch (one(new Transition.ReleaseKey(identity, record.get().taskId()))) {
                case APPLIED -> {
                    return Release.RELEASED;
                }
                case HELD -> {
                    return Release.HELD;
                }
                case NOT_FOUND -> {
                    return Release.FREE;
                }
                case SUPERSEDED, STALE, CANCEL_REQUESTED, SETTLED, TOO_LATE, CIRCLE -> {}
            }
        }
        return Release.HELD;
    }

    // ---- queues

    /**
     * Looks at all queues that have settings or tasks.
     *
     * @return the queues in order of their names
     */
    public List<QueueView> queues() {
        Map<String, QueueSetUp> setUps = store.queues();
        Map<String, QueueDepth> depths = store.depths();
        Map<String, QueueView> views = new TreeMap<>();
        QueueDepth none = new QueueDepth(0, 0, 0, 0, 0, null);
        setUps.forEach((name, setUp) -> views.put(name, new QueueView(name, setUp, depths.getOrDefault(name, none))));
        depths.forEach((name, depth) -> views.putIfAbsent(name, new QueueView(name, QueueSetUp.NONE, depth)));
        return List.copyOf(views.values());
    }

    /**
     * Changes settings of a queue from now on, for all programs; it wins over code and configuration.
     *
     * @param queue the queue
     * @param changes what to change; where it says nothing, what was set before stays
     * @throws InvalidInput if the queue would get its own dead letters back
     */
    public void set(String queue, QueueSettings changes) {
        change(queue, new Transition.SetQueue(queue, changes));
    }

    /**
     * Forgets what was set at run time, a pause included: the queue is as code and configuration say.
     *
     * @param queue the queue
     * @throws InvalidInput if the queue would get its own dead letters back
     */
    public void reset(String queue) {
        change(queue, new Transition.ResetQueue(queue));
    }

    /**
     * Lets no task of a queue be claimed until it is resumed. What runs goes on.
     *
     * @param queue the queue
     */
    public void pause(String queue) {
        set(queue, QueueSettings.builder().paused(true).build());
    }

    /**
     * Ends a pause.
     *
     * @param queue the queue
     */
    public void resume(String queue) {
        set(queue, QueueSettings.builder().paused(false).build());
    }

    private void change(String queue, Transition.OfQueue move) {
        if (one(move) == Applied.CIRCLE) {
            throw Declarations.circle(queue, Declarations.NOTHING_CHANGED);
        }
    }

    // ---- cleaning

    /**
     * Removes now what has outlived its retention or its window, and waits for the end of it. If this instance cleans in
     * the background at the moment, it returns at once and says that there is more.
     *
     * @param progress told after every step what went so far
     * @return what went
     */
    public Swept clean(Consumer<Swept> progress) {
        return cleaner.clean(progress);
    }

    /**
     * Hears what became of each task of many.
     *
     * @param <T> the class of what becomes of one
     */
    @FunctionalInterface
    public interface Progress<T> {

        /**
         * One more is done.
         *
         * @param task the task as it was before
         * @param outcome what became of it
         */
        void done(Task task, T outcome);
    }

    private Task find(TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw notFound(id);
        }
        return task;
    }

    private Applied one(Transition move) {
        return store.apply(List.of(move)).getFirst();
    }

    private static TaskNotFound notFound(TaskId id) {
        return new TaskNotFound("There is no task " + id + ", or its data is no longer stored.", id);
    }

    /** The filter, for those of its states that are meant; for all that are meant, if it names none. */
    private static TaskQuery in(TaskQuery filter, Set<TaskState> meant) {
        if (!meant.containsAll(filter.states())) {
            throw new InvalidInput("The states here are among "
                    + meant.stream().map(TaskState::word).sorted().collect(Collectors.joining(", ")) + ", but got "
                    + filter.states().stream().map(TaskState::word).sorted().collect(Collectors.joining(", "))
                    + ". Leave the others out.");
        }
        return new TaskQuery(
                filter.tenant(),
                filter.queue(),
                filter.type(),
                filter.states().isEmpty() ? meant : filter.states(),
                filter.identity(),
                filter.before(),
                filter.limit());
    }

    /** Goes through all tasks of a filter, page by page. */
    private void pages(TaskQuery filter, Set<TaskState> states, Consumer<List<Task>> each) {
        TaskQuery query = in(filter, states);
        TaskId next;
        do {
            Page page = store.list(query);
            if (!page.tasks().isEmpty()) {
                each.accept(page.tasks());
            }
            next = page.next();
            query = next == null ? query : query.after(next);
        } while (next != null);
    }
}
