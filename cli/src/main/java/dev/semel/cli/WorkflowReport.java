package dev.semel.cli;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.HistoryLine.Kind;
import dev.semel.store.InboxEntry;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Shows a workflow, its steps and its history. */
final class WorkflowReport {

    private final Task task;
    private final History history;
    private final Map<TaskId, Task> steps;
    private final Map<TaskId, InboxEntry> ends = new HashMap<>();

    WorkflowReport(Task task, History history, TaskStore store) {
        this.task = task;
        this.history = history;
        List<TaskId> ids = new ArrayList<>();
        history.lines().forEach(line -> {
            if (line.kind() == Kind.STEP) {
                ids.add(Objects.requireNonNull(line.task()));
            }
        });
        this.steps = store.find(ids);
        history.inbox().forEach(entry -> {
            if (entry.step() != null) {
                ends.putIfAbsent(entry.step(), entry);
            }
        });
    }

    void print(Invocation invocation) {
        PrintStream out = invocation.console().out();
        if (invocation.json()) {
            out.println(TaskJson.summary(task)
                    .put("waits_for", waitsFor())
                    .objects("steps", stepLines().stream().map(this::json).toList()));
            return;
        }
        boolean colors = invocation.console().hasColors();
        TaskCommand.line(out, "Task", task.id().toString());
        TaskCommand.line(out, "State", Colors.painted(task.state().word(), colors));
        TaskCommand.line(out, "Type", task.type());
        TaskCommand.line(out, "Created", Text.time(task.createdAt()));
        if (task.progress().finishedAt() != null) {
            TaskCommand.line(out, "Finished", Text.time(task.progress().finishedAt()));
        }
        String waits = waitsFor();
        if (waits != null) {
            TaskCommand.line(out, "Waits for", waits);
        }
        String error = task.progress().lastError();
        if (error != null) {
            TaskCommand.line(out, "Error", Text.cut(Text.firstLine(error), 200));
        }
        TaskCommand.line(
                out,
                "History",
                history.lines().size() + " lines, " + history.inbox().size() + " entries");
        List<HistoryLine> all = stepLines();
        for (int i = 0; i < all.size(); i++) {
            HistoryLine line = all.get(i);
            out.println((i == all.size() - 1 ? "└─ " : "├─ ") + line.name() + "  "
                    + Colors.painted(state(line), colors) + attempts(line) + "  " + Text.time(line.at()) + "  "
                    + line.task());
        }
    }

    private List<HistoryLine> stepLines() {
        return history.lines().stream().filter(line -> line.kind() == Kind.STEP).toList();
    }

    private String state(HistoryLine line) {
        InboxEntry end = ends.get(line.task());
        Task step = steps.get(line.task());
        TaskState state = end != null ? end.state() : step == null ? null : step.state();
        return state == null ? "not stored" : state.word();
    }

    private String attempts(HistoryLine line) {
        Task step = steps.get(line.task());
        return step == null ? "" : "  attempt " + step.progress().attempt();
    }

    private JsonText json(HistoryLine line) {
        InboxEntry end = ends.get(line.task());
        Task step = steps.get(line.task());
        JsonText json = new JsonText()
                .put("line", line.number())
                .put("type", line.name())
                .put("task_id", String.valueOf(line.task()))
                .put("state", state(line))
                .put("started_at", line.at())
                .put("ended_at", end == null ? null : end.at())
                .put("error", end == null ? null : end.error());
        return step == null ? json : json.put("attempt", step.progress().attempt());
    }

    /** Says in words what the workflow waits for; null if it does not wait. */
    private @Nullable String waitsFor() {
        if (task.state() == TaskState.RUNNING || !task.state().isOpen()) {
            return null;
        }
        List<String> open = new ArrayList<>();
        for (HistoryLine line : stepLines()) {
            if (!ends.containsKey(line.task())) {
                open.add("step \"" + line.name() + "\" (line " + line.number() + ")");
            }
        }
        String steps = open.isEmpty()
                ? "a signal, or to be resumed"
                : String.join(", ", open.subList(0, Math.min(5, open.size())))
                        + (open.size() > 5 ? " and " + (open.size() - 5) + " more" : "");
        if (task.state() == TaskState.WAITING) {
            return steps;
        }
        return task.progress().attempt() == 0 || !hasTimer()
                ? "a worker"
                : "its time, " + Text.time(task.progress().dueAt()) + ", or " + steps;
    }

    private boolean hasTimer() {
        return !history.lines().isEmpty() && history.lines().getLast().kind() == Kind.TIMER;
    }

    static void print(Invocation invocation, History history) {
        PrintStream out = invocation.console().out();
        if (invocation.json()) {
            out.println(new JsonText()
                    .objects(
                            "lines",
                            history.lines().stream().map(WorkflowReport::line).toList())
                    .objects(
                            "inbox",
                            history.inbox().stream().map(WorkflowReport::entry).toList()));
            return;
        }
        Table table = new Table("!TIME", "!WHAT", "NAME", "!TASK OR KEY", "VALUE");
        List<String[]> rows = new ArrayList<>();
        int next = 0;
        for (InboxEntry entry : history.inbox()) {
            while (next < history.lines().size()
                    && !history.lines().get(next).at().isAfter(entry.at())) {
                rows.add(row(history.lines().get(next++)));
            }
            rows.add(row(entry));
        }
        while (next < history.lines().size()) {
            rows.add(row(history.lines().get(next++)));
        }
        rows.forEach(table::add);
        if (rows.isEmpty()) {
            out.println("The workflow has not begun.");
        } else {
            table.print(invocation.console());
        }
    }

    private static String[] row(HistoryLine line) {
        return new String[] {
            Text.time(line.at()),
            line.number() + " " + line.kind().word(),
            line.name(),
            line.task() == null ? "-" : line.task().toString(),
            line.document() == null ? "-" : Text.printable(line.document())
        };
    }

    private static String[] row(InboxEntry entry) {
        TaskState state = entry.state();
        String value = entry.document() == null ? entry.error() : entry.document();
        return new String[] {
            Text.time(entry.at()),
            "<- " + (state == null ? "signal" : state.word()),
            entry.name(),
            entry.step() == null ? String.valueOf(entry.key()) : entry.step().toString(),
            value == null ? "-" : Text.printable(Text.firstLine(value))
        };
    }

    private static JsonText line(HistoryLine line) {
        return new JsonText()
                .put("number", line.number())
                .put("kind", line.kind().word())
                .put("name", line.name())
                .put("task_id", line.task() == null ? null : line.task().toString())
                .put("at", line.at())
                .raw("value", line.document());
    }

    private static JsonText entry(InboxEntry entry) {
        TaskState state = entry.state();
        return new JsonText()
                .put("number", entry.number())
                .put("name", entry.name())
                .put("task_id", entry.step() == null ? null : entry.step().toString())
                .put("state", state == null ? null : state.word())
                .put("key", entry.key())
                .put("at", entry.at())
                .put("error", entry.error())
                .raw("value", entry.document());
    }
}
