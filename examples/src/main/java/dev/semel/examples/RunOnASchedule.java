package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.schedule.Overlap;
import dev.semel.schedule.Schedule;
import dev.semel.schedule.StoredSchedule;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The program of docs/how-to/schedules.md. */
public final class RunOnASchedule {

    record Day(String day) {}

    record Ping(String host) {}

    static final TaskType<Day, String> REPORT = TaskType.of("build_report", Day.class, String.class);

    static final TaskType<Ping, String> PING = TaskType.of("ping", Ping.class, String.class);

    static final WorkflowType<Day, String> CLOSING = WorkflowType.of("closing", Day.class, String.class);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private RunOnASchedule() {}

    /**
     * Runs the program in memory.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        run(System.out);
    }

    // snippet: declare
    static Semel open(TaskStore store) {
        return Semel.on(store)
                .schedule(Schedule.cron("nightly-report", "0 3 * * *", ZoneId.of("Europe/Berlin"))
                        .template(REPORT, "{\"day\":\"${tick.date}\"}")
                        .build())
                .build();
    }
    // end

    static void run(PrintStream out) {
        // A clock that is moved by hand, so that the program prints the same on every machine.
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2027-03-27T12:00:00Z"));
        InMemoryTaskStore store = new InMemoryTaskStore(now::get);
        try (Semel semel = open(store)) {
            look(semel, out);
            // The program was down for two nights: the last missed tick is made.
            now.set(Instant.parse("2027-03-29T07:00:00Z"));
            TaskId made = firstTick(semel);
            out.println("made: " + semel.handle(REPORT, made).result(PATIENCE));
            operate(semel, out);
            others(semel);
            out.println("schedules: "
                    + semel.schedules().list(null, 10).stream()
                            .map(schedule -> schedule.id().name())
                            .toList());
        }
    }

    private static TaskId firstTick(Semel semel) {
        semel.worker("default")
                .handle(REPORT, (context, day) -> "report of " + day.day())
                .start();
        StoredSchedule report = semel.schedules().get("nightly-report");
        while (report.state().last() == null) {
            Thread.onSpinWait();
            report = semel.schedules().get("nightly-report");
        }
        return report.state().last();
    }

    private static void look(Semel semel, PrintStream out) {
        // snippet: look
        StoredSchedule report = semel.schedules().get("nightly-report");
        out.println("next: " + report.next().orElseThrow());
        for (Instant tick : semel.schedules().next("nightly-report", 3)) {
            out.println("then: " + tick);
        }
        // end
    }

    private static void operate(Semel semel, PrintStream out) {
        // snippet: operate
        semel.schedules().pause("nightly-report", "the source is being moved");
        semel.schedules().resume("nightly-report");
        TaskId now = semel.schedules().trigger("nightly-report", false);
        // end
        out.println("triggered: " + semel.handle(REPORT, now).result(PATIENCE));
    }

    private static void others(Semel semel) {
        // snippet: workflow
        Schedule closing = Schedule.cron("closing", "0 18 * * MON-FRI", ZoneId.of("Europe/Berlin"))
                .workflow(CLOSING, new Day("today"))
                .build();
        // end
        semel.schedules().put(closing);
        // snippet: others
        Schedule ping = Schedule.every("ping", Duration.ofSeconds(30))
                .task(PING, new Ping("db-1"))
                .overlap(Overlap.SKIP)
                .build();
        Schedule launch = Schedule.at("launch", List.of(Instant.parse("2027-03-01T08:00:00Z")))
                .task(PING, new Ping("everybody"))
                .build();
        // end
        semel.schedules().put(ping);
        semel.schedules().put(launch);
    }
}
