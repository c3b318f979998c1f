package dev.semel.storetests.storm;

import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tasks in dead-letter queues that anybody saw, and who made them. No actor submits them: they are made in the step in
 * which another task dies. Their operations are checked as those of all tasks, so each needs the submission that made it.
 */
final class LetterReader {

    // Far beyond a round, so that no sweep removes the record of a letter.
    private static final Duration TTL = Duration.ofDays(30);

    private static final Span NO_TIME = new Span(0, 0, 0, 0);

    private final Span round;
    private final Map<AttemptId, StormOperation> reports = new LinkedHashMap<>();
    // Nobody reports that a time limit has passed: any claim or sweep ends the task.
    private final Map<TaskId, StormOperation> limited = new HashMap<>();
    private final Set<AttemptId> expired = new LinkedHashSet<>();
    private final Map<TaskId, Task> letters = new LinkedHashMap<>();
    private final List<StormOperation> creations = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    LetterReader(Collection<StormHistory> histories, Collection<Task> stored) {
        List<StormOperation> all = histories.stream()
                .flatMap(history -> history.operations().stream())
                .toList();
        all.forEach(this::read);
        this.round = all.stream()
                .map(StormOperation::span)
                .reduce(LetterReader::both)
                .orElse(NO_TIME);
        stored.forEach(this::saw);
        Map<AttemptId, TaskId> letterOf = new HashMap<>();
        letters.values().forEach(letter -> make(letter, letterOf));
    }

    /**
     * The attempts that a worker or an operator reported as the end of a task without success, whatever was answered, and those at
     * which somebody saw that a time limit had ended a task.
     */
    static Collection<AttemptId> deaths(Collection<StormHistory> histories) {
        LetterReader reader = new LetterReader(histories, List.of());
        Set<AttemptId> deaths = new LinkedHashSet<>(reader.reports.keySet());
        deaths.addAll(reader.expired);
        return deaths;
    }

    /** The identities that the letter of a death can have: its tenant is that of the dead task. */
    static List<Identity> identities(AttemptId death) {
        return StormPlan.TENANTS.stream()
                .map(tenant -> Identity.of(
                        tenant,
                        Scope.custom(DeadLetter.SCOPE),
                        StormQueues.LETTERS,
                        DeadLetter.TYPE,
                        death.taskId() + ":" + death.attempt()))
                .toList();
    }

    /** The submissions of the letters that were seen. */
    List<StormOperation> creations() {
        return creations;
    }

    List<String> wrong() {
        return wrong;
    }

    private void read(StormOperation operation) {
        switch (operation.action()) {
            case StormOperation.Settle settle -> {
                if (settle.settlement() instanceof Settlement.Fail fail) {
                    report(fail.lease().attemptId(), operation);
                }
            }
            case StormOperation.Operate operate -> {
                if (operate.operation() instanceof Operation.Resolve resolve
                        && resolve.resolution().verdict() == Resolution.Verdict.GIVE_UP) {
                    report(resolve.left(), operation);
                }
            }
            case StormOperation.Claim claim -> saw(claim.claimed().task());
            case StormOperation.Look look -> {
                if (look.found() != null) {
                    saw(look.found());
                }
            }
            case StormOperation.Submit submit -> {
                if (submit.item().options().limits() != null) {
                    limited.merge(submit.item().id(), operation, LetterReader::earlier);
                }
            }
            case StormOperation.LookUp lookUp -> {}
            case StormOperation.LetterLook letter -> {}
            case StormOperation.Signal signal -> {}
            case StormOperation.StepReturned returned -> {}
        }
    }

    private void report(AttemptId death, StormOperation operation) {
        reports.merge(
                death,
                operation,
                (before, now) -> now.with(both(before.span(), now.span()), now.action(), Certainty.REPEATED));
    }

    private static StormOperation earlier(StormOperation one, StormOperation other) {
        return one.span().asked() <= other.span().asked() ? one : other;
    }

    private static Span both(Span one, Span other) {
        return new Span(
                Math.min(one.asked(), other.asked()),
                Math.max(one.answered(), other.answered()),
                Math.min(one.clockAsked(), other.clockAsked()),
                Math.max(one.clockAnswered(), other.clockAnswered()));
    }

    private void saw(Task task) {
        if (task.type().equals(DeadLetter.TYPE)) {
            letters.put(task.id(), task);
        }
        if (task.state() == TaskState.TIMED_OUT && task.options().limits() != null) {
            expired.add(new AttemptId(task.id(), task.progress().attempt()));
        }
    }

    private void make(Task letter, Map<AttemptId, TaskId> letterOf) {
        AttemptId death = deathOf(letter);
        StormOperation report = death == null ? null : reportOf(death);
        Identity identity = letter.identity();
        String input = letter.input();
        if (death == null || report == null || identity == null || input == null) {
            wrong.add("a task is in a dead-letter queue, but nobody reported the death that it names: " + letter);
            return;
        }
        TaskId other = letterOf.putIfAbsent(death, letter.id());
        if (other != null) {
            wrong.add("one death was forwarded twice, as " + other + " and as " + letter);
            return;
        }
        if (!input.contains("\"task_id\":\"" + death.taskId() + "\"")
                || !input.contains("\"attempts\":" + death.attempt() + ",")) {
            wrong.add("the input of a dead letter names another death than its key: " + letter + " " + input);
        }
        NewTask item = new NewTask(
                letter.id(),
                letter.tenant(),
                letter.queue(),
                letter.type(),
                input,
                NewTask.Start.now(),
                letter.options(),
                new NewTask.KeyRequest(identity, InputHash.of(Json.parse(input), List.of()), TTL, ReusePolicy.never()));
        creations.add(report.with(
                report.span(),
                new StormOperation.Submit(
                        item, new Submitted.Created(letter.id(), 1, TaskState.PENDING, letter.createdAt())),
                Certainty.REPEATED));
    }

    /** Who can have made the letter of a death: who reported it, or anybody from the submission of a task with a time limit on. */
    private @Nullable StormOperation reportOf(AttemptId death) {
        StormOperation submission = limited.get(death.taskId());
        if (submission == null) {
            return reports.get(death);
        }
        Span from = submission.span();
        Span span = new Span(from.asked(), round.answered(), from.clockAsked(), round.clockAnswered());
        return submission.with(span, submission.action(), Certainty.REPEATED);
    }

    private static @Nullable AttemptId deathOf(Task letter) {
        Identity identity = letter.identity();
        int colon = identity == null ? -1 : identity.key().lastIndexOf(':');
        if (identity == null || colon < 0) {
            return null;
        }
        return new AttemptId(
                TaskId.parse(identity.key().substring(0, colon)),
                Integer.parseInt(identity.key().substring(colon + 1)));
    }
}
