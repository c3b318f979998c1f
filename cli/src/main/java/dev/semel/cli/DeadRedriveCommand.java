package dev.semel.cli;

import dev.semel.Operations;
import dev.semel.Operations.Outlook;
import dev.semel.Operations.Redriving;
import dev.semel.Semel;
import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel dead redrive}: runs dead letters again. */
final class DeadRedriveCommand implements Command {

    @Override
    public CommandSpec spec() {
        return TaskSelection.options(
                Options.command(
                        this,
                        "Runs dead letters again, selected by ids or by a filter.",
                        "Each runs as the same task with the same input and a new retry budget. A dead letter whose"
                                + " key belongs to a newer task is superseded and is not changed.",
                        "semel dead redrive 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                        "semel dead redrive --queue payments --type charge --dry-run",
                        "semel dead redrive --queue payments --yes --json"),
                DeadCommand.DEAD);
    }

    @Override
    public int run(Invocation invocation) {
        TaskSelection selection = TaskSelection.read(invocation, DeadCommand.DEAD);
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
        for (TaskId id : selection.ids()) {
            try {
                one(TaskCommand.find(store, id, invocation.tenant()), selection.dryRun(), operations, report);
            } catch (TaskNotFound e) {
                report.refused(OutcomeReport.task(id, "not_found"), e);
            }
        }
        return report.end(selection.dryRun());
    }

    private static void one(Task task, boolean dryRun, Operations operations, OutcomeReport report) {
        Optional<Outlook> outlook = operations.previewRedrive(task.id());
        if (outlook.isEmpty()) {
            report.refused(OutcomeReport.task(task.id(), "not_dead"), notDead(task, ExitCode.EXISTS));
            return;
        }
        Redriving outcome = dryRun ? expected(outlook.get()) : operations.redrive(task.id());
        JsonText json = dryRun ? json(outlook.get(), false) : OutcomeReport.task(task.id(), word(outcome));
        switch (outcome) {
            case REDRIVEN ->
                report.done(json, dryRun ? line(outlook.get()) : "Task " + task.id() + " is pending again.");
            case SUPERSEDED -> {
                // Read again, because another task may have taken the key in between.
                Outlook now = operations.previewRedrive(task.id()).orElse(outlook.get());
                report.refused(dryRun ? json : json.put("superseded_by", newer(now)), superseded(now));
            }
            case NOT_DEAD -> report.refused(json, notDead(task, ExitCode.EXISTS));
        }
    }

    static Refusal notDead(Task task, int code) {
        return new Refusal(
                code,
                "NotDead",
                "Task " + task.id() + " is not a dead letter: it is "
                        + task.state().word() + ", or was redriven just"
                        + " now. \"semel dead list\" lists dead letters.",
                task.id(),
                task.state());
    }

    private static Refusal superseded(Outlook outlook) {
        return new Refusal(
                ExitCode.EXISTS,
                "Superseded",
                forecast(outlook) + " It was not changed.",
                outlook.supersededBy(),
                null);
    }

    /** Says what a redrive would do with a dead letter. */
    static String forecast(Outlook outlook) {
        TaskId id = outlook.task().id();
        String newer = newer(outlook);
        return newer == null
                ? "A redrive would run task " + id + " again."
                : "Task " + id + " is superseded: its key belongs to the newer task " + newer
                        + ", so a redrive would change nothing.";
    }

    /** Returns a dead letter as JSON, with what a redrive would do with it. */
    static JsonText json(Outlook outlook, boolean tokens) {
        return TaskJson.whole(new TaskHistory(outlook.task(), outlook.attempts(), outlook.effects(), Map.of()), tokens)
                .put("outcome", word(expected(outlook)))
                .put("superseded_by", newer(outlook));
    }

    private static @Nullable String newer(Outlook outlook) {
        TaskId newer = outlook.supersededBy();
        return newer == null ? null : newer.toString();
    }

    private static int preview(Invocation invocation, TaskQuery filter, Operations operations) {
        Console console = invocation.console();
        List<JsonText> shown = new ArrayList<>();
        AtomicLong count = new AtomicLong();
        AtomicLong superseded = new AtomicLong();
        operations.previewRedriveAll(filter, outlook -> {
            if (outlook.supersededBy() != null) {
                superseded.incrementAndGet();
            }
            if (count.incrementAndGet() > TaskSelection.SHOWN) {
                return;
            }
            if (invocation.json()) {
                shown.add(json(outlook, false));
            } else {
                console.out().println(line(outlook));
            }
        });
        long redriven = count.get() - superseded.get();
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("dry_run", true)
                            .put("count", count.get())
                            .put("redriven", redriven)
                            .put("superseded", superseded.get())
                            .objects("tasks", shown));
        } else {
            console.out()
                    .println("Would redrive " + Text.count(redriven, "task") + "; " + superseded.get()
                            + " superseded. Nothing was changed.");
        }
        return ExitCode.DONE;
    }

    /** Returns one line: what a redrive would do, and how the attempts ended. */
    private static String line(Outlook outlook) {
        Task task = outlook.task();
        Identity identity = task.identity();
        String newer = newer(outlook);
        String effects = new EffectOutlook(outlook.effects()).line();
        return task.id() + "  " + (newer == null ? "would run again" : "SUPERSEDED by " + newer) + "  " + task.type()
                + " in " + task.queue()
                + (identity == null ? "" : ", key " + Text.printable(identity.key()) + ", run " + task.run())
                + ", attempts: "
                + outlook.attempts().stream().map(DeadRedriveCommand::described).collect(Collectors.joining(", "))
                + (effects.isEmpty() ? "" : ", effects " + effects)
                + (task.progress().lastError() == null
                        ? ""
                        : "  " + Text.cut(Text.firstLine(task.progress().lastError()), 100));
    }

    private static String described(Attempt attempt) {
        String outcome = TaskJson.outcome(attempt);
        return attempt.number() + " " + (outcome == null ? "running" : outcome);
    }

    private static int all(
            Invocation invocation, TaskSelection selection, TaskQuery filter, TaskStore store, Operations operations) {
        Console console = invocation.console();
        long total = TaskSelection.count(invocation, store, filter, DeadCommand.DEAD);
        if (!selection.isConfirmed(
                invocation, "redrive " + (total < 0 ? "all of them" : Text.count(total, "dead letter")))) {
            console.out().println("Nothing was changed.");
            return ExitCode.FAILED;
        }
        Map<Redriving, Long> counts = new EnumMap<>(Redriving.class);
        try (Bar bar = new Bar(invocation, "redrive", total)) {
            operations.redriveAll(filter, (task, outcome) -> {
                counts.merge(outcome, 1L, Long::sum);
                bar.step();
            });
        }
        long redriven = counts.getOrDefault(Redriving.REDRIVEN, 0L);
        long superseded = counts.getOrDefault(Redriving.SUPERSEDED, 0L);
        long notDead = counts.getOrDefault(Redriving.NOT_DEAD, 0L);
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("redriven", redriven)
                            .put("superseded", superseded)
                            .put("not_dead", notDead));
        } else {
            console.out()
                    .println("Redrove " + Text.count(redriven, "task") + "; " + superseded + " superseded"
                            + (notDead == 0 ? "." : ", " + notDead + " no longer dead."));
        }
        return ExitCode.DONE;
    }

    private static Redriving expected(Outlook outlook) {
        return outlook.supersededBy() == null ? Redriving.REDRIVEN : Redriving.SUPERSEDED;
    }

    private static String word(Redriving outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }
}
