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

/** {@code semel queue …}: looks at queues and changes what they do, for all programs on the store. */
final class QueueCommand {

    private static final String RATE_LIMIT = "--rate-limit";
    private static final String CONCURRENCY = "--concurrency";
    private static final String RETENTION = "--retention";
    private static final String TTL = "--idempotency-ttl";
    private static final String DEAD_LETTER_QUEUE = "--dead-letter-queue";
    private static final String REUSE = "--reuse";

    private QueueCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Looks at queues and changes what they do: list, pause, resume, set, reset.",
                "semel queue list --watch",
                "semel queue pause payments",
                "semel queue set payments --rate-limit 100/sec --concurrency 5");
        spec.addSubcommand("list", new QueueListCommand().spec());
        spec.addSubcommand(
                "pause",
                new Change(
                                "Lets no task of a queue be claimed until it is resumed.",
                                "What runs goes on, and submissions are taken.",
                                "semel queue pause payments",
                                true,
                                Operations::pause)
                        .spec());
        spec.addSubcommand(
                "resume",
                new Change("Ends a pause.", "", "semel queue resume payments", false, Operations::resume).spec());
        spec.addSubcommand("set", new Set().spec());
        spec.addSubcommand(
                "reset",
                new Change(
                                "Forgets what was set at run time, a pause included.",
                                "The queue is then as code and configuration declare it.",
                                "semel queue reset payments",
                                false,
                                Operations::reset)
                        .spec());
        return spec;
    }

    /** The queue that was named. It belongs to all tenants. */
    private static String queue(Invocation invocation) {
        invocation.refuseTenant("A queue belongs to all tenants");
        return Limits.name("queue", invocation.position(0));
    }

    private static int change(Invocation invocation, String queue, boolean create, Consumer<Operations> change) {
        StoreUrl url = invocation.store();
        TaskStore store = create ? url.open() : url.openExisting();
        try (Semel semel = invocation.operator(store)) {
            change.accept(semel.operations());
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

    /** A change that needs nothing but the queue. */
    private record Change(
            String line, String more, String example, boolean create, BiConsumer<Operations, String> operation)
            implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(this, line, more, example).addPositional(Options.position(0, "QUEUE", "The queue."));
        }

        @Override
        public int run(Invocation invocation) {
            String queue = queue(invocation);
            return change(invocation, queue, create, operations -> operation.accept(operations, queue));
        }
    }

    /** {@code semel queue set}: changes settings from now on. */
    private static final class Set implements Command {

        @Override
        public CommandSpec spec() {
            return Options.command(
                            this,
                            "Changes settings of a queue from now on, for all programs on the store.",
                            "It wins over code and configuration, until \"semel queue reset\".",
                            "semel queue set payments --rate-limit 100/sec --concurrency 5",
                            "semel queue set payments --rate-limit none",
                            "semel queue set payments --retention 30d --dead-letter-queue graveyard")
                    .addPositional(Options.position(0, "QUEUE", "The queue."))
                    .addOption(Options.value(
                            RATE_LIMIT,
                            "LIMIT",
                            "How many tasks may start, over all workers: 100/sec, 500/min, 10/hour, 1/day, or none."))
                    .addOption(Options.value(
                            CONCURRENCY, "N", "How many tasks may run at once, over all workers; 0 for no limit."))
                    .addOption(Options.value(
                            RETENTION, "DURATION", "How long a finished task's data is kept; 0 lets it go at its end."))
                    .addOption(Options.value(
                            TTL, "DURATION", "How long keys answer, where type and submission do not say."))
                    .addOption(Options.value(
                            DEAD_LETTER_QUEUE, "QUEUE", "The queue that is told of dead letters; \"\" for none."))
                    .addOption(Options.value(REUSE, "POLICY", "As for submit, where type and submission do not say."));
        }

        @Override
        public int run(Invocation invocation) {
            String queue = queue(invocation);
            QueueSettings changes = changes(invocation);
            return change(invocation, queue, true, operations -> operations.set(queue, changes));
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
                throw new InvalidInput("What to set is said by "
                        + String.join(", ", RATE_LIMIT, CONCURRENCY, RETENTION, TTL, DEAD_LETTER_QUEUE)
                        + " or " + REUSE + ", but got nothing. Give one of them.");
            }
            return changes;
        }
    }
}
