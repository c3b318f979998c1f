package dev.semel.storetests.storm;

import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What was read of the workflows of a round, and what was sent to them, workflow by workflow. */
final class FlowEvidence {

    /** A line as somebody wanted to add it. */
    record SentLine(int attempt, NewLine line, StormOperation by) {

        /** Whether it may have been added: it was answered as applied, or not answered. */
        boolean mayBeAdded() {
            return by.action() instanceof StormOperation.Settle settle
                    && (settle.answer() == null || settle.answer() == Settled.APPLIED);
        }

        boolean isAdded() {
            return by.action() instanceof StormOperation.Settle settle && settle.answer() == Settled.APPLIED;
        }
    }

    /** One workflow. */
    static final class Flow {
        final TaskId id;
        final TreeMap<Integer, HistoryLine> lines = new TreeMap<>();
        final TreeMap<Integer, InboxEntry> inbox = new TreeMap<>();
        final Map<Integer, List<SentLine>> sent = new HashMap<>();
        final List<FlowHistory.Read> reads = new ArrayList<>();
        final List<StormOperation> signals = new ArrayList<>();
        final Map<Integer, List<StormOperation>> endings = new HashMap<>();

        Flow(TaskId id) {
            this.id = id;
        }

        /** The lines that started a task as a step. */
        List<HistoryLine> stepLines(TaskId step) {
            return lines.values().stream()
                    .filter(line -> line.kind() == HistoryLine.Kind.STEP && step.equals(line.task()))
                    .toList();
        }

        /** The entries about a step. */
        List<InboxEntry> entries(TaskId step) {
            return inbox.values().stream()
                    .filter(entry -> step.equals(entry.step()))
                    .toList();
        }

        boolean abandons(TaskId step) {
            return lines.values().stream()
                    .anyMatch(line -> line.kind() == HistoryLine.Kind.ABANDONED && step.equals(line.task()));
        }
    }

    private final Map<TaskId, Flow> flows = new LinkedHashMap<>();
    private final Set<TaskId> rejected = new HashSet<>();
    private final Map<TaskId, TaskId> existing = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();

    FlowEvidence(Collection<StormHistory> histories) {
        for (StormHistory history : histories) {
            history.flows().reads().forEach(this::read);
            history.operations().forEach(this::sent);
        }
        flows.values().forEach(this::decideSteps);
    }

    Collection<Flow> flows() {
        return flows.values();
    }

    /** The steps whose submission was rejected. */
    Set<TaskId> rejected() {
        return rejected;
    }

    /** From the id of a step, as it was sent, to the task that had its key. */
    Map<TaskId, TaskId> existing() {
        return existing;
    }

    /** What was read differently at different times. */
    List<String> wrong() {
        return wrong;
    }

    /** What is known of a workflow. */
    Flow flow(TaskId id) {
        return flows.computeIfAbsent(id, Flow::new);
    }

    private void read(FlowHistory.Read read) {
        Flow flow = flow(read.workflow());
        flow.reads.add(read);
        int number = read.query().lines();
        for (HistoryLine line : read.history().lines()) {
            number++;
            HistoryLine same = flow.lines.putIfAbsent(line.number(), line);
            if (line.number() != number || (same != null && !isSame(same, line))) {
                wrong.add("line " + number + " of workflow " + flow.id + " was read as " + same + " and as " + line);
            }
        }
        number = read.query().inbox();
        for (InboxEntry entry : read.history().inbox()) {
            number++;
            InboxEntry same = flow.inbox.putIfAbsent(entry.number(), entry);
            if (entry.number() != number || (same != null && !isSame(same, entry))) {
                wrong.add("entry " + number + " of workflow " + flow.id + " was read as " + same + " and as " + entry);
            }
        }
    }

    // The times are exact too, but no law says how a store rounds what it gives back.
    private static boolean isSame(HistoryLine one, HistoryLine other) {
        return one.toString().equals(other.toString())
                && String.valueOf(one.document()).equals(String.valueOf(other.document()));
    }

    private static boolean isSame(InboxEntry one, InboxEntry other) {
        return one.toString().equals(other.toString())
                && String.valueOf(one.document()).equals(String.valueOf(other.document()))
                && String.valueOf(one.error()).equals(String.valueOf(other.error()));
    }

    private void sent(StormOperation operation) {
        switch (operation.action()) {
            case StormOperation.Settle settle -> {
                TaskId id = settle.settlement().lease().taskId();
                int attempt = settle.settlement().lease().attempt();
                if (settle.settlement() instanceof Settlement.Advance advance) {
                    for (int i = 0; i < advance.lines().size(); i++) {
                        flow(id).sent
                                .computeIfAbsent(advance.first() + i, number -> new ArrayList<>())
                                .add(new SentLine(attempt, advance.lines().get(i), operation));
                    }
                } else if (settle.settlement() instanceof Settlement.Ending) {
                    flow(id).endings
                            .computeIfAbsent(attempt, number -> new ArrayList<>())
                            .add(operation);
                }
            }
            case StormOperation.Signal signal ->
                flow(signal.signal().taskId()).signals.add(operation);
            default -> {}
        }
    }

    private void decideSteps(Flow flow) {
        flow.lines.forEach((number, line) -> {
            if (line.kind() != HistoryLine.Kind.STEP) {
                return; // a step that was sent late and refused may have had the number of another line
            }
            for (SentLine sent : flow.sent.getOrDefault(number, List.of())) {
                TaskId task = line.task();
                if (sent.mayBeAdded() && sent.line() instanceof NewLine.Step step && task != null) {
                    if (!task.equals(step.task().id())) {
                        existing.put(step.task().id(), task);
                    } else if (flow.entries(task).stream().anyMatch(FlowEvidence::isRejection)) {
                        rejected.add(task);
                    }
                }
            }
        });
    }

    static boolean isRejection(InboxEntry entry) {
        return entry.error() != null && entry.error().startsWith("The step was not started");
    }

    static boolean isGone(InboxEntry entry) {
        return entry.error() != null && entry.error().endsWith("its result is no longer stored.");
    }

    static boolean isLeftToOthers(InboxEntry entry) {
        return entry.error() != null && entry.error().startsWith("The step was given up");
    }

    /** The attempts that may have written a line. */
    static List<Integer> writers(Flow flow, HistoryLine line) {
        return flow.sent.getOrDefault(line.number(), List.of()).stream()
                .filter(SentLine::mayBeAdded)
                .filter(sent -> fits(sent.line(), line))
                .map(SentLine::attempt)
                .distinct()
                .toList();
    }

    /** Whether a line that was sent can be the one that is stored; a step with a key can be another task. */
    static boolean fits(NewLine sent, HistoryLine stored) {
        if (sent.kind() != stored.kind() || !sent.name().equals(stored.name())) {
            return false;
        }
        return switch (sent) {
            case NewLine.Note note -> String.valueOf(note.document()).equals(String.valueOf(stored.document()));
            case NewLine.Answer answer -> answer.document().equals(stored.document());
            case NewLine.Abandon abandon -> abandon.step().equals(stored.task());
            case NewLine.Step step ->
                step.task().key() != null || step.task().id().equals(stored.task());
        };
    }
}
