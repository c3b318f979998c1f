package dev.semel.cli;

import dev.semel.Operations;
import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.Workflows;
import dev.semel.engine.RawJson;
import dev.semel.store.History;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.UUID;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel workflow …}: starts, shows and operates workflows, which are named by their type and id. */
final class WorkflowCommand {

    private static final String KEY = "--key";
    private static final String QUEUE = "--queue";
    private static final String TIMEOUT = "--timeout";
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(30);

    private WorkflowCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Workflows: start, show, list, signal, ask, cancel, terminate, resume, restart, history.",
                "semel workflow start process_order order-456 '{\"id\":\"456\"}'",
                "semel workflow show process_order order-456",
                "semel workflow signal process_order order-456 approved true");
        spec.addSubcommand("start", new Start().spec());
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("list", new WorkflowListCommand().spec());
        spec.addSubcommand("signal", new Signal().spec());
        spec.addSubcommand("ask", new Ask().spec());
        spec.addSubcommand(
                "cancel",
                new Change(
                                "cancel",
                                "Requests the cancellation of a workflow: its steps are cancelled, then its code may"
                                        + " clean up.",
                                "The cancellation was requested.",
                                Workflows::cancel)
                        .spec());
        spec.addSubcommand("terminate", new Terminate().spec());
        spec.addSubcommand(
                "resume",
                new Change(
                                "resume",
                                "Tries a workflow again at once that stopped because its code does not fit its"
                                        + " history.",
                                "It is tried again.",
                                Workflows::resume)
                        .spec());
        spec.addSubcommand("restart", new WorkflowRestartCommand().spec());
        spec.addSubcommand("history", new ShowHistory().spec());
        return spec;
    }

    static CommandSpec named(CommandSpec spec) {
        return spec.addPositional(Options.position(0, "TYPE", "The workflow type."))
                .addPositional(Options.position(1, "ID", "The id that the workflow was started with."));
    }

    static WorkflowType<RawJson, RawJson> type(Invocation invocation) {
        return WorkflowType.of(
                TaskType.of(Limits.name("workflow type", invocation.position(0)), RawJson.class, RawJson.class));
    }

    static Workflows workflows(Invocation invocation, Semel semel) {
        return semel.workflows(invocation.tenantOrDefault());
    }

    private static WorkflowReport report(Invocation invocation, Semel semel, TaskStore store) {
        TaskId id = workflows(invocation, semel).taskId(type(invocation), invocation.position(1));
        Task task = TaskCommand.find(store, id, invocation.tenant());
        History history = workflows(invocation, semel).history(type(invocation), invocation.position(1));
        return new WorkflowReport(task, history, store);
    }

    private static int print(Invocation invocation, TaskId task, String words) {
        invocation
                .console()
                .out()
                .println(
                        invocation.json()
                                ? new JsonText()
                                        .put("type", invocation.position(0))
                                        .put("id", invocation.position(1))
                                        .put("task_id", task.toString())
                                        .toString()
                                : "Workflow \"" + Text.shown(invocation.position(1)) + "\" (task " + task + "): "
                                        + words);
        return ExitCode.DONE;
    }

    /** {@code semel workflow start}: starts a workflow, once for each id. */
    private static final class Start implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Starts a workflow, once for each id.",
                            "A program with a worker for the type runs it.",
                            "semel workflow start process_order order-456 '{\"id\":\"456\"}'"))
                    .addPositional(Options.position(2, "INPUT", "The input: JSON, @FILE, or - for standard input."))
                    .addOption(Options.value(
                            QUEUE, "QUEUE", "The queue. Default: that of the configured type, or \"default\"."));
        }

        @Override
        public int run(Invocation invocation) {
            WorkflowType<RawJson, RawJson> type = type(invocation);
            RawJson input = new RawJson(InputArgument.read(invocation.position(2), invocation.console()));
            String queue = invocation.name("queue", QUEUE);
            try (Semel semel = invocation.semel(invocation.store().open())) {
                var request = semel.submit(type.taskType(), input)
                        .idempotencyKey(Limits.key(invocation.position(1)))
                        .tenant(invocation.tenantOrDefault());
                Submission<RawJson> started = (queue == null ? request : request.queue(queue)).send();
                return print(
                        invocation,
                        started.taskId(),
                        started.created()
                                ? "started."
                                : "was started before, at " + Text.time(started.createdAt()) + ".");
            }
        }
    }

    /** {@code semel workflow show}: shows a workflow with its steps, and what it waits for. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                    this,
                    "Shows a workflow, its steps with their states and attempts, and what it waits for.",
                    "",
                    "semel workflow show process_order order-456"));
        }

        @Override
        public int run(Invocation invocation) {
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                report(invocation, semel, store).print(invocation);
                return ExitCode.DONE;
            }
        }
    }

    /** {@code semel workflow history}: prints the history of a workflow. */
    private static final class ShowHistory implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                    this,
                    "Prints what the code of a workflow did, and what happened to it.",
                    "With --json it is what WorkflowReplay of the testkit checks code against.",
                    "semel workflow history process_order order-456 --json"));
        }

        @Override
        public int run(Invocation invocation) {
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                report(invocation, semel, store).printHistory(invocation);
                return ExitCode.DONE;
            }
        }
    }

    /** {@code semel workflow signal}: sends a signal. */
    private static final class Signal implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Sends a signal to a workflow. It is kept until the workflow's code asks for it.",
                            "",
                            "semel workflow signal process_order order-456 approved true --key decision-456"))
                    .addPositional(Options.position(2, "NAME", "The name of the signal."))
                    .addPositional(
                            Options.position(3, "VALUE", "What it carries: JSON, @FILE, or - for standard input."))
                    .addOption(Options.value(
                            KEY,
                            "KEY",
                            "The key of the signal: one that was accepted before changes nothing. Default: a"
                                    + " random one."));
        }

        @Override
        public int run(Invocation invocation) {
            RawJson value = new RawJson(InputArgument.read("value", invocation.position(3), invocation.console()));
            String key = invocation.text(KEY);
            try (Semel semel = invocation.operator(invocation.store().openExisting())) {
                Workflows workflows = workflows(invocation, semel);
                String id = invocation.position(1);
                if (key == null) {
                    workflows.signal(type(invocation), id, invocation.position(2), value);
                } else {
                    workflows.signal(type(invocation), id, invocation.position(2), value, key);
                }
                return print(invocation, workflows.taskId(type(invocation), id), "the signal was accepted.");
            }
        }
    }

    /** {@code semel workflow ask}: asks a running workflow and prints its answer. */
    private static final class Ask implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                            this,
                            "Asks a running workflow and prints its answer.",
                            "Each key is answered once: asked again, it gets the same answer.",
                            "semel workflow ask process_order order-456 total null --key total-1"))
                    .addPositional(Options.position(2, "NAME", "The name of the question."))
                    .addPositional(
                            Options.position(3, "VALUE", "What it carries: JSON, @FILE, or - for standard input."))
                    .addOption(Options.value(KEY, "KEY", "The key of the question. Default: a random one."))
                    .addOption(Options.value(TIMEOUT, "DURATION", "How long to wait for the answer. Default: 30s."));
        }

        @Override
        public int run(Invocation invocation) {
            RawJson value = new RawJson(InputArgument.read("value", invocation.position(3), invocation.console()));
            String given = invocation.text(KEY);
            String key = given == null ? UUID.randomUUID().toString() : given;
            try (Semel semel = invocation.operator(invocation.store().openExisting())) {
                String answer = workflows(invocation, semel)
                        .ask(
                                type(invocation),
                                invocation.position(1),
                                invocation.position(2),
                                value,
                                RawJson.class,
                                key,
                                invocation.duration(TIMEOUT, USUAL_TIMEOUT))
                        .map(RawJson::text)
                        .orElse("null");
                invocation
                        .console()
                        .out()
                        .println(
                                invocation.json()
                                        ? new JsonText()
                                                .put("key", key)
                                                .raw("answer", answer)
                                                .toString()
                                        : answer);
                return ExitCode.DONE;
            }
        }
    }

    /** A command that sends a request to a workflow. */
    private static final class Change implements Command {

        private final String name;
        private final String line;
        private final String done;
        private final Request request;

        /** What is requested. */
        private interface Request {
            void send(Workflows workflows, WorkflowType<?, ?> type, String id);
        }

        Change(String name, String line, String done, Request request) {
            this.name = name;
            this.line = line;
            this.done = done;
            this.request = request;
        }

        @Override
        public CommandSpec spec() {
            return named(Options.command(this, line, "", "semel workflow " + name + " process_order order-456"));
        }

        @Override
        public int run(Invocation invocation) {
            try (Semel semel = invocation.operator(invocation.store().openExisting())) {
                Workflows workflows = workflows(invocation, semel);
                request.send(workflows, type(invocation), invocation.position(1));
                return print(invocation, workflows.taskId(type(invocation), invocation.position(1)), done);
            }
        }
    }

    /** {@code semel workflow terminate}: ends a workflow without its code. */
    private static final class Terminate implements Command {

        @Override
        public CommandSpec spec() {
            return named(Options.command(
                    this,
                    "Ends a workflow without running its code; its steps go on.",
                    "",
                    "semel workflow terminate process_order order-456"));
        }

        @Override
        public int run(Invocation invocation) {
            try (Semel semel = invocation.operator(invocation.store().openExisting())) {
                Workflows workflows = workflows(invocation, semel);
                TaskId id = workflows.taskId(type(invocation), invocation.position(1));
                Operations.Cancellation answer = workflows.terminate(type(invocation), invocation.position(1));
                return print(
                        invocation,
                        id,
                        switch (answer) {
                            case CANCELLED -> "it has ended.";
                            case ASKED -> "its code runs; it ends as soon as that does.";
                            case ENDED -> "it had ended before.";
                        });
            }
        }
    }
}
