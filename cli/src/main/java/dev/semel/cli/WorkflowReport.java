package dev.semel.cli;

import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskState;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Shows a workflow, its steps and its history. */
final class WorkflowReport {

    private final Task task;
    private final History history;
    private final WorkflowTree tree;

    WorkflowReport(Task task, History history, TaskStore store) {
        this.task = task;
        this.history = history;
        this.tree = new WorkflowTree(store, task, history);
    }

    void print(Invocation invocation) {
        PrintStream out = invocation.console().out();
        if (invocation.json()) {
            out.println(TaskJson.summary(task)
                    .put("waits_for", tree.waitsFor())
                    .objects("steps", tree.stepLines().stream().map(this::json).toList())
                    .objects(
                            "effects",
                            tree.effects().stream()
                                    .map(effect -> EffectJson.of(effect, false))
                                    .toList()));
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
        String waits = tree.waitsFor();
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
                Text.count(history.lines().size(), "line") + ", "
                        + (history.inbox().size() == 1
                                ? "1 entry"
                                : history.inbox().size() + " entries"));
        tree.print(out, colors);
    }

    private JsonText json(HistoryLine line) {
        InboxEntry end = tree.end(line);
        Task step = tree.step(line);
        TaskState state = tree.state(line);
        JsonText json = new JsonText()
                .put("line", line.number())
                .put("type", line.name())
                .put("task_id", String.valueOf(line.task()))
                .put("state", state == null ? "not stored" : state.word())
                .put("started_at", line.at())
                .put("ended_at", end == null ? null : end.at())
                .put("error", end == null ? null : end.error());
        return step == null ? json : json.put("attempt", step.progress().attempt());
    }

    /** Prints the whole history; with {@code --json} with all that a replay of the code in a test needs. */
    void printHistory(Invocation invocation) {
        PrintStream out = invocation.console().out();
        if (invocation.json()) {
            Identity identity = task.identity();
            out.println(new JsonText()
                    .put("type", task.type())
                    .put("id", identity == null ? task.id().toString() : identity.key())
                    .put("task_id", task.id().toString())
                    .put("lineage", task.lineage().toString())
                    .put("tenant", task.tenant())
                    .put("queue", task.queue())
                    .put("state", task.state().word())
                    .put("created_at", task.createdAt())
                    .put("read_at", history.now())
                    .put("input_gone", task.dataGone())
                    .raw("input", task.input())
                    .objects(
                            "effects",
                            tree.effects().stream()
                                    .map(effect -> EffectJson.of(effect, false))
                                    .toList())
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
