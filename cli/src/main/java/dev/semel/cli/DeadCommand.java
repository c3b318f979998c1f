package dev.semel.cli;

import dev.semel.Operations.Outlook;
import dev.semel.Semel;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel dead …}: dead letters, the tasks that used up their budget. */
final class DeadCommand {

    static final Set<TaskState> DEAD = EnumSet.of(TaskState.FAILED, TaskState.TIMED_OUT);

    private DeadCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Dead letters, the tasks that used up their attempts: list, show, redrive.",
                "semel dead list --queue payments",
                "semel dead redrive --queue payments --dry-run",
                "semel dead redrive 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de");
        spec.addSubcommand("list", new List().spec());
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("redrive", new DeadRedriveCommand().spec());
        return spec;
    }

    /** {@code semel dead list}: lists dead letters, newest first. */
    private static final class List implements Command {

        @Override
        public CommandSpec spec() {
            CommandSpec spec = Options.command(
                            this,
                            "Lists dead letters, newest first.",
                            "",
                            "semel dead list",
                            "semel dead list --queue payments --type charge --watch",
                            "semel dead list --state timed_out --json")
                    .addOption(Options.value("--queue", "QUEUE", "Only tasks of this queue."))
                    .addOption(Options.value("--type", "TYPE", "Only tasks of this type."))
                    .addOption(Options.value("--tag", "TAG", "Only tasks that were submitted with this tag."))
                    .addOption(Options.states("Only tasks in this state", DEAD));
            return TaskListCommand.paged(spec);
        }

        @Override
        public int run(Invocation invocation) {
            TaskQuery given = TaskListCommand.query(invocation, null);
            if (!DEAD.containsAll(given.states())) {
                throw new InvalidInput("A dead letter is failed or timed_out, but got --state \""
                        + String.join(", ", invocation.texts("--state")) + "\". \"semel task list\" lists all states.");
            }
            TaskQuery query =
                    given.with(given.states().isEmpty() ? DEAD : given.states(), given.before(), given.limit());
            Duration interval = Watch.interval(invocation);
            try (TaskStore store = invocation.store().openExisting()) {
                return Watch.show(invocation, interval, () -> {
                    Page page = TaskListCommand.page(store, query);
                    if (invocation.json()) {
                        TaskListCommand.printJson(page, invocation.console());
                    } else {
                        print(page, invocation.console());
                    }
                });
            }
        }

        private static void print(Page page, Console console) {
            if (page.tasks().isEmpty()) {
                console.out().println("No dead letters.");
            } else {
                Table table = new Table("!ID", "!STATE", "QUEUE", "TYPE", "KEY", "!TRY", "ERROR");
                for (Task task : page.tasks()) {
                    Identity identity = task.identity();
                    table.add(
                            task.id().toString(),
                            task.state().word(),
                            task.queue(),
                            task.type(),
                            identity == null ? "-" : identity.key(),
                            Integer.toString(task.progress().attempt()),
                            Text.firstLine(task.progress().lastError()));
                }
                table.print(console);
            }
            TaskListCommand.printNext(page, console);
        }
    }

    /** {@code semel dead show ID}: shows a dead letter, and what a redrive would do with it. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                            this,
                            "Shows a dead letter, its attempts and effects, and what a redrive would do with it.",
                            "",
                            "semel dead show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                            "semel dead show 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --json")
                    .addPositional(Options.position(0, "ID", "The task id that list printed."))
                    .addOption(TaskCommand.tokens());
        }

        @Override
        public int run(Invocation invocation) {
            TaskId id = TaskId.parse(invocation.position(0));
            Console console = invocation.console();
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                Task task = TaskCommand.find(store, id, invocation.tenant());
                Outlook outlook = semel.operations()
                        .previewRedrive(id)
                        .orElseThrow(() -> DeadRedriveCommand.notDead(task, ExitCode.NOT_FOUND));
                boolean tokens = invocation.has(TaskCommand.TOKENS);
                if (invocation.json()) {
                    console.out().println(DeadRedriveCommand.json(outlook, tokens));
                } else {
                    TaskHistory history = TaskHistory.of(store, outlook.task(), outlook.attempts(), outlook.effects());
                    TaskCommand.print(history, tokens, console);
                    console.out().println();
                    console.out().println(DeadRedriveCommand.forecast(outlook));
                    if (outlook.supersededBy() == null) {
                        new EffectOutlook(outlook.effects())
                                .sentences()
                                .forEach(sentence ->
                                        Text.wrapped(sentence, console.width()).forEach(console.out()::println));
                    }
                }
                return ExitCode.DONE;
            }
        }
    }
}
