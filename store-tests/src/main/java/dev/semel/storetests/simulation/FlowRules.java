package dev.semel.storetests.simulation;

import dev.semel.store.Continuation;
import dev.semel.store.EffectOutcome;
import dev.semel.store.Generation;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.virtualtime.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tests what must be true of workflows, by what the parties asked and were answered, the provider's books, and the store in the end. */
final class FlowRules {

    /** A step in the outline of the lines that a restart has not kept. */
    private static final Pattern SUPERSEDED = Pattern.compile("\"task_id\":\"([0-9a-f-]+)\"");

    private final World world;
    private final FlowLedger ledger;
    private final List<FlowClient> clients;
    private final List<Operation.Restart> restarts;
    private final List<Violation> violations = new ArrayList<>();

    FlowRules(World world, FlowLedger ledger, List<FlowClient> clients, List<Operation.Restart> restarts) {
        this.world = world;
        this.ledger = ledger;
        this.clients = clients;
        this.restarts = restarts;
    }

    /**
     * Checks a world.
     *
     * @param complete whether it has finished, so that all workflows should have ended
     */
    List<Violation> check(boolean complete) {
        checkTokens();
        checkRecorded();
        for (FlowClient client : clients) {
            Task task = world.store.find(List.of(client.taskId())).get(client.taskId());
            if (client.isStarted() && task == null) {
                broken(Invariant.I2, client, "was accepted, but is not stored");
            } else if (task != null) {
                checkHistory(client);
                if (complete) {
                    checkEnd(client, task);
                }
            }
        }
        return violations;
    }

    private void broken(Invariant invariant, FlowClient client, String what) {
        violations.add(
                new Violation(invariant, "Workflow " + client.program() + " (task " + client.taskId() + ") " + what));
    }

    /** Whatever goes wrong: it ends, with success. */
    private void checkEnd(FlowClient client, Task task) {
        if (task.state().isOpen()) {
            dev.semel.store.History history = history(client);
            broken(
                    Invariant.I7,
                    client,
                    "is still open long after the faults stopped: " + task.progress() + ", lines " + history.lines()
                            + ", inbox " + history.inbox());
        } else if (task.state() != TaskState.COMPLETED) {
            broken(
                    Invariant.FLOWS,
                    client,
                    "ended as " + task.state() + ": " + task.progress().lastError());
        }
    }

    private dev.semel.store.History history(FlowClient client) {
        return Objects.requireNonNull(world.store
                .histories(List.of(dev.semel.store.History.Query.whole(client.taskId())))
                .get(client.taskId()));
    }

    /** A step has one task and one token in each generation that did not keep it, however often the code ran. */
    private void checkTokens() {
        Map<Integer, Integer> generations = new HashMap<>();
        for (FlowClient client : clients) {
            generations.put(client.program().number(), 1 + appliedRestarts(client.taskId()));
        }
        ledger.tokens().forEach((name, tokens) -> {
            int point = name.indexOf('.');
            int most = point < 0 ? 1 : generations.getOrDefault(Integer.valueOf(name.substring(0, point)), 1);
            if (tokens.size() > most) {
                violations.add(new Violation(
                        Invariant.TOKENS, "Step " + name + " came to the provider with several tokens: " + tokens));
            }
        });
    }

    /**
     * How many restarts of a workflow may have been applied: those that were answered so once, or not answered once. One that was applied is stale
     * when it is sent again after the workflow has continued as new.
     */
    private int appliedRestarts(TaskId workflow) {
        Set<Operation> applied = new HashSet<>();
        for (History.Entry<?> entry : world.history.entries()) {
            if (entry.call instanceof Call.Operate operate
                    && (entry.answer() == null || ((List<?>) entry.answer().value()).getFirst() == Operated.APPLIED)) {
                applied.addAll(operate.batch());
            }
        }
        return (int) restarts.stream()
                .filter(restart -> restart.taskId().equals(workflow))
                .filter(applied::contains)
                .distinct()
                .count();
    }

    /** A step or local step whose outcome was recorded never runs again. */
    private void checkRecorded() {
        Map<TaskId, Integer> completed = new HashMap<>();
        Map<String, Long> concluded = new HashMap<>();
        for (History.Entry<?> entry : world.history.entries()) {
            if (entry.call instanceof Call.Settle settle && entry.answer() != null) {
                List<?> answers = (List<?>) entry.answer().value();
                for (int i = 0; i < answers.size(); i++) {
                    if (answers.get(i) != Settled.APPLIED) {
                        continue;
                    }
                    Settlement settlement = settle.batch().get(i);
                    if (settlement instanceof Settlement.Complete complete) {
                        completed.put(
                                complete.lease().taskId(), complete.lease().attempt());
                    } else if (settlement instanceof Settlement.Conclude conclude
                            && conclude.outcome() instanceof EffectOutcome.Done) {
                        concluded.putIfAbsent(
                                conclude.effect().token(), entry.answer().done().order());
                    }
                }
            }
        }
        for (FlowLedger.Dated dated : ledger.visits()) {
            FlowLedger.Visit visit = dated.visit();
            boolean again = visit.local()
                    ? dated.order() > concluded.getOrDefault(visit.token(), Long.MAX_VALUE)
                    : visit.attempt() > completed.getOrDefault(visit.task(), Integer.MAX_VALUE);
            if (again) {
                violations.add(new Violation(
                        Invariant.I5, "Step " + visit.name() + " ran again after its outcome was recorded: " + visit));
            }
        }
    }

    /** Lines and entries without gaps, each step with one line, and each end of a step once. */
    private void checkHistory(FlowClient client) {
        dev.semel.store.History history = history(client);
        Set<TaskId> steps = new HashSet<>();
        boolean keyed = client.program().hasKeys();
        boolean continued = history.inbox().stream()
                .anyMatch(entry -> Continuation.of(entry).isPresent());
        int number = 0;
        for (HistoryLine line : history.lines()) {
            number++;
            if (line.number() != number) {
                broken(Invariant.FLOWS, client, "has a gap in its history before " + line);
            }
            TaskId step = line.task();
            if (line.kind() == HistoryLine.Kind.STEP && step != null && !steps.add(step) && !keyed) {
                broken(Invariant.FLOWS, client, "started one task as two steps: " + line);
            }
        }
        Set<String> seen = new HashSet<>();
        number = 0;
        for (InboxEntry entry : history.inbox()) {
            number++;
            // What the code has received is deleted when it continues as new.
            if (continued ? entry.number() < number : entry.number() != number) {
                broken(Invariant.FLOWS, client, "has a gap in its inbox before " + entry);
            }
            String what = entry.key() != null ? entry.key() : String.valueOf(entry.step());
            if (!seen.add(what) && (entry.key() != null || !keyed)) {
                broken(Invariant.FLOWS, client, "has two entries of " + what);
            }
        }
        checkGenerations(client, history);
        if (!Generation.all(history.inbox()).isEmpty()) {
            steps.addAll(formerSteps(client));
        }
        for (Task task : stepsOf(client, steps)) {
            broken(Invariant.FLOWS, client, "has no line of a step that was started: " + task);
        }
    }

    /** Each generation has begun with a restart that named the one before, or with a continuation. */
    private void checkGenerations(FlowClient client, dev.semel.store.History history) {
        for (InboxEntry entry : history.inbox()) {
            Generation begun = Generation.of(entry).orElse(null);
            if (begun != null
                    && Continuation.of(entry).isEmpty()
                    && !restarts.contains(new Operation.Restart(client.taskId(), begun.number() - 1, begun.from()))) {
                broken(Invariant.FLOWS, client, "has a generation that nobody asked for: " + begun);
            }
        }
    }

    /** The steps in lines that anybody read or was told to have written, or that a restart outlined, in generations that are over. */
    private Set<TaskId> formerSteps(FlowClient client) {
        Set<TaskId> steps = new HashSet<>();
        for (InboxEntry entry : history(client).inbox()) {
            String document = entry.document();
            if (document != null && Generation.of(entry).isPresent()) {
                Matcher superseded = SUPERSEDED.matcher(document);
                while (superseded.find()) {
                    steps.add(TaskId.parse(superseded.group(1)));
                }
            }
        }
        for (History.Entry<?> entry : world.history.entries()) {
            if (entry.answer() == null) {
                continue;
            }
            if (entry.call instanceof Call.ReadHistories) {
                Object read = ((Map<?, ?>) entry.answer().value()).get(client.taskId());
                if (read instanceof dev.semel.store.History found) {
                    found.lines().stream()
                            .map(HistoryLine::task)
                            .filter(Objects::nonNull)
                            .forEach(steps::add);
                }
            } else if (entry.call instanceof Call.Settle settle) {
                List<?> answers = (List<?>) entry.answer().value();
                for (int i = 0; i < answers.size(); i++) {
                    if (settle.batch().get(i) instanceof Settlement.Advance advance
                            && advance.lease().taskId().equals(client.taskId())
                            && (answers.get(i) == Settled.APPLIED || isRepeated(settle.batch(), answers, i))) {
                        advance.lines().forEach(line -> {
                            if (line instanceof dev.semel.store.NewLine.Step step) {
                                steps.add(step.task().id());
                            }
                        });
                    }
                }
            }
        }
        return steps;
    }

    /**
     * Whether an advance that is stale was applied by the same call before, whose answer was lost: the wait that follows it is known (F24). If it was
     * not, its steps are not stored.
     */
    private static boolean isRepeated(List<? extends Settlement> batch, List<?> answers, int place) {
        int next = place + 1;
        return next < batch.size()
                && batch.get(next) instanceof Settlement.Wait wait
                && wait.lease().equals(batch.get(place).lease())
                && answers.get(next) == Settled.APPLIED;
    }

    /** The steps that were asked for by an attempt of the workflow and are stored, but are in no line. */
    private List<Task> stepsOf(FlowClient client, Set<TaskId> lines) {
        Set<TaskId> sent = new HashSet<>();
        for (History.Entry<?> entry : world.history.entries()) {
            if (entry.call instanceof Call.Settle settle) {
                for (Settlement settlement : settle.batch()) {
                    if (settlement instanceof Settlement.Advance advance
                            && advance.lease().taskId().equals(client.taskId())) {
                        advance.lines().forEach(line -> {
                            if (line instanceof dev.semel.store.NewLine.Step step) {
                                sent.add(step.task().id());
                            }
                        });
                    }
                }
            }
        }
        sent.removeAll(lines);
        return List.copyOf(world.store.find(sent).values());
    }
}
