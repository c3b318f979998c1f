package dev.semel.storetests.storm;

import dev.semel.store.Continuation;
import dev.semel.store.Generation;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.NewLine;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.task.AttemptId;
import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was read of the workflows of a round, and what was sent to them, workflow by workflow. */
final class FlowEvidence {

    // What an entry outlines of a line has no document.
    private static final String OUTLINED = "(outlined)";

    private static final Pattern OUTLINE = Pattern.compile(
            "\\{\"line\":(\\d+),\"kind\":\"(\\w+)\",\"name\":\"([^\"]*)\"(?:,\"task_id\":\"([^\"]+)\")?}");
    private static final JsonPointer COUNT = JsonPointer.of("lines");

    /** A line as somebody wanted to add it, who knew a generation. */
    record SentLine(int attempt, int generation, NewLine line, StormOperation by) {

        /** Whether it may have been added: it was answered as applied, or not answered. */
        boolean mayBeAdded() {
            return by.action() instanceof StormOperation.Settle settle
                    && (settle.answer() == null || settle.answer() == Settled.APPLIED);
        }

        boolean isAdded() {
            return by.action() instanceof StormOperation.Settle settle && settle.answer() == Settled.APPLIED;
        }
    }

    /** A line, and the generation that wrote it. Later ones may have kept it. */
    record Written(int generation, HistoryLine line) {}

    /**
     * A generation that has begun.
     *
     * @param entry the entry that says so
     * @param from the first line that it did not keep
     * @param superseded how many lines it did not keep
     * @param next the continuation that began it, if none of its sends was rejected; null for a restart
     * @param asked when it can have begun, at the earliest
     */
    record Begun(InboxEntry entry, int from, int superseded, Settlement.@Nullable Continue next, long asked) {

        int kept() {
            return Math.max(from, 1) - 1;
        }

        boolean isContinuation() {
            return Continuation.of(entry).isPresent();
        }

        /** Returns whether the code had received an entry when it continued as new. */
        boolean consumes(InboxEntry other) {
            return next != null
                    && other.number() <= next.seen()
                    && !next.unread().contains(other.number());
        }
    }

    /** One workflow. */
    static final class Flow {
        final TaskId id;
        final TreeMap<Integer, TreeMap<Integer, HistoryLine>> lines = new TreeMap<>();
        final TreeMap<Integer, Begun> generations = new TreeMap<>();
        final TreeMap<Integer, InboxEntry> inbox = new TreeMap<>();
        final List<StormOperation> restarts = new ArrayList<>();
        final Map<Integer, List<SentLine>> sent = new HashMap<>();
        final List<FlowHistory.Read> reads = new ArrayList<>();
        final List<StormOperation> signals = new ArrayList<>();
        final Map<Integer, List<StormOperation>> endings = new HashMap<>();

        Flow(TaskId id) {
            this.id = id;
        }

        /** The lines that a generation had, those that it kept included. */
        NavigableMap<Integer, HistoryLine> linesOf(int generation) {
            return lines.computeIfAbsent(generation, number -> new TreeMap<>());
        }

        int kept(int generation) {
            Begun begun = generations.get(generation);
            return begun == null ? 0 : begun.kept();
        }

        /**
         * Returns whether the lines of a read are those of the generation that its inbox shows. A store reads the inbox first and the lines after
         * that, and a generation may begin in between.
         */
        boolean isOfOneGeneration(FlowHistory.Read read) {
            Begun next = generations.get(read.generation() + 1);
            return next == null || next.asked() > read.span().answered();
        }

        /** All lines that were ever written, each with the generation that wrote it. */
        List<Written> written() {
            List<Written> all = new ArrayList<>();
            lines.forEach((generation, of) -> of.tailMap(kept(generation), false)
                    .values()
                    .forEach(line -> all.add(new Written(generation, line))));
            return all;
        }

        /** The lines that started a task as a step. */
        List<Written> stepLines(TaskId step) {
            return written().stream()
                    .filter(each -> each.line().kind() == HistoryLine.Kind.STEP
                            && step.equals(each.line().task()))
                    .toList();
        }

        /** What was sent for a line in the generation that wrote it. */
        List<SentLine> sends(Written written) {
            return sent.getOrDefault(written.line().number(), List.of()).stream()
                    .filter(each -> each.generation() == written.generation())
                    .toList();
        }

        /** The entries about a step. */
        List<InboxEntry> entries(TaskId step) {
            return inbox.values().stream()
                    .filter(entry -> step.equals(entry.step()))
                    .toList();
        }

        boolean abandons(TaskId step) {
            return written().stream()
                    .anyMatch(each -> each.line().kind() == HistoryLine.Kind.ABANDONED
                            && step.equals(each.line().task()));
        }
    }

    private final Map<TaskId, Flow> flows = new LinkedHashMap<>();
    private final Map<AttemptId, Integer> attempts = new HashMap<>();
    private final Set<TaskId> rejected = new HashSet<>();
    private final Map<TaskId, TaskId> existing = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();

    FlowEvidence(Collection<StormHistory> histories) {
        for (StormHistory history : histories) {
            attempts.putAll(history.flows().attempts());
            history.flows().reads().forEach(this::readInbox);
        }
        histories.forEach(history -> history.operations().forEach(this::sent));
        flows.values().forEach(this::decideGenerations);
        flows.values().forEach(flow -> flow.reads.forEach(read -> readLines(flow, read)));
        flows.values().forEach(this::inheritLines);
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

    private void readLines(Flow flow, FlowHistory.Read read) {
        if (!flow.isOfOneGeneration(read)) {
            return;
        }
        int number = read.query().lines();
        for (HistoryLine line : read.history().lines()) {
            number++;
            HistoryLine same = flow.linesOf(read.generation()).putIfAbsent(line.number(), line);
            if (line.number() != number || (same != null && !isSame(same, line))) {
                wrong.add("line " + number + " of workflow " + flow.id + " was read as " + same + " and as " + line
                        + " in generation " + read.generation());
            }
        }
    }

    private void readInbox(FlowHistory.Read read) {
        Flow flow = flow(read.workflow());
        flow.reads.add(read);
        for (InboxEntry entry : read.history().inbox()) {
            InboxEntry same = flow.inbox.putIfAbsent(entry.number(), entry);
            if (same != null && !isSame(same, entry)) {
                wrong.add("entry " + entry.number() + " of workflow " + flow.id + " was read as " + same + " and as "
                        + entry);
            } else if (same != null && isReceived(same)) {
                flow.inbox.put(entry.number(), entry);
            }
        }
    }

    /** Returns whether an entry is a signal of which only the key is left. */
    static boolean isReceived(InboxEntry entry) {
        return entry.name().equals(Continuation.RECEIVED);
    }

    /** Returns whether an entry is a signal that somebody sent, or the key of one. */
    static boolean isSignal(InboxEntry entry) {
        return entry.step() == null && entry.key() != null && StoredFlow.isSharedByRuns(entry.key());
    }

    static boolean isCancellation(InboxEntry entry) {
        return entry.key() != null && entry.key().startsWith(StoredFlow.CANCEL_KEY);
    }

    static boolean isUnreceivedSignal(InboxEntry entry) {
        return (isSignal(entry) || isCancellation(entry)) && !isReceived(entry);
    }

    // The times are exact too, but no law says how a store rounds what it gives back.
    private static boolean isSame(HistoryLine one, HistoryLine other) {
        return one.toString().equals(other.toString())
                && String.valueOf(one.document()).equals(String.valueOf(other.document()));
    }

    private static boolean isSame(InboxEntry one, InboxEntry other) {
        if (isReceived(one) || isReceived(other)) {
            return one.key() != null && one.key().equals(other.key());
        }
        if (isCancellation(one) && isCancellation(other)) {
            return true; // a restart gives it another key
        }
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
                                .add(new SentLine(
                                        attempt,
                                        attempts.getOrDefault(new AttemptId(id, attempt), 0),
                                        advance.lines().get(i),
                                        operation));
                    }
                } else if (settle.settlement() instanceof Settlement.Ending) {
                    flow(id).endings
                            .computeIfAbsent(attempt, number -> new ArrayList<>())
                            .add(operation);
                }
            }
            case StormOperation.Signal signal ->
                flow(signal.signal().taskId()).signals.add(operation);
            case StormOperation.Operate(Operation.Restart restart, var answer) ->
                flow(restart.taskId()).restarts.add(operation);
            default -> {}
        }
    }

    /** Finds out which generations there were. */
    private void decideGenerations(Flow flow) {
        for (InboxEntry entry : flow.inbox.values()) {
            Generation.of(entry).ifPresent(begun -> {
                String document = String.valueOf(entry.document());
                int superseded = Integer.parseInt(
                        Json.parse(document).at(COUNT).orElseThrow().text());
                Begun same = flow.generations.putIfAbsent(begun.number(), begun(flow, entry, begun, superseded));
                if (same != null) {
                    wrong.add("generation " + begun.number() + " of workflow " + flow.id + " has begun twice, with "
                            + same.entry() + " and " + entry);
                }
            });
        }
    }

    private static Begun begun(Flow flow, InboxEntry entry, Generation generation, int superseded) {
        Settlement.Continue next = continuation(flow, entry);
        long asked = Stream.concat(
                        flow.restarts.stream(), flow.endings.values().stream().flatMap(List::stream))
                .filter(sent -> next == null
                        ? sent.action() instanceof StormOperation.Operate(Operation.Restart restart, var answer)
                                && restart.generation() + 1 == generation.number()
                                && restart.from() == generation.from()
                        : sent.action() instanceof StormOperation.Settle settle
                                && settle.settlement().equals(next))
                .mapToLong(sent -> sent.span().asked())
                .min()
                .orElse(Long.MIN_VALUE);
        return new Begun(entry, generation.from(), superseded, next, asked);
    }

    /** Completes the lines of each generation by what the next one kept of them, and by what the entry of that outlines. */
    private void inheritLines(Flow flow) {
        for (Map.Entry<Integer, Begun> begun : flow.generations.descendingMap().entrySet()) {
            Map<Integer, HistoryLine> before = flow.linesOf(begun.getKey() - 1);
            flow.linesOf(begun.getKey())
                    .headMap(begun.getValue().kept(), true)
                    .values()
                    .forEach(kept -> merge(flow, begun.getKey(), before, kept));
            Matcher outlines =
                    OUTLINE.matcher(String.valueOf(begun.getValue().entry().document()));
            while (outlines.find()) {
                String task = outlines.group(4);
                merge(
                        flow,
                        begun.getKey(),
                        before,
                        new HistoryLine(
                                Integer.parseInt(outlines.group(1)),
                                HistoryLine.Kind.parse(outlines.group(2)),
                                outlines.group(3),
                                task == null ? null : TaskId.parse(task),
                                OUTLINED,
                                begun.getValue().entry().at()));
            }
        }
    }

    private void merge(Flow flow, int generation, Map<Integer, HistoryLine> before, HistoryLine line) {
        HistoryLine same = before.putIfAbsent(line.number(), line);
        boolean outlined = OUTLINED.equals(line.document()) || (same != null && OUTLINED.equals(same.document()));
        if (same != null && !(outlined ? same.toString().equals(line.toString()) : isSame(same, line))) {
            wrong.add("generation " + generation + " of workflow " + flow.id + " has kept or outlined " + line
                    + ", but the one before it had " + same);
        }
    }

    /** The continuation that began a generation, if it was not rejected. */
    private static Settlement.@Nullable Continue continuation(Flow flow, InboxEntry entry) {
        String input = Continuation.of(entry).map(Continuation::input).orElse(null);
        for (List<StormOperation> endings : flow.endings.values()) {
            for (StormOperation sent : endings) {
                if (sent.action() instanceof StormOperation.Settle(Settlement.Continue next, Settled answer, var join)
                        && next.input().equals(input)
                        && (answer == null || answer == Settled.APPLIED)) {
                    return next;
                }
            }
        }
        return null;
    }

    private void decideSteps(Flow flow) {
        flow.written().forEach(written -> {
            HistoryLine line = written.line();
            if (line.kind() != HistoryLine.Kind.STEP) {
                return; // a step that was sent late and refused may have had the number of another line
            }
            for (SentLine sent : flow.sends(written)) {
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
    static List<Integer> writers(Flow flow, Written written) {
        return flow.sends(written).stream()
                .filter(SentLine::mayBeAdded)
                .filter(sent -> fits(sent.line(), written.line()))
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
            case NewLine.Note note ->
                OUTLINED.equals(stored.document())
                        || String.valueOf(note.document()).equals(String.valueOf(stored.document()));
            case NewLine.Answer answer -> answer.document().equals(stored.document());
            case NewLine.Abandon abandon -> abandon.step().equals(stored.task());
            case NewLine.Step step ->
                step.task().key() != null || step.task().id().equals(stored.task());
        };
    }
}
