package dev.semel.cli;

import dev.semel.RestartPreview;
import dev.semel.Semel;
import dev.semel.Workflows;
import dev.semel.engine.RawJson;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskState;
import dev.semel.workflow.WorkflowType;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel workflow restart}: runs a workflow again from a step, and says which steps are read back. */
final class WorkflowRestartCommand implements Command {

    private static final String FROM = "--from";
    private static final String PREVIEW = "--preview";

    @Override
    public CommandSpec spec() {
        return WorkflowCommand.named(Options.command(
                        this,
                        "Restarts a workflow, as the same task: steps before a step are read back, the others run again.",
                        "Without --from it is restarted from the first step without success. One that has undone what it did is"
                                + " restarted from its beginning. Steps that run again and are still open are cancelled, unless they"
                                + " have a key.",
                        "semel workflow restart process_order order-456 --preview",
                        "semel workflow restart process_order order-456 --from ship_order"))
                .addOption(
                        Options.value(
                                FROM,
                                "STEP",
                                "The first step to run again: its task type, or the number of a line of the history; 0 for everything."))
                .addOption(Options.flag(PREVIEW, "Only say what would be read back and what would run."));
    }

    @Override
    public int run(Invocation invocation) {
        try (Semel semel = invocation.operator(invocation.store().openExisting())) {
            Workflows workflows = WorkflowCommand.workflows(invocation, semel);
            WorkflowType<RawJson, RawJson> type = WorkflowCommand.type(invocation);
            String id = invocation.position(1);
            RestartPreview preview = workflows.previewRestart(type, id);
            String step = invocation.text(FROM);
            if (step != null) {
                preview = workflows.previewRestart(type, id, line(step, preview));
            }
            Workflows.@Nullable Restarting outcome = invocation.has(PREVIEW) ? null : workflows.restart(preview);
            if (invocation.json()) {
                invocation.console().out().println(json(preview, outcome));
            } else {
                print(invocation.console().out(), preview, outcome);
            }
            return outcome == null || outcome == Workflows.Restarting.RESTARTED ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    /** The line that is meant: a number, or the only step of a type. */
    private static int line(String step, RestartPreview preview) {
        if (step.chars().allMatch(Character::isDigit)) {
            try {
                return Integer.parseInt(step);
            } catch (NumberFormatException e) {
                throw new InvalidInput("There is no line \"" + Text.shown(step) + "\".", e);
            }
        }
        List<RestartPreview.Step> named =
                preview.steps().stream().filter(one -> one.type().equals(step)).toList();
        if (named.isEmpty()) {
            throw new InvalidInput("The workflow has no step \"" + Text.shown(step)
                    + "\". Choose one that \"semel workflow show\" has.");
        }
        if (named.size() > 1) {
            throw new InvalidInput("The workflow has " + named.size() + " steps \"" + Text.shown(step)
                    + "\", in the lines "
                    + String.join(
                            ", ", named.stream().map(one -> "" + one.line()).toList())
                    + ". Choose one by the number of its line.");
        }
        return named.getFirst().line();
    }

    private static void print(PrintStream out, RestartPreview preview, Workflows.@Nullable Restarting outcome) {
        out.println("Workflow (task " + preview.task() + "): "
                + (outcome == null
                        ? "would begin generation " + (preview.generation() + 1) + " with line "
                                + Math.max(preview.from(), 1) + "."
                        : switch (outcome) {
                            case RESTARTED ->
                                "generation " + (preview.generation() + 1) + " begins with line "
                                        + Math.max(preview.from(), 1) + ".";
                            case RUNS ->
                                "not restarted: its code runs at this moment, it has not begun, or it waits for a person.";
                            case SUPERSEDED -> "not restarted: a newer task has its id.";
                            case CHANGED -> "not restarted: its history has changed. Preview it again.";
                        }));
        if (outcome != null && outcome != Workflows.Restarting.RESTARTED) {
            return;
        }
        for (RestartPreview.Step step : preview.steps()) {
            out.println("  " + (step.isKept() ? (step.state() == null ? "waited for" : "read back ") : "runs again")
                    + "  " + step.line() + "  " + step.type() + "  " + state(step) + "  " + step.task());
        }
        for (RestartPreview.LocalStep step : preview.localSteps()) {
            out.println("  " + (step.isKept() ? "read back " : "runs again") + "  local \"" + step.name() + "\"");
        }
    }

    private static String state(RestartPreview.Step step) {
        TaskState state = step.state();
        return state == null ? "open" : state.word();
    }

    private static JsonText json(RestartPreview preview, Workflows.@Nullable Restarting outcome) {
        return new JsonText()
                .put("task_id", preview.task().toString())
                .put("outcome", outcome == null ? null : outcome.name().toLowerCase(Locale.ROOT))
                .put("generation", preview.generation() + 1)
                .put("from", preview.from())
                .objects(
                        "steps",
                        preview.steps().stream()
                                .map(step -> new JsonText()
                                        .put("line", step.line())
                                        .put("type", step.type())
                                        .put("task_id", step.task().toString())
                                        .put("state", state(step))
                                        .put("kept", step.isKept()))
                                .toList())
                .objects(
                        "local_steps",
                        preview.localSteps().stream()
                                .map(step ->
                                        new JsonText().put("name", step.name()).put("kept", step.isKept()))
                                .toList());
    }
}
