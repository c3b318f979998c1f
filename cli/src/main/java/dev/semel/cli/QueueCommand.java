package dev.semel.cli;

import dev.semel.Operations;
import dev.semel.Semel;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code semel queue …}: lists queues and changes their settings, for all programs on the store. */
final class QueueCommand {

    private static final String RATE_LIMIT = "--rate-limit";
    private static final String CONCURRENCY = "--concurrency";
    private static final String RETENTION = "--retention";
    private static final String TTL = "--idempotency-ttl";
    private static final String DEAD_LETTER_QUEUE = "--dead-letter-queue";
    private static final String REUSE = "--reuse";
    private static final String CREATE = "--create";

    private QueueCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Lists queues and changes their settings: list, pause, resume, set, reset, forget.",
                "semel queue list --watch",
                "semel queue pause payments",
                "semel queue set payments --rate-limit 100/sec --concurrency 5");
        spec.addSubcommand("list", new QueueListCommand().spec());
        spec.addSubcommand(
                "pause",
                new Change(
                                "Pauses a queue: no task of it is claimed until it is resumed.",
                                "Running tasks continue, and submissions are accepted.",
                                "semel queue pause payments",
                                Unknown.CREATED,
                                Operations::pause)
                        .spec());
        spec.addSubcommand(
                "resume",
                new Change(
                                "Resumes a paused queue.",
                                "",
                                "semel queue resume payments",
                                Unknown.REFUSED,
                                Operations::resume)
                        .spec());
        spec.addSubcommand("set", new Set().spec());
        spec.addSubcommand(
                "reset",
                new Change(
                                "Removes all settings made at run time, a pause included.",
                                "The queue then has the settings that code and configuration declare.",
                                "semel queue reset payments",
                                Unknown.LEFT,
                                Operations::reset)
                        .spec());
        spec.addSubcommand(
                "forget",
                new Change(
                                "Removes all settings of a queue, those that code and configuration declared included.",
                                "A queue without tasks is then no longer listed. A program that declares it does so"
                                        + " again at its next start. No task is removed.",
                                "semel queue forget paymnets",
                                Unknown.LEFT,
                                Operations::forget)
                        .spec());
        return spec;
    }

    /** What a command does with a queue that has neither tasks nor settings, which is probably a typo. */
    private enum Unknown {
        /** Changes it only if the user says that it is new. */
        CREATED,
        /** Refuses to change it. */
        REFUSED,
        /** Has nothing to do. */
        LEFT
    }

    private static OptionSpec createOption() {
        return Options.flag(CREATE, "The queue may be new. Otherwise a queue without tasks and settings is an error.");
    }

    /** Checks that the queue exists. Returns false if it does not and there is nothing to do. */
    private static boolean isKnown(Invocation invocation, TaskStore store, String queue, Unknown unknown) {
        if (unknown == Unknown.CREATED && invocation.has(CREATE)) {
            return true;
        }
        String what = QueueLookup.missing(invocation, store, queue).orElse(null);
        if (what == null) {
            return true;
        }
        if (unknown != Unknown.LEFT) {
            throw new Refusal(
                    ExitCode.NOT_FOUND,
                    "QueueNotFound",
                    what + (unknown == Unknown.CREATED ? " Give " + CREATE + " if it is a new one." : ""));
        }
        if (!invocation.json()) {
            invocation.console().err().println(what + " Nothing was changed.");
        }
        return false;
    }

    /** Returns the given queue. A queue belongs to all tenants. */
    private static String queue(Invocation invocation) {
        invocation.refuseTenant("A queue belongs to all tenants");
        return Limits.name("queue", invocation.position(0));
    }

    private static int change(Invocation invocation, String queue, Unknown unknown, Consumer<Operations> change) {
        StoreUrl url = invocation.store();
        boolean create = unknown == Unknown.CREATED && invocation.has(CREATE);
        TaskStore store = create ? url.open() : url.openExisting();
        try (Semel semel = invocation.operator(store)) {
            if (isKnown(invocation, store, queue, unknown)) {
                change.accept(semel.operations());
            }
            QueueSetUp setUp = store.queues().getOrDefault(queue, QueueSetUp.NONE);
            Console console = invocation.console();
            if (invocation.json()) {
                console.out().println(QueueJson.setUp(new JsonText().put("queue", queue), setUp));
            } else {
                String said = QueueJson.text(setUp);
                console.out()
                        .println("Queue \"" + queue + "\": " + (said.isEmpty() ? "no settings of its own" : said) + "."
                                + (said.contains("*") ? " (* set at run time)" : ""));
            }
            return ExitCode.DONE;
        }
    }

    /** A command that changes a queue and takes no options. */
    private record Change(
            String line, String more, String example, Unknown unknown, BiConsumer<Operations, String> operation)
            implements Command {

        @Override
        public CommandSpec spec() {
            CommandSpec spec = Options.command(this, line, more, example)
                    .addPositional(Options.position(0, "QUEUE", "The queue."));
            return unknown == Unknown.CREATED ? spec.addOption(createOption()) : spec;
        }

        @Override
        public int run(Invocation invocation) {
            String queue = queue(invocation);
            return change(invocation, queue, unknown, operations -> operation.accept(operations, queue));
        }
    }

    /** {@code semel queue set}: changes the settings of a queue at run time. */
    private static final class Set implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                            this,
                            "Changes the settings of a queue for all programs on the store.",
                            "They override code and" + " configuration until \"semel queue reset\".",
                            "semel queue set payments --rate-limit 100/sec --concurrency 5",
                            "semel queue set payments --rate-limit none",
                            "semel queue set payments --retention 30d --dead-letter-queue graveyard")
                    .addPositional(Options.position(0, "QUEUE", "The queue."))
                    .addOption(Options.value(
                            RATE_LIMIT,
                            "LIMIT",
                            "How many tasks may start, across all workers: 100/sec, 500/min, 10/hour, 1/day, or none."))
                    .addOption(Options.value(
                            CONCURRENCY,
                            "N",
                            "How many tasks may run at the same time, across all workers; 0 for no" + " limit."))
                    .addOption(Options.value(
                            RETENTION,
                            "DURATION",
                            "How long a finished task's data is kept; 0 deletes it when the" + " task ends."))
                    .addOption(Options.value(
                            TTL, "DURATION", "The window of keys, if neither the type nor the submission sets it."))
                    .addOption(Options.value(
                            DEAD_LETTER_QUEUE,
                            "QUEUE",
                            "The queue to which dead letters are forwarded; \"\" for" + " none."))
                    .addOption(Options.value(
                            REUSE,
                            "POLICY",
                            "The reuse policy, as for submit, if neither the type" + " nor the submission sets it."))
                    .addOption(createOption());
        }

        @Override
        public int run(Invocation invocation) {
            String queue = queue(invocation);
            QueueSettings changes = changes(invocation);
            return change(invocation, queue, Unknown.CREATED, operations -> operations.set(queue, changes));
        }

        private static QueueSettings changes(Invocation invocation) {
            String limit = invocation.text(RATE_LIMIT);
            String reuse = invocation.text(REUSE);
            QueueSettings changes = new QueueSettings(
                    null,
                    limit == null ? null : RateLimit.parse(limit),
                    invocation.number(CONCURRENCY),
                    invocation.duration(RETENTION),
                    invocation.duration(TTL),
                    reuse == null ? null : SubmitCommand.reuse(reuse),
                    invocation.text(DEAD_LETTER_QUEUE));
            if (changes.equals(QueueSettings.NONE)) {
                throw new InvalidInput("No setting is given. Give at least one of "
                        + String.join("," + " ", RATE_LIMIT, CONCURRENCY, RETENTION, TTL, DEAD_LETTER_QUEUE) + " and "
                        + REUSE + ".");
            }
            return changes;
        }
    }
}
