package dev.semel.storetests.storm;

import dev.semel.store.Generation;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.storetests.storm.FlowEvidence.Flow;
import dev.semel.storetests.storm.FlowEvidence.SentLine;
import dev.semel.storetests.storm.FlowEvidence.Written;
import dev.semel.task.Identity;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges what happened to workflows, by what was read of their histories, what was sent to them, and what is stored in the end: F1 to
 * F11 under contention. The order of the operations on a workflow's task is checked with those of its identity.
 */
final class FlowChecker {

    private final FlowEvidence evidence;
    private final Map<TaskId, Task> last = new HashMap<>();
    private final Set<TaskId> unsettled = new HashSet<>();
    private final Instant now;
    private final List<StormOperation> operations = new ArrayList<>();
    private final List<FlowHistory.Still> stills = new ArrayList<>();
    private final Set<TaskId> redriven = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();

    /**
     * Creates a checker.
     *
     * @param evidence what was read of workflows and sent to them
     * @param histories everything that was asked and answered; the last one has a look at every task
     * @param stored the tasks that were stored before that
     * @param now the store's time in the end
     */
    FlowChecker(FlowEvidence evidence, Collection<StormHistory> histories, Collection<Task> stored, long now) {
        this.evidence = evidence;
        this.now = Instant.ofEpochMilli(now);
        stored.forEach(task -> last.put(task.id(), task));
        long latest = Long.MIN_VALUE;
        for (StormHistory history : histories) {
            operations.addAll(history.operations());
            stills.addAll(history.flows().stills());
            for (FlowHistory.Read read : history.flows().reads()) {
                latest = Math.max(latest, read.span().answered());
            }
        }
        for (StormOperation operation : operations) {
            if (operation.action() instanceof StormOperation.Operate(Operation.Redrive redrive, var answer)) {
                redriven.add(redrive.taskId());
            }
            // A call that was given up may still be under way, and change what is read in the end.
            if (operation.action() instanceof StormOperation.Look(TaskId id, Task found)
                    && operation.span().asked() >= latest
                    && !Objects.equals(found, last.get(id))) {
                unsettled.add(id);
            }
        }
    }

    /**
     * Checks all workflows.
     *
     * @param seen the tasks that any call saw
     * @return what is wrong
     */
    List<String> check(Set<TaskId> seen) {
        wrong.addAll(evidence.wrong());
        Set<TaskId> otherwise = cancelledOtherwise();
        for (Flow flow : evidence.flows()) {
            Task task = last.get(flow.id);
            if (task == null || unsettled.contains(flow.id)) {
                continue; // its history is deleted with it
            }
            checkLines(flow);
            wrong.addAll(GenerationChecker.check(flow, otherwise.contains(flow.id)));
            checkGrowth(flow);
            checkSteps(flow, seen);
            checkSignals(flow);
            checkOrder(flow);
            checkWake(flow, task, flow.inbox.values(), now);
        }
        for (FlowHistory.Still still : stills) {
            Flow flow = evidence.flow(still.task().id());
            checkWake(flow, still.task(), still.history().inbox(), still.now());
        }
        checkCancelled(otherwise);
        return wrong;
    }

    // ---- lines

    /** Each line was written by somebody who was not refused, by rising attempts; and who was told so has written all of them. */
    private void checkLines(Flow flow) {
        int attempt = 0;
        for (Written written : flow.written()) {
            HistoryLine line = written.line();
            List<Integer> attempts = FlowEvidence.writers(flow, written);
            if (attempts.isEmpty()) {
                wrong.add(line + " of workflow " + flow.id + " is stored in generation " + written.generation()
                        + ", but was refused or never sent: " + flow.sent.get(line.number()));
                continue;
            }
            int before = attempt;
            attempt = attempts.stream()
                    .filter(each -> each >= before)
                    .min(Integer::compare)
                    .orElse(0);
            if (attempt == 0) {
                wrong.add(line + " of workflow " + flow.id + " was written by attempt " + attempts + " after attempt "
                        + before + " had written");
                return;
            }
        }
        flow.sent.forEach((number, sends) -> sends.stream()
                .filter(SentLine::isAdded)
                .forEach(sent -> {
                    HistoryLine stored = flow.linesOf(sent.generation()).get(number);
                    if (stored == null || !FlowEvidence.fits(sent.line(), stored)) {
                        wrong.add("line " + number + " of workflow " + flow.id + " was added as " + sent.line()
                                + " by attempt " + sent.attempt() + " in generation " + sent.generation() + ", but is "
                                + stored);
                    }
                }));
        flow.lines.forEach((generation, lines) -> {
            FlowEvidence.Begun next = flow.generations.get(generation + 1);
            if (!lines.isEmpty() && lines.lastKey() != lines.size()) {
                wrong.add("the lines of workflow " + flow.id + " have a gap in generation " + generation + ": "
                        + lines.keySet());
            } else if (next != null && next.kept() + next.superseded() != lines.size()) {
                wrong.add(next.entry() + " of workflow " + flow.id + " has kept " + next.kept() + " lines and not "
                        + next.superseded() + ", but the generation before it had " + lines);
            }
        });
        if (!flow.inbox.isEmpty() && flow.inbox.lastKey() != flow.inbox.size()) {
            wrong.add("the inbox of workflow " + flow.id + " has a gap: " + flow.inbox.keySet());
        }
    }

    /** Whoever reads after an answer sees at least what that had. */
    private void checkGrowth(Flow flow) {
        List<FlowHistory.Read> reads = flow.reads.stream()
                .sorted((one, other) ->
                        Long.compare(one.span().asked(), other.span().asked()))
                .toList();
        for (FlowHistory.Read later : reads) {
            for (FlowHistory.Read earlier : reads) {
                if (earlier.span().answered() < later.span().asked()
                        && (later.inbox() < earlier.inbox()
                                || later.generation() < earlier.generation()
                                || hasShrunk(flow, earlier, later))) {
                    wrong.add("the history of workflow " + flow.id + " has shrunk from " + earlier.history() + " to "
                            + later.history());
                    return;
                }
            }
        }
    }

    private static boolean hasShrunk(Flow flow, FlowHistory.Read earlier, FlowHistory.Read later) {
        return earlier.generation() == later.generation()
                && flow.isOfOneGeneration(earlier)
                && flow.isOfOneGeneration(later)
                && !earlier.isOutdated()
                && !later.isOutdated()
                && later.lines() < earlier.lines();
    }

    // ---- steps

    private void checkSteps(Flow flow, Set<TaskId> seen) {
        flow.sent.forEach((number, sends) -> {
            for (SentLine sent : sends) {
                if (sent.line() instanceof NewLine.Step(NewTask step)
                        && seen.contains(step.id())
                        && flow.stepLines(step.id()).isEmpty()) {
                    wrong.add("step " + step.id() + " was started, but workflow " + flow.id + " has no line of it: "
                            + sent.by());
                }
            }
        });
        Set<TaskId> steps = new HashSet<>();
        for (Written written : flow.written()) {
            HistoryLine line = written.line();
            TaskId step = line.task();
            if (line.kind() == HistoryLine.Kind.STEP && step != null && steps.add(step)) {
                checkStep(flow, step);
            }
        }
    }

    /** The end of a step is in the inbox once; of one that was watched again after its end, once for each time. */
    private void checkStep(Flow flow, TaskId step) {
        int lines = flow.stepLines(step).size();
        List<InboxEntry> entries = flow.entries(step);
        if (entries.size() > lines) {
            wrong.add("the inbox of workflow " + flow.id + " has " + entries.size() + " entries about step " + step
                    + ", which it started " + lines + " times: " + entries);
        }
        // Also one that has ended gets them, for a redrive.
        if (unsettled.contains(step)) {
            return;
        }
        Task stored = last.get(step);
        boolean ended = stored == null || !stored.state().isOpen();
        if (ended && entries.isEmpty()) {
            wrong.add("step " + step + " has ended (" + (stored == null ? "swept" : stored.progress())
                    + "), but the inbox of workflow " + flow.id + " has no entry about it: "
                    + flow.stepLines(step));
        }
        if (lines > 1 || redriven.contains(step) || entries.isEmpty() || stored == null) {
            return;
        }
        InboxEntry entry = entries.getFirst();
        if (FlowEvidence.isLeftToOthers(entry)) {
            if (!flow.abandons(step)) {
                wrong.add(entry + " of workflow " + flow.id + " says that it was given up, but it was not");
            }
        } else if (!FlowEvidence.isRejection(entry) && !FlowEvidence.isGone(entry) && entry.state() != stored.state()) {
            wrong.add(entry + " of workflow " + flow.id + " is not the end of its step: " + stored);
        }
    }

    // ---- signals

    private void checkSignals(Flow flow) {
        Map<String, Integer> numbers = new HashMap<>();
        for (InboxEntry entry : flow.inbox.values()) {
            String key = FlowEvidence.isSignal(entry) ? entry.key() : null;
            Integer before = key == null ? null : numbers.putIfAbsent(key, entry.number());
            if (before != null) {
                wrong.add("signal " + key + " was delivered twice to workflow " + flow.id + ", as entries " + before
                        + " and " + entry.number());
            }
        }
        Set<String> possible = new HashSet<>();
        for (StormOperation sent : flow.signals) {
            StormOperation.Signal signal = (StormOperation.Signal) sent.action();
            boolean accepted = signal.answer() == Submitted.Signalled.ACCEPTED;
            if (accepted || signal.answer() == null) {
                possible.add(signal.signal().key());
            }
            if (accepted && !numbers.containsKey(signal.signal().key())) {
                wrong.add(
                        "signal " + signal.signal() + " was accepted, but is not in the inbox of workflow " + flow.id);
            }
        }
        numbers.keySet().removeAll(possible);
        if (!numbers.isEmpty()) {
            wrong.add("the inbox of workflow " + flow.id + " has signals that were refused or never sent: " + numbers);
        }
    }

    /** What was certainly accepted before another was even sent has a smaller number. */
    private void checkOrder(Flow flow) {
        long latest = Long.MIN_VALUE;
        InboxEntry of = null;
        for (InboxEntry entry : flow.inbox.values()) {
            Span span = acceptance(flow, entry);
            if (span == null) {
                continue;
            }
            if (of != null && span.answered() < latest) {
                wrong.add(entry + " of workflow " + flow.id + " was accepted before " + of
                        + " was sent, but has a larger number");
            }
            if (span.asked() > latest) {
                latest = span.asked();
                of = entry;
            }
        }
    }

    /** From when to when an entry can have been accepted, or null if that is not known. */
    private @Nullable Span acceptance(Flow flow, InboxEntry entry) {
        List<Span> spans = new ArrayList<>();
        String key = entry.key();
        TaskId step = entry.step();
        Generation generation = Generation.of(entry).orElse(null);
        if (generation != null) {
            FlowEvidence.Begun begun = Objects.requireNonNull(flow.generations.get(generation.number()));
            flow.restarts.stream()
                    .filter(sent -> GenerationChecker.begins(sent, generation.number(), begun))
                    .forEach(sent -> spans.add(sent.span()));
            flow.endings.values().stream()
                    .flatMap(List::stream)
                    .filter(sent -> sent.action() instanceof StormOperation.Settle settle
                            && settle.settlement().equals(begun.next()))
                    .forEach(sent -> spans.add(sent.span()));
        } else if (key != null) {
            for (StormOperation sent : flow.signals) {
                StormOperation.Signal signal = (StormOperation.Signal) sent.action();
                if (key.equals(signal.signal().key())
                        && (signal.answer() == null || signal.answer() == Submitted.Signalled.ACCEPTED)) {
                    spans.add(sent.span());
                }
            }
        } else if (step != null
                && entry.state() == TaskState.COMPLETED
                && flow.stepLines(step).size() == 1) {
            // Complete is the one end that nothing else can have caused, but the step may have had it before it was
            // watched.
            for (StormOperation operation : operations) {
                if (operation.action() instanceof StormOperation.Settle settle
                        && settle.settlement() instanceof Settlement.Complete complete
                        && complete.lease().taskId().equals(step)
                        && (settle.answer() == null || settle.answer() == Settled.APPLIED)) {
                    spans.add(operation.span());
                }
            }
            for (List<SentLine> sends : flow.sent.values()) {
                for (SentLine sent : sends) {
                    if (sent.line() instanceof NewLine.Step && sent.mayBeAdded()) {
                        spans.add(sent.by().span());
                    }
                }
            }
        }
        return spans.stream()
                .reduce((one, other) -> new Span(
                        Math.min(one.asked(), other.asked()),
                        Math.max(one.answered(), other.answered()),
                        Math.min(one.clockAsked(), other.clockAsked()),
                        Math.max(one.clockAnswered(), other.clockAnswered())))
                .orElse(null);
    }

    // ---- waking

    /** No workflow waits for what its inbox has already: none that stood still while it was looked at, and none in the end. */
    private void checkWake(Flow flow, Task task, Collection<InboxEntry> inbox, Instant at) {
        Settlement.Wait wait = wait(flow, task.progress().attempt());
        Instant dueAt = task.progress().dueAt();
        boolean sleeps = task.state() == TaskState.WAITING
                || (task.state() == TaskState.PENDING && dueAt != null && dueAt.isAfter(at));
        // One with a mutex may be awake and wait for that.
        if (wait == null || !sleeps || task.options().mutex() != null) {
            return;
        }
        List<InboxEntry> beyond =
                inbox.stream().filter(entry -> entry.number() > wait.seen()).toList();
        if (beyond.size() >= wait.more() || beyond.stream().anyMatch(InboxEntry::isUrgent)) {
            wrong.add("workflow " + flow.id + " is " + task.progress() + " at " + at + " after " + wait
                    + ", but its inbox has " + beyond);
        }
    }

    /** The wait with which an attempt certainly ended, or null. */
    private static Settlement.@Nullable Wait wait(Flow flow, int attempt) {
        Settlement.Wait found = null;
        boolean certain = false;
        for (StormOperation sent : flow.endings.getOrDefault(attempt, List.of())) {
            StormOperation.Settle settle = (StormOperation.Settle) sent.action();
            if (settle.settlement() instanceof Settlement.Wait wait) {
                found = wait;
                certain |= settle.answer() == Settled.APPLIED;
            }
        }
        return certain ? found : null;
    }

    // ---- steps of others

    /** A step that only workflows gave up is cancelled by the one that created it, and not while another one watches it. */
    private void checkCancelled(Set<TaskId> otherwise) {
        Map<TaskId, TaskId> creators = new HashMap<>();
        for (Flow flow : evidence.flows()) {
            flow.sent
                    .values()
                    .forEach(sends -> sends.forEach(sent -> {
                        if (sent.line() instanceof NewLine.Step(NewTask step)) {
                            creators.put(step.id(), flow.id);
                        }
                    }));
        }
        for (Task task : last.values()) {
            TaskId creator = creators.get(task.id());
            if (creator != null
                    && task.state() == TaskState.CANCELLED
                    && !otherwise.contains(task.id())
                    && !unsettled.contains(task.id())) {
                checkCancelled(task, creator, otherwise);
            }
        }
    }

    /** Whether a workflow may have been restarted after it had ended. */
    private static boolean hasEndedBefore(Flow flow, Set<TaskId> otherwise) {
        boolean restarted = flow.restarts.stream()
                .anyMatch(sent -> sent.action() instanceof StormOperation.Operate operate
                        && (operate.answer() == null || operate.answer() == Operated.APPLIED));
        boolean ended = flow.endings.values().stream()
                .flatMap(List::stream)
                .anyMatch(sent -> sent.action() instanceof StormOperation.Settle settle
                        && (settle.answer() == null || settle.answer() == Settled.APPLIED)
                        && (settle.settlement() instanceof Settlement.Complete
                                || settle.settlement() instanceof Settlement.Fail));
        return restarted && (ended || otherwise.contains(flow.id));
    }

    private void checkCancelled(Task step, TaskId creator, Set<TaskId> otherwise) {
        List<SentLine> byCreator = new ArrayList<>();
        for (Flow flow : evidence.flows()) {
            if (flow.id.equals(creator)) {
                flow.sent
                        .values()
                        .forEach(sends -> sends.stream()
                                .filter(SentLine::mayBeAdded)
                                .filter(sent -> sent.line() instanceof NewLine.Abandon abandon
                                        && abandon.step().equals(step.id()))
                                .forEach(byCreator::add));
            }
        }
        if (byCreator.isEmpty()) {
            wrong.add("step " + step.id() + " was cancelled, but workflow " + creator
                    + ", which created it, has not given it up, and nobody else has cancelled it: " + step);
            return;
        }
        long asked = byCreator.stream()
                .mapToLong(sent -> sent.by().span().asked())
                .min()
                .orElseThrow();
        for (Flow other : evidence.flows()) {
            Task workflow = last.get(other.id);
            if (!other.id.equals(creator)
                    && workflow != null
                    && workflow.state().isOpen()
                    && !redriven.contains(other.id)
                    && !hasEndedBefore(other, otherwise)
                    && !other.abandons(step.id())
                    && watchedBefore(other, step.id(), asked)) {
                wrong.add("step " + step.id() + " was cancelled, because workflow " + creator
                        + " gave it up, but workflow " + other.id + " watched it");
            }
        }
    }

    private static boolean watchedBefore(Flow flow, TaskId step, long nanos) {
        return flow.stepLines(step).stream()
                .flatMap(written -> flow.sends(written).stream()
                        .filter(sent -> sent.isAdded() && FlowEvidence.fits(sent.line(), written.line())))
                .anyMatch(sent -> sent.by().span().answered() < nanos);
    }

    /** A step that a workflow gave up, and when. */
    private record Given(TaskId step, Span span) {}

    /** The tasks that something else than a workflow may have cancelled. */
    private Set<TaskId> cancelledOtherwise() {
        Set<TaskId> found = new HashSet<>();
        Set<Identity> replaced = new HashSet<>();
        Set<Given> abandons = new HashSet<>();
        for (Flow flow : evidence.flows()) {
            flow.sent
                    .values()
                    .forEach(sends -> sends.forEach(sent -> {
                        if (sent.line() instanceof NewLine.Abandon abandon) {
                            abandons.add(new Given(abandon.step(), sent.by().span()));
                        }
                    }));
        }
        for (StormOperation operation : operations) {
            switch (operation.action()) {
                // Those of workflows are recorded without an answer.
                case StormOperation.Operate(Operation.Cancel(TaskId id), var answer) -> {
                    if (answer != null || !abandons.contains(new Given(id, operation.span()))) {
                        found.add(id);
                    }
                }
                case StormOperation.Settle settle -> {
                    if (settle.settlement() instanceof Settlement.Cancelled) {
                        found.add(settle.settlement().lease().taskId());
                    }
                }
                case StormOperation.Submit submit -> {
                    NewTask.KeyRequest key = submit.item().key();
                    if (key != null && isReplacing(key.policy())) {
                        replaced.add(key.identity());
                    }
                }
                default -> {}
            }
        }
        for (Task task : last.values()) {
            if (task.identity() != null && replaced.contains(task.identity())) {
                found.add(task.id());
            }
        }
        return found;
    }

    private static boolean isReplacing(ReusePolicy policy) {
        return policy.pending() == WhileOpen.REPLACE
                || policy.running() == WhileOpen.REPLACE
                || policy.waiting() == WhileOpen.REPLACE;
    }
}
