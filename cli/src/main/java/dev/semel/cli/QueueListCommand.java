package dev.semel.cli;

import dev.semel.Operations.QueueView;
import dev.semel.Semel;
import dev.semel.store.QueueDepth;
import dev.semel.store.TaskStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel queue list}: lists queues with their depth, the age of the oldest due task and their settings. */
final class QueueListCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Watch.option(Options.command(
                this,
                "Lists queues: their tasks, how long the oldest has been due, and their settings.",
                "",
                "semel queue list",
                "semel queue list --watch 1s",
                "semel queue list --tenant acme",
                "semel queue list --json"));
    }

    @Override
    public int run(Invocation invocation) {
        String tenant = invocation.tenant();
        Duration interval = Watch.interval(invocation);
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            return Watch.show(invocation, interval, () -> {
                List<QueueView> queues = tenant == null
                        ? semel.operations().queues()
                        : semel.operations().queues(tenant);
                if (invocation.json()) {
                    printJson(queues, invocation.console());
                } else {
                    printText(queues, invocation.console());
                }
            });
        }
    }

    private static void printJson(List<QueueView> queues, Console console) {
        console.out()
                .println(new JsonText()
                        .objects(
                                "queues",
                                queues.stream().map(QueueListCommand::json).toList()));
    }

    private static JsonText json(QueueView queue) {
        QueueDepth depth = queue.depth();
        JsonText json = new JsonText()
                .put("queue", queue.name())
                .put("due", depth.due())
                .put("delayed", depth.delayed())
                .put("running", depth.running())
                .put("waiting", depth.waiting())
                .put("dead", depth.dead())
                .put("oldest_due_at", depth.oldestDue());
        Duration age = age(depth);
        if (age != null) {
            json.put("oldest_due_seconds", age.toSeconds());
        }
        return QueueJson.setUp(json, queue.setUp());
    }

    private static void printText(List<QueueView> queues, Console console) {
        if (queues.isEmpty()) {
            console.out().println("No queues.");
            return;
        }
        Table table =
                new Table("QUEUE", "!DUE", "!DELAYED", "!RUNNING", "!WAITING", "!DEAD", "!OLDEST DUE", "SETTINGS");
        boolean marked = false;
        for (QueueView queue : queues) {
            QueueDepth depth = queue.depth();
            Duration age = age(depth);
            String settings = QueueJson.text(queue.setUp());
            marked |= settings.contains("*");
            table.add(
                    queue.name(),
                    Long.toString(depth.due()),
                    Long.toString(depth.delayed()),
                    Long.toString(depth.running()),
                    Long.toString(depth.waiting()),
                    Long.toString(depth.dead()),
                    age == null ? "-" : Text.span(age),
                    settings);
        }
        table.print(console);
        if (marked) {
            console.out().println("* set at run time; all other settings are declared by code or configuration");
        }
    }

    /** Returns the age of the oldest due task, by this machine's clock, which may be slightly off. */
    private static @Nullable Duration age(QueueDepth depth) {
        Instant oldest = depth.oldestDue();
        if (oldest == null) {
            return null;
        }
        Duration age = Duration.between(oldest, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }
}
