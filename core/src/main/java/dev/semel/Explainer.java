package dev.semel;

import dev.semel.Explanation.Difference;
import dev.semel.Explanation.Outcome;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Decision;
import dev.semel.task.Identity;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An explainer of decisions. It predicts the outcome of a submission without sending it, with the same function that
 * stores use.
 */
final class Explainer {

    private static final Pattern MADE_KEY = Pattern.compile("(strict|contextual):sha256:[0-9a-f]{64}:.+");

    private final TaskStore store;
    private final ReusePolicy standard;

    Explainer(TaskStore store, ReusePolicy standard) {
        this.store = store;
        this.standard = standard;
    }

    /** Explains what a submission would do. */
    Explanation explain(SubmissionRequest<?, ?> request) {
        NewTask task = request.preview();
        NewTask.KeyRequest key = task.key();
        boolean sent = store.find(List.of(task.id())).containsKey(task.id());
        String strategy = request.keyGiven() ? "given" : request.strategy().word();
        if (key == null) {
            return new Explanation(
                    task.id(),
                    task.type(),
                    task.queue(),
                    null,
                    strategy,
                    null,
                    null,
                    null,
                    null,
                    null,
                    sent ? Outcome.REPEAT : Outcome.CREATE,
                    List.of());
        }
        KeyRecord record = store.record(key.identity()).orElse(null);
        Difference difference = record == null ? null : difference(request, task, key, record);
        boolean repeated = sent || (record != null && record.taskId().equals(task.id()));
        Decision decision = decide(record, new Decision.Request(task.type(), key.inputHash()), key.policy());
        return new Explanation(
                task.id(),
                task.type(),
                task.queue(),
                key.identity(),
                strategy,
                key.inputHash(),
                record,
                difference,
                key.policy(),
                repeated ? null : rule(decision, record, key.policy()),
                repeated ? Outcome.REPEAT : outcome(decision),
                List.of());
    }

    private Difference difference(
            SubmissionRequest<?, ?> request, NewTask task, NewTask.KeyRequest key, KeyRecord record) {
        boolean sameInput = record.inputHash().equals(key.inputHash());
        Task first = sameInput ? null : store.find(List.of(record.taskId())).get(record.taskId());
        String input = first == null ? null : first.input();
        return new Difference(
                record.type().equals(task.type()),
                sameInput,
                input == null ? List.of() : request.differingPaths(input, task.input()));
    }

    /** Explains the state of a task, and what a submission with its key would do now. */
    Explanation explain(TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw new TaskNotFound("There is no task " + id + ", or its data is no longer stored.", id);
        }
        QueueSettings queue =
                store.queues().getOrDefault(task.queue(), QueueSetUp.NONE).effective();
        Identity identity = task.identity();
        List<String> remarks = new ArrayList<>(remarks(task, queue));
        if (identity == null) {
            return new Explanation(
                    id,
                    task.type(),
                    task.queue(),
                    null,
                    "always_unique",
                    null,
                    null,
                    null,
                    null,
                    null,
                    Outcome.CREATE,
                    remarks);
        }
        remarks.add(
                task.lineage().equals(task.id())
                        ? "It is run " + task.run() + " of its key and begins a lineage of its own."
                        : "It is run " + task.run() + " of its key and continues task " + task.lineage()
                                + ", with the tokens and recorded effects of that task.");
        ReusePolicy policy = Objects.requireNonNullElse(queue.reuse(), standard);
        KeyRecord record = store.record(identity).orElse(null);
        // The hash of a task that lost its key is not stored in a readable place; the hash of its successor would
        // mislead.
        boolean holds = record != null && record.taskId().equals(id);
        if (record != null && !holds) {
            remarks.add("It no longer holds its key.");
        }
        Decision decision = record == null
                ? new Decision.Create()
                : decide(record, new Decision.Request(record.type(), record.inputHash()), policy);
        remarks.add("The following applies to a submission with the same input now, by the policy of the queue or the"
                + " instance; the task type or the submission may set another.");
        return new Explanation(
                id,
                task.type(),
                task.queue(),
                identity,
                strategyOf(identity),
                record != null && holds ? record.inputHash() : null,
                record,
                null,
                policy,
                rule(decision, record, policy),
                outcome(decision),
                remarks);
    }

    /**
     * Returns the strategy of a stored key, which is recognised by its prefix. A key of a user-defined function looks
     * like a caller's key.
     */
    private static String strategyOf(Identity identity) {
        Matcher made = MADE_KEY.matcher(identity.key());
        return made.matches() ? made.group(1) : "given";
    }

    private static List<String> remarks(Task task, QueueSettings queue) {
        List<String> remarks = new ArrayList<>();
        Task.Progress progress = task.progress();
        String what = "Task " + task.id() + " of type \"" + task.type() + "\" in queue \"" + task.queue() + "\" ";
        switch (task.state()) {
            case PENDING -> remarks.add(what + "is pending, due " + progress.dueAt() + ".");
            case RUNNING ->
                remarks.add(what + "runs its attempt " + progress.attempt() + ", with a lease until " + progress.dueAt()
                        + ".");
            case WAITING ->
                remarks.add(what + "waits"
                        + (task.options().mutex() == null
                                ? " until the task that it replaces has ended."
                                : " until no other task of its type with the same mutex runs, or the task"
                                        + " that it replaces has ended."));
            case COMPLETED, FAILED, CANCELLED, TIMED_OUT ->
                remarks.add(what + "ended as " + task.state().word() + " " + progress.finishedAt() + ", after "
                        + progress.attempt() + (progress.attempt() == 1 ? " attempt." : " attempts."));
        }
        if (task.state().isOpen() && progress.cancelRequested()) {
            remarks.add("Its cancellation was requested: it ends when its handler ends, or when its lease expires.");
        }
        if (task.state() == TaskState.PENDING && queue.isPaused()) {
            remarks.add("Its queue is paused.");
        }
        if (task.state() == TaskState.PENDING && queue.startLimit() != null) {
            remarks.add("Its queue starts at most " + queue.startLimit().text() + ".");
        }
        if (task.state() == TaskState.PENDING && queue.mostRunning() != Integer.MAX_VALUE) {
            remarks.add("Its queue runs at most " + queue.mostRunning() + " tasks at once.");
        }
        return remarks;
    }

    private static Decision decide(@Nullable KeyRecord record, Decision.Request request, ReusePolicy policy) {
        Decision.Existing existing = record == null
                ? null
                : new Decision.Existing(
                        record.type(), record.inputHash(), record.state(), record.run(), record.windowPassed());
        return Decision.decide(existing, request, policy);
    }

    private static Outcome outcome(Decision decision) {
        return switch (decision) {
            case Decision.Create() -> Outcome.CREATE;
            case Decision.Return(boolean differs) -> differs ? Outcome.WARN : Outcome.RETURN;
            case Decision.Reject(boolean differs) -> Outcome.REJECT;
            case Decision.Rerun(int run, boolean sameLineage) -> Outcome.RERUN;
            case Decision.Replace(int run) -> Outcome.REPLACE;
            case Decision.Conflict() -> Outcome.CONFLICT;
        };
    }

    /** Returns the cell of the policy that decided. */
    private static @Nullable String rule(Decision decision, @Nullable KeyRecord record, ReusePolicy policy) {
        if (record == null || decision instanceof Decision.Create) {
            return null;
        }
        boolean byInput = decision instanceof Decision.Conflict
                || (decision instanceof Decision.Return(boolean differs) && differs);
        if (byInput) {
            return "other_input=" + word(policy.otherInput());
        }
        Enum<?> cell = switch (record.state()) {
            case PENDING -> policy.pending();
            case RUNNING -> policy.running();
            case WAITING -> policy.waiting();
            case COMPLETED -> policy.completed();
            case FAILED -> policy.failed();
            case CANCELLED -> policy.cancelled();
            case TIMED_OUT -> policy.timedOut();
        };
        return record.state().word() + "=" + word(cell);
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
