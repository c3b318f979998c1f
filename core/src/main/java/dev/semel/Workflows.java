package dev.semel;

import dev.semel.observe.Span;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Signalled;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskAlreadyFinished;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.CodeVersions;
import dev.semel.workflow.WorkflowNotFound;
import dev.semel.workflow.WorkflowSignals;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Operations on workflows, which are named by their type and the id that they were started with. */
public final class Workflows {

    // How often a signal follows a workflow that ends and is run again while the signal is on its way.
    private static final int MOST_RUNS = 5;

    // How many histories are in memory at once; each may have 64 MiB.
    private static final int HISTORIES = 10;

    private static final Set<TaskState> OPEN =
            Stream.of(TaskState.values()).filter(TaskState::isOpen).collect(Collectors.toUnmodifiableSet());

    private final Semel semel;
    private final TaskStore store;
    private final String tenant;

    Workflows(Semel semel, TaskStore store, String tenant) {
        this.semel = semel;
        this.store = store;
        this.tenant = tenant;
    }

    /**
     * Sends a signal to a workflow. It is kept until the workflow's code asks for it, also if that is later. If no answer arrives, it
     * is not known whether it was accepted; give a key to repeat it safely.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param name the name of the signal
     * @param value what it carries, or null
     * @throws WorkflowNotFound if there is no such workflow
     * @throws TaskAlreadyFinished if the workflow has ended
     */
    public void signal(WorkflowType<?, ?> type, String id, String name, @Nullable Object value) {
        signal(type, id, name, value, semel.newId().toString());
    }

    /**
     * Sends a signal to a workflow, once for each key. A key that an earlier run of the workflow has accepted is not delivered to a
     * later one, as long as the earlier run is stored: then it is the same signal, whose answer was lost.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param name the name of the signal
     * @param value what it carries, or null
     * @param key the key of the signal: another one with the same key is accepted and changes nothing
     * @throws WorkflowNotFound if there is no such workflow
     * @throws TaskAlreadyFinished if the workflow has ended
     */
    public void signal(WorkflowType<?, ?> type, String id, String name, @Nullable Object value, String key) {
        checkSignal(name, key);
        String document = value == null ? null : semel.codec().encode(value);
        String typeName = Limits.notNull("workflow type", type).name();
        Span span = semel.tracer().beginSignal(typeName, () -> taskId(type, id), name);
        try {
            TaskId unused = send(type, id, key, name, document);
        } catch (RuntimeException e) {
            semel.tracer().failed(span, e);
            throw e;
        }
        span.end("accepted", null);
    }

    /**
     * Starts a workflow unless there is an open one with its id, and sends it a signal, in one step: neither is done without the other.
     *
     * @param request the start, as {@link Semel#submit(WorkflowType, String, Object)} prepares it
     * @param name the name of the signal
     * @param value what it carries, or null
     * @param key the key of the signal: another one with the same key is accepted and changes nothing
     * @param <O> the class of the workflow's result
     * @return the answer to the start
     * @throws TaskAlreadyFinished if the workflow has ended and the policy of its type does not run it again; nothing was changed
     * @throws dev.semel.task.IdempotencyConflict if the id was used with a different input; nothing was changed
     */
    public <O extends @Nullable Object> Submission<O> signalWithStart(
            SubmissionRequest<?, O> request, String name, @Nullable Object value, String key) {
        Limits.notNull("request", request);
        checkSignal(name, key);
        String document = value == null ? null : semel.codec().encode(value);
        Submission<O> answer = new Sender(
                        semel,
                        task -> signalled(task, new SubmitRequest.SignalWithStart(task, key, name, document)),
                        tasks -> {
                            throw new IllegalStateException("One workflow is started with one signal");
                        },
                        false)
                .send(request);
        if (!answer.created() && !answer.state().isOpen()) {
            throw new TaskAlreadyFinished(
                    "The workflow (task " + answer.taskId() + ") ended as "
                            + answer.state().word() + ", so it receives no signals.",
                    answer.taskId(),
                    answer.state(),
                    answer.createdAt());
        }
        return answer;
    }

    /**
     * Asks a running workflow and waits for its answer, which its code gives by {@link dev.semel.workflow.Flow#onAsk}. A question is decided once:
     * asked again with the same key, after a lost answer or a time-out too, it gets the same answer, for as long as the workflow is stored. One that
     * continues as new keeps the newest 1,000 answers and keys of signals, and at most 4 MiB of answers.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param name the name of the question
     * @param value what it carries, or null
     * @param answer the class of the answer
     * @param key the key of the question
     * @param timeout how long to wait; the question stays, and can be asked again with the same key
     * @param <A> the class of the answer
     * @return the answer; empty if it is null
     * @throws WorkflowNotFound if there is no such workflow
     * @throws TaskAlreadyFinished if the workflow has ended, and has not answered before
     * @throws dev.semel.workflow.AskRejected if the workflow rejects the question
     * @throws dev.semel.task.ResultNotReady if there is no answer in time, or this thread is interrupted
     */
    public <A> Optional<A> ask(
            WorkflowType<?, ?> type,
            String id,
            String name,
            @Nullable Object value,
            Class<A> answer,
            String key,
            Duration timeout) {
        checkSignal(name, key);
        Limits.notNull("class", answer);
        Limits.duration("timeout", Limits.notNull("timeout", timeout));
        String document = value == null ? null : semel.codec().encode(value);
        TaskId task = send(type, id, key, WorkflowSignals.ASK + name, document);
        return new Asker(store, task, key)
                .await(timeout)
                .map(text -> semel.codec().decode(text, answer));
    }

    private Submitted signalled(NewTask task, SubmitRequest.SignalWithStart start) {
        Submitted answer = store.submit(List.of(start)).getFirst();
        if (answer == Signalled.FULL) {
            throw full(Limits.shown(Objects.requireNonNull(task.key(), "a workflow has a key")
                    .identity()
                    .key()));
        }
        return answer;
    }

    private static InvalidInput full(String id) {
        return new InvalidInput("Workflow \"" + id + "\" has a history of " + Limits.HISTORY_LINES
                + " lines, which is the limit, so it receives no signals.");
    }

    private static void checkSignal(String name, String key) {
        Limits.name("signal", Limits.notNull("signal name", name));
        if (Limits.key(Limits.notNull("signal key", key)).startsWith(WorkflowSignals.RESERVED)) {
            throw new InvalidInput("The key of a signal does not begin with \"" + WorkflowSignals.RESERVED
                    + "\", but got \"" + Limits.shown(key) + "\". Choose another key.");
        }
    }

    /**
     * Requests the cancellation of a workflow. Its steps are cancelled first, unless another workflow waits for them too; then its
     * code is notified, and may clean up.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @throws WorkflowNotFound if there is no such workflow
     * @throws TaskAlreadyFinished if the workflow has ended
     */
    public void cancel(WorkflowType<?, ?> type, String id) {
        TaskId unused = send(type, id, WorkflowSignals.CANCEL_KEY, WorkflowSignals.CANCEL, null);
    }

    /**
     * Tries a workflow again at once that has stopped because its code does not fit its history.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @throws WorkflowNotFound if there is no such workflow
     * @throws TaskAlreadyFinished if the workflow has ended
     */
    public void resume(WorkflowType<?, ?> type, String id) {
        TaskId unused = send(type, id, WorkflowSignals.RESERVED + semel.newId(), WorkflowSignals.RESUME, null);
    }

    /**
     * Ends a workflow without running its code. Its steps go on. If its code runs at this moment, the workflow ends as soon as that
     * does.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @return whether it ended now, will end, or had ended before
     * @throws WorkflowNotFound if there is no such workflow
     */
    public Operations.Cancellation terminate(WorkflowType<?, ?> type, String id) {
        return semel.operations().cancel(taskId(type, id));
    }

    /** The outcome of a request to restart a workflow. */
    public enum Restarting {
        /** A new generation of its history has begun, and it runs again as the same task. */
        RESTARTED,
        /** Nothing was changed: its code runs at this moment, it has not begun, or it waits for a person or another task. Try again later. */
        RUNS,
        /** Nothing was changed: a newer task has its id. */
        SUPERSEDED,
        /** Nothing was changed: its history has changed since the preview, or its data is no longer stored. Preview it again. */
        CHANGED
    }

    /**
     * Previews a restart from the first step without success, without changing anything.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @return which steps are read back, and which run again
     * @throws WorkflowNotFound if there is no such workflow
     */
    public RestartPreview previewRestart(WorkflowType<?, ?> type, String id) {
        KeyRecord record = record(type, id);
        return RestartPreview.of(store, record.taskId(), record.lineage(), null);
    }

    /**
     * Previews a restart from a line, without changing anything.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param from the first line of its history that is not kept; 0 also runs the local steps again that are before the first line
     * @return which steps are read back, and which run again
     * @throws WorkflowNotFound if there is no such workflow
     * @throws InvalidInput if its history has no such line
     */
    public RestartPreview previewRestart(WorkflowType<?, ?> type, String id, int from) {
        KeyRecord record = record(type, id);
        return RestartPreview.of(store, record.taskId(), record.lineage(), from);
    }

    /**
     * Restarts a workflow, whether or not it has ended: the same task runs again. What its code did before a line is kept and not done again;
     * from there on it does everything anew. Steps that are not kept and still open are cancelled, unless they have a key. Signals are kept.
     *
     * @param preview what a preview has shown; it fences off a history that has changed since
     * @return the outcome
     */
    public Restarting restart(RestartPreview preview) {
        return switch (new Restarter(store).restart(Limits.notNull("preview", preview))) {
            case APPLIED -> Restarting.RESTARTED;
            case HELD -> Restarting.RUNS;
            case SUPERSEDED -> Restarting.SUPERSEDED;
            case STALE, NOT_FOUND, CANCEL_REQUESTED, CIRCLE -> Restarting.CHANGED;
        };
    }

    /**
     * Reads the history of a workflow: what its code did, and what happened to it.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @return the history
     * @throws WorkflowNotFound if there is no such workflow
     */
    public History history(WorkflowType<?, ?> type, String id) {
        TaskId task = taskId(type, id);
        return Objects.requireNonNull(
                store.histories(List.of(History.Query.whole(task))).get(task), "every query is answered");
    }

    /**
     * Reads a value that a workflow has published.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param name the name of the value
     * @param of its class
     * @param <T> its class
     * @return the newest value; empty if there is none, or it is null
     * @throws WorkflowNotFound if there is no such workflow
     */
    public <T> Optional<T> published(WorkflowType<?, ?> type, String id, String name, Class<T> of) {
        Limits.notNull("name", name);
        Limits.notNull("class", of);
        return history(type, id).lines().reversed().stream()
                .filter(line ->
                        line.kind() == HistoryLine.Kind.PUBLISHED && line.name().equals(name))
                .findFirst()
                .map(HistoryLine::document)
                .map(document -> semel.codec().decode(document, of));
    }

    /**
     * Lists open workflows that may still need old code: they have recorded no version of a part of the code ({@link
     * dev.semel.workflow.Flow#version}), or an earlier one. One that has recorded none went past the part with code that did not have it, or has not
     * come to it yet. If there are none, the code before that version can be removed.
     *
     * @param type the workflow type
     * @param part the name of the part
     * @param version the version that no longer needs the old code, from 1
     * @param limit the maximum number of workflows
     * @return their tasks, newest first
     */
    public List<Task> outdated(WorkflowType<?, ?> type, String part, int version, int limit) {
        Limits.notNull("workflow type", type);
        Limits.name("version", Limits.notNull("version name", part));
        if (version < 1 || limit < 1) {
            throw new InvalidInput("A version and a limit are at least 1, but got version \"" + version
                    + "\" and limit \"" + limit + "\".");
        }
        List<Task> outdated = new ArrayList<>();
        TaskId before = null;
        do {
            Page page = store.list(new TaskQuery(tenant, null, type.name(), OPEN, null, before, HISTORIES));
            Map<TaskId, History> histories = store.histories(page.tasks().stream()
                    .map(task -> History.Query.whole(task.id()))
                    .toList());
            for (Task task : page.tasks()) {
                History history = Objects.requireNonNull(histories.get(task.id()), "every query is answered");
                if (CodeVersions.recorded(history, part) < version) {
                    outdated.add(task);
                }
            }
            before = page.next();
        } while (before != null && outdated.size() < limit);
        return List.copyOf(outdated.subList(0, Math.min(limit, outdated.size())));
    }

    /**
     * Returns the handle of a workflow, to wait for its result.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @param <O> the class of its result
     * @return the handle
     * @throws WorkflowNotFound if there is no such workflow
     */
    public <O extends @Nullable Object> TaskHandle<O> handle(WorkflowType<?, O> type, String id) {
        TaskId task = taskId(type, id);
        return semel.handle(type.taskType(), task);
    }

    /**
     * Returns the task of a workflow.
     *
     * @param type the workflow type
     * @param id the id of the workflow
     * @return the id of its task
     * @throws WorkflowNotFound if there is no such workflow
     */
    public TaskId taskId(WorkflowType<?, ?> type, String id) {
        return record(type, id).taskId();
    }

    private KeyRecord record(WorkflowType<?, ?> type, String id) {
        TaskType<?, ?> task = Limits.notNull("workflow type", type).taskType();
        String key = Limits.key(Limits.notNull("workflow id", id));
        Identity identity = Identity.of(tenant, task.scope(), task.queue(), task.name(), key);
        return store.record(identity)
                .orElseThrow(() -> new WorkflowNotFound(
                        "There is no workflow \"" + Limits.shown(id) + "\" of type \"" + type.name() + "\".", id));
    }

    /** Sends an entry for the inbox, to a newer run of the workflow if the one that was found has ended meanwhile. */
    private TaskId send(WorkflowType<?, ?> type, String id, String key, String name, @Nullable String document) {
        KeyRecord record = record(type, id);
        for (int run = 1; ; run++) {
            Submitted answer = store.submit(List.of(new SubmitRequest.Signal(record.taskId(), key, name, document)))
                    .getFirst();
            KeyRecord next = answer == Signalled.ACCEPTED ? record : record(type, id);
            if (next.taskId().equals(record.taskId()) || run == MOST_RUNS) {
                require((Signalled) answer, record, id);
                return record.taskId();
            }
            record = next;
        }
    }

    private static void require(Signalled answer, KeyRecord record, String id) {
        switch (answer) {
            case ACCEPTED -> {}
            case ENDED, NOT_FOUND -> {
                // Null if the workflow was open when its record was read, and has ended since.
                Instant ended = record.finishedAt();
                String how = ended == null
                        ? "has ended"
                        : "ended as " + record.state().word() + " at " + ended;
                throw new TaskAlreadyFinished(
                        "Workflow \"" + Limits.shown(id) + "\" (task " + record.taskId() + ") " + how
                                + ", so it receives no signals.",
                        record.taskId(),
                        record.state(),
                        ended == null ? record.createdAt() : ended);
            }
            case FULL -> throw full(Limits.shown(id));
        }
    }
}
