package dev.semel.cli;

import dev.semel.store.Continuation;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.workflow.RestartPoint;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a workflow as a tree, in the order of time: steps with their attempts and times, local steps, signals and timers. A step
 * that is a workflow itself has its own steps below it.
 */
final class WorkflowTree {

    // A tree is for a person; the history has everything.
    private static final int MOST_DEPTH = 4;

    private final TaskStore store;
    private final Task task;
    private final History history;
    private final List<EffectRecord> effects;
    private final Map<TaskId, Task> steps;
    private final Map<TaskId, WorkflowTree> children = new HashMap<>();
    private final Map<TaskId, InboxEntry> ends = new HashMap<>();

    /** A row of the tree. */
    private record Row(Instant at, String text, @Nullable TaskId step) {}

    WorkflowTree(TaskStore store, Task task, History history) {
        this(store, task, history, 1);
    }

    private WorkflowTree(TaskStore store, Task task, History history, int depth) {
        this.store = store;
        this.task = task;
        this.history = history;
        this.effects = store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of());
        List<TaskId> ids = new ArrayList<>();
        stepLines().forEach(line -> ids.add(Objects.requireNonNull(line.task())));
        this.steps = store.find(ids);
        Map<Integer, InboxEntry> ended = RestartPoint.ends(history);
        stepLines().forEach(line -> {
            InboxEntry end = ended.get(line.number());
            if (end != null) {
                ends.put(Objects.requireNonNull(line.task()), end);
            }
        });
        if (depth < MOST_DEPTH && !steps.isEmpty()) {
            addChildren(depth);
        }
    }

    private void addChildren(int depth) {
        List<History.Query> queries =
                steps.keySet().stream().map(History.Query::whole).toList();
        store.histories(queries).forEach((id, child) -> {
            if (!child.lines().isEmpty() || !child.inbox().isEmpty()) {
                children.put(id, new WorkflowTree(this.store, Objects.requireNonNull(steps.get(id)), child, depth + 1));
            }
        });
    }

    List<HistoryLine> stepLines() {
        return history.lines().stream().filter(line -> line.kind() == Kind.STEP).toList();
    }

    List<EffectRecord> effects() {
        return effects;
    }

    /** Returns how a step ended, or its state as long as it is open; null if it is not stored. */
    @Nullable
    TaskState state(HistoryLine line) {
        InboxEntry end = ends.get(line.task());
        Task step = steps.get(line.task());
        return end != null ? end.state() : step == null ? null : step.state();
    }

    @Nullable
    Task step(HistoryLine line) {
        return steps.get(line.task());
    }

    @Nullable
    InboxEntry end(HistoryLine line) {
        return ends.get(line.task());
    }

    void print(PrintStream out, boolean colors) {
        print(out, "", colors);
    }

    private void print(PrintStream out, String indent, boolean colors) {
        List<Row> rows = rows(colors);
        for (int i = 0; i < rows.size(); i++) {
            boolean last = i == rows.size() - 1;
            out.println(indent + (last ? "└─ " : "├─ ") + rows.get(i).text());
            WorkflowTree child = children.get(rows.get(i).step());
            if (child != null) {
                child.print(out, indent + (last ? "   " : "│  "), colors);
            }
        }
    }

    private List<Row> rows(boolean colors) {
        List<Row> rows = new ArrayList<>();
        for (HistoryLine line : history.lines()) {
            String text = text(line, colors);
            if (text != null) {
                rows.add(new Row(line.at(), text, line.kind() == Kind.STEP ? line.task() : null));
            }
        }
        for (EffectRecord effect : effects) {
            rows.add(new Row(effect.intendedAt(), text(effect, colors), null));
        }
        for (InboxEntry entry : history.inbox()) {
            if (entry.step() == null && !entry.name().startsWith("$")) {
                rows.add(new Row(
                        entry.at(), "signal \"" + entry.name() + "\"  accepted " + Text.time(entry.at()), null));
            }
            Generation.of(entry)
                    .ifPresent(begun -> rows.add(new Row(
                            entry.at(),
                            (Continuation.of(entry).isPresent()
                                            ? "continued as new"
                                            : "restarted from line " + begun.from())
                                    + "  generation " + begun.number() + "  " + Text.time(entry.at()),
                            null)));
        }
        rows.sort(Comparator.comparing(Row::at));
        return rows;
    }

    private @Nullable String text(HistoryLine line, boolean colors) {
        return switch (line.kind()) {
            case STEP -> stepText(line, colors);
            case TIMER ->
                "timer \"" + line.name() + "\"  until "
                        + (line.document() == null ? "-" : Text.time(Instant.parse(unquoted(line.document()))));
            case TIMED_OUT -> "time limit of \"" + line.name() + "\" passed  " + Text.time(line.at());
            case CANCELLED -> "cancellation delivered  " + Text.time(line.at());
            case ABANDONED -> "step " + line.name() + " given up  " + Text.time(line.at());
            case VALUE, PUBLISHED -> null;
        };
    }

    private static String unquoted(String document) {
        return document.replace("\"", "");
    }

    private String stepText(HistoryLine line, boolean colors) {
        TaskState state = state(line);
        Task step = step(line);
        InboxEntry end = end(line);
        StringBuilder text = new StringBuilder(line.name())
                .append("  ")
                .append(Colors.painted(state == null ? "not stored" : state.word(), colors));
        if (step != null && step.progress().attempt() > 0) {
            text.append("  ").append(Text.count(step.progress().attempt(), "attempt"));
        }
        text.append("  ").append(Text.time(line.at()));
        if (end != null) {
            text.append("  took ").append(Text.span(Duration.between(line.at(), end.at())));
        }
        text.append("  ").append(line.task());
        if (end != null && end.error() != null) {
            text.append("  ").append(Text.cut(Text.firstLine(end.error()), 100));
        }
        return text.toString();
    }

    private static String text(EffectRecord effect, boolean colors) {
        Instant settled = effect.settledAt();
        return "local \"" + effect.id().label() + "\"  "
                + Colors.painted(Text.words(effect.state().word()), colors) + "  " + Text.time(effect.intendedAt())
                + (settled == null ? "" : "  took " + Text.span(Duration.between(effect.intendedAt(), settled)));
    }

    /** Says in words what the workflow waits for; null if it does not wait. */
    @Nullable
    String waitsFor() {
        Task.Progress progress = task.progress();
        if (task.state() == TaskState.RUNNING || !task.state().isOpen()) {
            return null;
        }
        if (progress.attempt() == 0) {
            return "a worker";
        }
        if (progress.lastError() != null && progress.lastError().contains("does not fit its history")) {
            return "code that fits its history; it is tried again at " + Text.time(progress.dueAt())
                    + ", or at once by \"semel workflow resume\"";
        }
        String events = String.join(", or ", events());
        HistoryLine timer = timer();
        if (task.state() == TaskState.WAITING) {
            return events.isEmpty() ? "a signal" : events;
        }
        boolean due = progress.dueAt() == null || !progress.dueAt().isAfter(history.now());
        if (due || (timer == null && events.isEmpty())) {
            return "a worker";
        }
        String time = Text.time(progress.dueAt());
        if (timer == null) {
            return events + ", until " + time;
        }
        return timer.name().equals("sleep")
                ? "its time, " + time + (events.isEmpty() ? "" : "; meanwhile open: " + events)
                : "signal \"" + timer.name() + "\", until " + time;
    }

    /** The timer that the code waits for at the end of its history, or null. */
    private @Nullable HistoryLine timer() {
        return history.lines().isEmpty() || history.lines().getLast().kind() != Kind.TIMER
                ? null
                : history.lines().getLast();
    }

    /** Returns whether a later generation has run the local step under another name in the ledger. */
    private boolean isSuperseded(EffectRecord effect) {
        String name = effect.id().name().replaceFirst("@.*", "");
        return effects.stream()
                .anyMatch(other -> other.intendedAt().isAfter(effect.intendedAt())
                        && other.id().name().startsWith(name + "@")
                        && other.id().index() == effect.id().index());
    }

    /** The open steps in words, steps of one type together, and those that wait for a person. */
    private List<String> events() {
        Map<String, List<HistoryLine>> open = new TreeMap<>(Comparator.naturalOrder());
        for (HistoryLine line : stepLines()) {
            if (!ends.containsKey(line.task())) {
                open.computeIfAbsent(line.name(), name -> new ArrayList<>()).add(line);
            }
        }
        List<String> words = new ArrayList<>();
        for (EffectRecord effect : effects) {
            if (effect.state() == EffectState.UNKNOWN && effect.note() != null && !isSuperseded(effect)) {
                words.add("a person: the outcome of local step \"" + effect.id().label()
                        + "\" is unknown; resolve it with \"semel effect resolve\"");
            }
        }
        open.forEach((name, lines) -> {
            TaskState state = state(lines.getFirst());
            words.add(
                    lines.size() == 1
                            ? "step \"" + name + "\" (" + (state == null ? "not stored" : state.word()) + ")"
                            : lines.size() + " steps \"" + name + "\"");
        });
        return words;
    }
}
