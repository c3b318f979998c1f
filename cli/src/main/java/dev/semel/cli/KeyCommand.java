package dev.semel.cli;

import dev.semel.Operations.KeyView;
import dev.semel.Operations.Release;
import dev.semel.Semel;
import dev.semel.TypeSettings;
import dev.semel.store.KeyRecord;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Scope;
import dev.semel.task.TaskType;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel key …}: shows and releases idempotency keys. */
final class KeyCommand {

    private static final String SCOPE = "--scope";
    private static final String TYPE = "--type";
    private static final String QUEUE = "--queue";

    private KeyCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Shows and releases idempotency keys: show, release.",
                "semel key show charge-ORD-123 --type charge",
                "semel key release charge-ORD-123 --type charge");
        spec.addSubcommand("show", new Show().spec());
        spec.addSubcommand("release", new ReleaseKey().spec());
        return spec;
    }

    private static CommandSpec options(CommandSpec spec) {
        return spec.addPositional(Options.position(0, "KEY", "The key, as given to submit."))
                .addOption(Options.value(TYPE, "TYPE", "The task type; required for a key of scope type."))
                .addOption(Options.value(QUEUE, "QUEUE", "The queue; required for a key of scope queue."))
                .addOption(Options.scope("Scope of the key: type, queue, tenant, custom:NAME. Default: the scope of the"
                        + " task type, or else type."));
    }

    /** Returns the identity that a submission with these options would have. */
    private static Identity identity(Invocation invocation) {
        String key = invocation.position(0);
        String type = invocation.name("task type", TYPE);
        String queue = invocation.name("queue", QUEUE);
        TypeSettings configured =
                type == null ? TypeSettings.NONE : invocation.settings().task(type);
        String word = invocation.text(SCOPE);
        Scope scope = word == null ? first(configured.scope(), Scope.type()) : Scope.parse(word);
        boolean missing = switch (scope.kind()) {
            case TYPE -> type == null;
            case QUEUE -> queue == null && type == null;
            case TENANT, CUSTOM -> false;
        };
        if (missing) {
            String needed = scope.kind() == Scope.Kind.TYPE ? TYPE : QUEUE;
            throw new InvalidInput("A key of scope " + scope.word() + " requires " + needed + ", but got only the key"
                    + " \"" + Text.shown(key) + "\". Give " + needed + " as well, or another " + SCOPE + ".");
        }
        String in = queue == null ? first(configured.queue(), TaskType.DEFAULT_QUEUE) : queue;
        return Identity.of(invocation.tenantOrDefault(), scope, in, type == null ? "" : type, key);
    }

    private static <T> T first(@Nullable T given, T otherwise) {
        return given == null ? otherwise : given;
    }

    private static JsonText json(Identity identity) {
        return new JsonText()
                .put("key", identity.key())
                .put("tenant", identity.tenant())
                .put("scope", TaskJson.scope(identity));
    }

    private static String named(Identity identity) {
        return "Key \"" + Text.shown(identity.key()) + "\" (tenant " + identity.tenant() + ", scope "
                + TaskJson.scope(identity)
                + (identity.scopeKind() == Scope.Kind.TYPE || identity.scopeKind() == Scope.Kind.QUEUE
                        ? " " + identity.scopeName()
                        : "")
                + ")";
    }

    /** {@code semel key show KEY}: shows the record of a key, and the tasks that were created with it. */
    private static final class Show implements Command {

        @Override
        public CommandSpec spec() {
            return options(Options.command(
                    this,
                    "Shows the record of a key, how often it was used, and the tasks that were created with it.",
                    "",
                    "semel key show charge-ORD-123 --type charge",
                    "semel key show ORD-123 --scope queue --queue payments --json"));
        }

        @Override
        public int run(Invocation invocation) {
            Identity identity = identity(invocation);
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                KeyView view = semel.operations().key(identity);
                if (view.record() == null && view.tasks().isEmpty()) {
                    throw new Refusal(
                            ExitCode.NOT_FOUND,
                            "KeyNotFound",
                            named(identity) + " is free, and no task with it is stored. Check the key, " + SCOPE + ", "
                                    + TYPE + ", " + QUEUE + " and --tenant.");
                }
                if (invocation.json()) {
                    KeyRecord record = view.record();
                    invocation
                            .console()
                            .out()
                            .println(json(identity)
                                    .put("free", isFree(record))
                                    .raw(
                                            "record",
                                            record == null
                                                    ? null
                                                    : recordJson(record).toString())
                                    .objects(
                                            "tasks",
                                            view.tasks().stream()
                                                    .map(TaskJson::summary)
                                                    .toList()));
                } else {
                    print(identity, view, invocation.console());
                }
                return ExitCode.DONE;
            }
        }

        /** Returns whether the next submission creates a new task as if the key had never been used. */
        private static boolean isFree(@Nullable KeyRecord record) {
            return record == null || (record.windowPassed() && !record.state().isOpen());
        }

        private static JsonText recordJson(KeyRecord record) {
            return new JsonText()
                    .put("task_id", record.taskId().toString())
                    .put("type", record.type())
                    .put("state", record.state().word())
                    .put("run", record.run())
                    .put("lineage", record.lineage().toString())
                    .put("input_hash", record.inputHash().toString())
                    .put("created_at", record.createdAt())
                    .put("expires_at", record.expiresAt())
                    .put("window_passed", record.windowPassed())
                    .put("finished_at", record.finishedAt())
                    .put("data_gone", record.dataGone())
                    .put("duplicates", record.duplicates())
                    .put("last_duplicate_at", record.lastDuplicateAt());
        }

        private static void print(Identity identity, KeyView view, Console console) {
            PrintStream out = console.out();
            KeyRecord record = view.record();
            TaskCommand.line(out, "Key", Text.line(identity.key()));
            TaskCommand.line(out, "Tenant", identity.tenant());
            TaskCommand.line(out, "Scope", TaskJson.scope(identity));
            if (record == null) {
                TaskCommand.line(out, "Record", "none: the key is free");
            } else {
                String window = record.state().isOpen()
                        ? "open until its task ends, and at least until " + Text.time(record.expiresAt())
                        : record.windowPassed()
                                ? "passed at " + Text.time(record.expiresAt()) + ": the key is free"
                                : "until " + Text.time(record.expiresAt());
                TaskCommand.line(
                        out, "Task", record.taskId() + ", " + record.state().word() + ", run " + record.run());
                TaskCommand.line(out, "Created", Text.time(record.createdAt()));
                if (record.finishedAt() != null) {
                    TaskCommand.line(
                            out,
                            "Finished",
                            Text.time(record.finishedAt()) + (record.dataGone() ? ", its data is deleted" : ""));
                }
                TaskCommand.line(out, "Window", window);
                TaskCommand.line(
                        out,
                        "Duplicates",
                        record.duplicates()
                                + (record.lastDuplicateAt() == null
                                        ? ""
                                        : ", last " + Text.time(record.lastDuplicateAt())));
            }
            if (!view.tasks().isEmpty()) {
                out.println();
                TaskListCommand.table(view.tasks(), console).print(console);
            }
        }
    }

    /** {@code semel key release KEY}: releases a key whose task has ended. */
    private static final class ReleaseKey implements Command {

        @Override
        public CommandSpec spec() {
            return options(Options.command(
                    this,
                    "Releases a key whose task has ended: the next submission creates a new task.",
                    "Refused with exit code 4 while the task is open. Releasing a free key changes nothing.",
                    "semel key release charge-ORD-123 --type charge",
                    "semel key release ORD-123 --scope tenant --tenant acme"));
        }

        @Override
        public int run(Invocation invocation) {
            Identity identity = identity(invocation);
            TaskStore store = invocation.store().openExisting();
            try (Semel semel = invocation.operator(store)) {
                Release outcome = semel.operations().release(identity);
                if (outcome == Release.HELD) {
                    throw held(identity, store.record(identity).orElse(null));
                }
                boolean released = outcome == Release.RELEASED;
                invocation
                        .console()
                        .out()
                        .println(
                                invocation.json()
                                        ? json(identity)
                                                .put("outcome", released ? "released" : "free")
                                                .toString()
                                        : named(identity)
                                                + (released
                                                        ? " is free: the next submission creates a new task."
                                                        : " was free already."));
                return ExitCode.DONE;
            }
        }

        private static Refusal held(Identity identity, @Nullable KeyRecord record) {
            return new Refusal(
                    ExitCode.EXISTS,
                    "KeyHeld",
                    "Only a key whose task has ended can be released, but "
                            + (record == null
                                    ? "the task of key \"" + Text.shown(identity.key()) + "\" is open"
                                    : "task " + record.taskId() + " of key \"" + Text.shown(identity.key()) + "\" is "
                                            + record.state().word())
                            + ". Nothing was changed. Wait until the task ends, or cancel it first.",
                    record == null ? null : record.taskId(),
                    record == null ? null : record.state());
        }
    }
}
