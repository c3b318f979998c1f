package dev.semel.cli;

import dev.semel.Operations;
import dev.semel.Operations.Cancellation;
import dev.semel.Semel;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task cancel}: cancels open tasks. */
final class TaskCancelCommand implements Command {

    private static final Set<TaskState> OPEN = EnumSet.of(TaskState.PENDING, TaskState.RUNNING, TaskState.WAITING);

    @Override
    public CommandSpec spec() {
        return TaskSelection.options(
                Options.command(
                        this,
                        "Cancels tasks, selected by ids or by a filter.",
                        "A pending or waiting task ends immediately. A running task is asked to end: it stays open,"
                                + " and keeps its key, until its handler ends or its lease expires.",
                        "semel task cancel 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                        "semel task cancel --queue mail --state pending --dry-run",
                        "semel task cancel --queue mail --yes"),
                OPEN);
    }

    @Override
    public int run(Invocation invocation) {
        TaskSelection selection = TaskSelection.read(invocation, OPEN);
        TaskQuery filter = selection.filter();
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            if (filter == null) {
                return byIds(invocation, selection, store, semel.operations());
            }
            return selection.dryRun()
                    ? preview(invocation, filter, semel.operations())
                    : all(invocation, selection, filter, store, semel.operations());
        }
    }

    private static int byIds(Invocation invocation, TaskSelection selection, TaskStore store, Operations operations) {
        OutcomeReport report = new OutcomeReport(invocation);
        String tenant = invocation.tenant();
        for (TaskId id : selection.ids()) {
            try {
                Task task = TaskCommand.find(store, id, tenant);
                Cancellation outcome = selection.dryRun() ? expected(task) : operations.cancel(id);
                JsonText json = OutcomeReport.task(id, word(outcome));
                switch (outcome) {
                    case CANCELLED ->
                        report.done(json, (selection.dryRun() ? "Would cancel" : "Cancelled") + " task " + id + ".");
                    case ASKED ->
                        report.done(
                                json,
                                "Task " + id + " is running: " + (selection.dryRun() ? "would ask" : "asked") + " its"
                                        + " worker to end it.");
                    case ENDED -> report.refused(json, ended(TaskCommand.find(store, id, tenant)));
                }
            } catch (TaskNotFound e) {
                report.refused(OutcomeReport.task(id, "not_found"), e);
            }
        }
        return report.end(selection.dryRun());
    }

    private static Refusal ended(Task task) {
        return new Refusal(
                ExitCode.EXISTS,
                "TaskAlreadyFinished",
                "Only an open task can be cancelled, but task " + task.id() + " is "
                        + task.state().word() + "." + " Nothing was changed.",
                task.id(),
                task.state());
    }

    private static Cancellation expected(Task task) {
        return switch (task.state()) {
            case PENDING, WAITING, CANCELLED -> Cancellation.CANCELLED;
            case RUNNING -> Cancellation.ASKED;
            case COMPLETED, FAILED, TIMED_OUT -> Cancellation.ENDED;
        };
    }

    private static int preview(Invocation invocation, TaskQuery filter, Operations operations) {
        List<Task> shown = new ArrayList<>();
        AtomicLong count = new AtomicLong();
        operations.previewCancelAll(filter, task -> {
            if (count.incrementAndGet() <= TaskSelection.SHOWN) {
                shown.add(task);
            }
        });
        Console console = invocation.console();
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("dry_run", true)
                            .put("count", count.get())
                            .objects(
                                    "tasks",
                                    shown.stream()
                                            .map(task -> TaskJson.summary(task).put("outcome", word(expected(task))))
                                            .toList()));
            return ExitCode.DONE;
        }
        if (!shown.isEmpty()) {
            TaskListCommand.table(shown, console).print(console);
        }
        console.out().println("Would cancel " + Text.count(count.get(), "task") + "; nothing was changed.");
        return ExitCode.DONE;
    }

    private static int all(
            Invocation invocation, TaskSelection selection, TaskQuery filter, TaskStore store, Operations operations) {
        Console console = invocation.console();
        long total = TaskSelection.count(invocation, store, filter, OPEN);
        if (!selection.isConfirmed(invocation, "cancel " + (total < 0 ? "all of them" : Text.count(total, "task")))) {
            console.out().println("Nothing was changed.");
            return ExitCode.FAILED;
        }
        Map<Cancellation, Long> counts = new EnumMap<>(Cancellation.class);
        try (Bar bar = new Bar(invocation, "cancel", total)) {
            operations.cancelAll(filter, (task, outcome) -> {
                counts.merge(outcome, 1L, Long::sum);
                bar.step();
            });
        }
        long cancelled = counts.getOrDefault(Cancellation.CANCELLED, 0L);
        long asked = counts.getOrDefault(Cancellation.ASKED, 0L);
        long ended = counts.getOrDefault(Cancellation.ENDED, 0L);
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("cancelled", cancelled)
                            .put("asked", asked)
                            .put("ended", ended));
        } else {
            console.out()
                    .println("Cancelled " + Text.count(cancelled, "task") + "."
                            + (asked == 0
                                    ? ""
                                    : " Asked the workers of " + Text.count(asked, "running task") + " to" + " end.")
                            + (ended == 0 ? "" : " Ended meanwhile: " + ended + "."));
        }
        return ExitCode.DONE;
    }

    private static String word(Cancellation outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
