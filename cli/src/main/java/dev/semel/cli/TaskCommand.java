package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.io.PrintStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code semel task …}: looks at tasks, and cancels them. */
final class TaskCommand {

    static final String TOKENS = "--tokens";

    private static final int INDENT = 12;

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

    static OptionSpec tokens() {
        return Options.flag(TOKENS, "Show the token of each effect as well, for looking it up with the provider.");
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
                            "Shows all that is stored of a task, its attempts and its effects included.",
                            "",
                            "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                            "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --json")
                    .addPositional(Options.position(0, "ID", "The task id that submit or list printed."))
                    .addOption(tokens());
        }

        @Override
        public int run(Invocation invocation) {
            TaskId id = TaskId.parse(invocation.position(0));
            String tenant = invocation.tenant();
            Console console = invocation.console();
            try (TaskStore store = invocation.store().openExisting()) {
                Task task = find(store, id, tenant);
                TaskHistory history = TaskHistory.of(store, task);
                boolean tokens = invocation.has(TOKENS);
                if (invocation.json()) {
                    console.out().println(TaskJson.whole(history, tokens));
                } else {
                    print(history, tokens, console);
                }
                return ExitCode.DONE;
            }
        }
    }

    /** All that is stored of a task, for a person. */
    static void print(TaskHistory history, boolean tokens, Console console) {
        Task task = history.task();
        Task.Progress progress = task.progress();
        Identity identity = task.identity();
        PrintStream out = console.out();
        line(out, "Task", task.id().toString());
        line(out, "State", state(history, console.hasColors()));
        history.parkedFor().ifPresent(effect -> printResolving(out, task, effect));
        line(out, "Type", task.type());
        line(out, "Queue", task.queue());
        line(out, "Tenant", task.tenant());
        if (identity != null) {
            line(out, "Key", identity.key() + " (scope " + TaskJson.scope(identity) + ", run " + task.run() + ")");
        }
        line(out, "Created", Text.time(task.createdAt()));
        if (progress.finishedAt() != null) {
            line(out, "Finished", Text.time(progress.finishedAt()));
        } else if (history.parkedFor().isEmpty()) {
            line(out, task.state().word().equals("running") ? "Lease ends" : "Due", Text.time(progress.dueAt()));
        }
        String input = task.input();
        int room = Math.max(20, console.width() - INDENT);
        line(out, "Input", input == null ? "no longer stored" : Text.cut(Text.printable(input), room));
        String result = progress.result();
        if (result != null) {
            line(out, "Result", Text.cut(Text.printable(result), room));
        }
        if (history.attempts().isEmpty()) {
            line(out, "Attempts", "none yet");
        }
        if (!history.attempts().isEmpty() || !history.effects().isEmpty()) {
            out.println();
            new Timeline(history, tokens, console).print();
        }
    }

    private static String state(TaskHistory history, boolean colors) {
        Task task = history.task();
        String word = Colors.painted(task.state().word(), colors);
        String parked = history.parkedFor()
                .map(effect ->
                        ", parked: nobody knows whether effect \"" + effect.id().label() + "\" happened")
                .orElse("");
        return word + parked + (task.progress().cancelRequested() ? ", cancel requested" : "");
    }

    /** How to let a parked task go on. */
    private static void printResolving(PrintStream out, Task task, EffectRecord effect) {
        line(out, "Resolve", EffectResolveCommand.example(task.id(), effect.id()));
        line(out, "", "  --attempt " + effect.by().attempt() + " --reason TEXT");
        line(out, "", "  --done [RESULT] | --not-done | --give-up");
    }

    static void line(PrintStream out, String name, String value) {
        out.println(name + " ".repeat(INDENT - name.length()) + value);
    }
}
