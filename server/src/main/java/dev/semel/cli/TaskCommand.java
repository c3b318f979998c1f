package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.io.PrintStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task …}: looks at tasks, and cancels them. */
final class TaskCommand {

    private TaskCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Looks at tasks and cancels them: show, list, result, explain, cancel.",
                "semel task list --queue payments --state failed",
                "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                "semel task result 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --wait 30s");
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("list", new TaskListCommand().spec());
        spec.addSubcommand("result", new TaskResultCommand().spec());
        spec.addSubcommand("explain", new TaskExplainCommand().spec());
        spec.addSubcommand("cancel", new TaskCancelCommand().spec());
        return spec;
    }

    /** The task of this id, if the tenant that was asked for may see it. */
    static Task find(TaskStore store, TaskId id, @Nullable String tenant) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null || (tenant != null && !tenant.equals(task.tenant()))) {
            throw new TaskNotFound(
                    "There is no task \"" + id + "\", or its data is no longer stored. Look at the id, --store and"
                            + " --tenant; \"semel task list\" shows what is there.",
                    id);
        }
        return task;
    }

    /** {@code semel task show ID}: all that is stored of a task. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                            this,
                            "Shows all that is stored of a task, its attempts included.",
                            "",
                            "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                            "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --json")
                    .addPositional(Options.position(0, "ID", "The task id that submit or list printed."));
        }

        @Override
        public int run(Invocation invocation) {
            TaskId id = TaskId.parse(invocation.position(0));
            String tenant = invocation.tenant();
            Console console = invocation.console();
            try (TaskStore store = invocation.store().openExisting()) {
                Task task = find(store, id, tenant);
                List<Attempt> attempts = store.attempts(id);
                if (invocation.json()) {
                    console.out().println(TaskJson.whole(task, attempts));
                } else {
                    print(task, attempts, console);
                }
                return ExitCode.DONE;
            }
        }
    }

    /** All that is stored of a task, for a person. */
    static void print(Task task, List<Attempt> attempts, Console console) {
        Task.Progress progress = task.progress();
        Identity identity = task.identity();
        PrintStream out = console.out();
        line(out, "Task", task.id().toString());
        line(out, "State", task.state().word() + (progress.cancelRequested() ? ", cancel requested" : ""));
        line(out, "Type", task.type());
        line(out, "Queue", task.queue());
        line(out, "Tenant", task.tenant());
        if (identity != null) {
            line(out, "Key", identity.key() + " (scope " + TaskJson.scope(identity) + ", run " + task.run() + ")");
        }
        line(out, "Created", Text.time(task.createdAt()));
        if (progress.finishedAt() == null) {
            line(out, task.state().word().equals("running") ? "Lease ends" : "Due", Text.time(progress.dueAt()));
        } else {
            line(out, "Finished", Text.time(progress.finishedAt()));
        }
        String input = task.input();
        line(
                out,
                "Input",
                input == null
                        ? "no longer stored"
                        : Text.cut(Text.printable(input), Math.max(20, console.width() - 12)));
        String result = progress.result();
        if (result != null) {
            line(out, "Result", Text.cut(Text.printable(result), Math.max(20, console.width() - 12)));
        }
        if (attempts.isEmpty()) {
            line(out, "Attempts", "none yet");
            return;
        }
        out.println();
        Table table = new Table("!ATTEMPT", "!OUTCOME", "!STARTED", "!ENDED", "WORKER", "ERROR");
        for (Attempt attempt : attempts) {
            String outcome = TaskJson.outcome(attempt);
            table.add(
                    Integer.toString(attempt.number()),
                    outcome == null ? "running" : outcome,
                    Text.time(attempt.startedAt()),
                    Text.time(attempt.endedAt()),
                    attempt.worker(),
                    Text.firstLine(attempt.error()));
        }
        table.print(console);
    }

    static void line(PrintStream out, String name, String value) {
        out.println(name + " ".repeat(12 - name.length()) + value);
    }
}
