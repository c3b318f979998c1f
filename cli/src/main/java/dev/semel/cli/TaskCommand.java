package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code semel task …}: shows and cancels tasks. */
final class TaskCommand {

    static final String TOKENS = "--tokens";

    private static final int INDENT = 12;

    private TaskCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Shows, cancels and erases tasks: show, list, result, explain, cancel, erase.",
                "semel task list --queue payments --state failed",
                "semel task show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                "semel task result 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --wait 30s");
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("list", new TaskListCommand().spec());
        spec.addSubcommand("result", new TaskResultCommand().spec());
        spec.addSubcommand("explain", new TaskExplainCommand().spec());
        spec.addSubcommand("cancel", new TaskCancelCommand().spec());
        spec.addSubcommand("erase", new TaskEraseCommand().spec());
        return spec;
    }

    static OptionSpec tokens() {
        return Options.flag(TOKENS, "Also show the token of each effect, to look it up at the provider.");
    }

    /** Returns the task with this id, if it belongs to the given tenant. */
    static Task find(TaskStore store, TaskId id, @Nullable String tenant) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null || (tenant != null && !tenant.equals(task.tenant()))) {
            throw new TaskNotFound(
                    "There is no task \"" + id + "\", or its data is no longer stored. Check the id, --store and"
                            + " --tenant; \"semel task list\" lists the tasks.",
                    id);
        }
        return task;
    }

    /** {@code semel task show ID}: shows everything that is stored about a task. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                            this,
                            "Shows everything that is stored about a task, including its attempts and effects.",
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

    /** Prints everything that is stored about a task. */
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
            line(
                    out,
                    "Key",
                    Text.line(identity.key()) + " (scope " + TaskJson.scope(identity) + ", run " + task.run() + ")");
        }
        line(out, "Created", Text.time(task.createdAt()));
        printLimits(out, task);
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
        String error = progress.lastError();
        // An attempt's own error is shown with the attempt. A task that a person gave up has an error besides: who and
        // why.
        if (error != null && history.attempts().stream().noneMatch(attempt -> error.equals(attempt.error()))) {
            error.lines()
                    .flatMap(line -> Text.wrapped(Text.printable(line), room).stream())
                    .forEach(new LabelledLines(out, "Error")::print);
        }
        if (history.attempts().isEmpty()) {
            line(out, "Attempts", "none yet");
        }
        if (!history.attempts().isEmpty() || !history.effects().isEmpty()) {
            out.println();
            new Timeline(history, tokens, console).print();
        }
    }

    /** Prints the time limits and the tags that a task was submitted with. */
    private static void printLimits(PrintStream out, Task task) {
        TimeLimits limits = task.options().limits();
        Instant startBy = limits == null ? null : limits.startBy(task.createdAt());
        Instant deadline = limits == null ? null : limits.deadline(task.createdAt());
        if (startBy != null) {
            line(out, "Start by", Text.time(startBy));
        }
        if (deadline != null) {
            line(out, "Deadline", Text.time(deadline));
        }
        WorkflowOptions workflow = task.options().workflow();
        if (workflow != null && workflow.timeLimit() != null) {
            line(out, "Time limit", Durations.text(workflow.timeLimit()) + " from its start, or its last restart");
        }
        if (!task.options().tags().isEmpty()) {
            line(out, "Tags", String.join(", ", task.options().tags()));
        }
    }

    private static String state(TaskHistory history, boolean colors) {
        Task task = history.task();
        String word = Colors.painted(task.state().word(), colors);
        String parked = history.parkedFor()
                .map(effect ->
                        ", parked: the outcome of effect \"" + effect.id().label() + "\" is unknown")
                .orElse("");
        return word + parked + (task.progress().cancelRequested() ? ", cancel requested" : "");
    }

    /** Prints how to resolve the effect of a parked task. */
    private static void printResolving(PrintStream out, Task task, EffectRecord effect) {
        line(out, "Resolve", EffectResolveCommand.example(task.id(), effect.id()));
        line(out, "", "  --attempt " + effect.by().attempt() + " --reason TEXT");
        line(out, "", "  --done [RESULT] | --not-done | --give-up");
    }

    /** Prints lines of which only the first has a label. */
    private static final class LabelledLines {

        private final PrintStream out;
        private String label;

        LabelledLines(PrintStream out, String label) {
            this.out = out;
            this.label = label;
        }

        void print(String text) {
            line(out, label, text);
            label = "";
        }
    }

    static void line(PrintStream out, String name, String value) {
        out.println(name + " ".repeat(INDENT - name.length()) + value);
    }
}
