package dev.semel.cli;

import dev.semel.EffectOperations.Resolving;
import dev.semel.Semel;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Nearest;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel effect resolve}: records a person's resolution of an effect with unknown outcome. */
final class EffectResolveCommand implements Command {

    private static final String DONE = "--done";
    private static final String NOT_DONE = "--not-done";
    private static final String GIVE_UP = "--give-up";
    private static final String REASON = "--reason";
    private static final String BY = "--by";
    private static final String ATTEMPT = "--attempt";
    private static final String DRY_RUN = "--dry-run";

    // The maximum number of effects that the "not found" message names.
    private static final int NAMED = 10;

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Resolves an effect with unknown outcome.",
                        "A task that is parked because of the effect continues, or fails with --give-up. The name and"
                                + " the reason are recorded with the effect. The command is refused with exit code 4"
                                + " while the effect is in progress, once it has an outcome, and if another attempt"
                                + " has worked on it since.",
                        "semel effect resolve \"$task\" charge --done '{\"payment\":7}' --reason 'in their list'",
                        "semel effect resolve \"$task\" charge#3 --not-done --reason 'they never saw the token'",
                        "semel effect resolve \"$task\" charge --give-up --reason 'the provider keeps no record' --by"
                                + " ada")
                .addPositional(Options.position(0, "TASK", "The id of the task, or of any other run of it."))
                .addPositional(Options.position(1, "EFFECT", "The effect: its name, or name#index."))
                .addOption(Options.optional(
                        DONE,
                        "RESULT",
                        "",
                        "The effect happened, with this result: JSON, @file, or - for standard input. Without a result"
                                + " the handler gets null."))
                .addOption(Options.flag(NOT_DONE, "The effect did not happen: the task's next attempt runs it."))
                .addOption(Options.flag(GIVE_UP, "The outcome cannot be determined: the parked task fails."))
                .addOption(Options.required(REASON, "TEXT", "How you know; recorded with the effect."))
                .addOption(Options.value(BY, "NAME", "Who resolves the effect. Default: your login name."))
                .addOption(Options.value(
                        ATTEMPT,
                        "N",
                        "Resolve only if this attempt of the task left the effect unknown. This makes the command safe"
                                + " to repeat at any time."))
                .addOption(Options.flag(DRY_RUN, "Show what would happen, and change nothing."));
    }

    /** Returns the first words of the command that resolves an effect. */
    static String example(TaskId task, EffectId effect) {
        return "semel effect resolve " + task + " " + effect.label();
    }

    /** The checked arguments of the command. */
    private record Arguments(
            TaskId task,
            EffectId effect,
            Resolution resolution,
            @Nullable Integer attempt,
            boolean dryRun) {

        static Arguments read(Invocation invocation) {
            TaskId task = TaskId.parse(invocation.position(0));
            EffectId effect = EffectId.parse(task, invocation.position(1));
            List<String> given = new ArrayList<>(List.of(DONE, NOT_DONE, GIVE_UP));
            given.removeIf(option -> !invocation.has(option));
            if (given.size() != 1) {
                throw new InvalidInput("A resolution is exactly one of " + DONE + ", " + NOT_DONE + " and "
                        + GIVE_UP + ", but got " + (given.isEmpty() ? "none" : String.join(" and ", given)) + "."
                        + " Give one of them.");
            }
            String result = invocation.text(DONE, "");
            Verdict verdict =
                    invocation.has(DONE) ? Verdict.DONE : invocation.has(NOT_DONE) ? Verdict.NOT_DONE : Verdict.GIVE_UP;
            Integer attempt = invocation.number(ATTEMPT);
            if (attempt != null && attempt < 1) {
                throw new InvalidInput("Attempts are numbered from 1, but got " + ATTEMPT + " \"" + attempt + "\"."
                        + " \"semel task show\" lists the attempts.");
            }
            return new Arguments(
                    task,
                    effect,
                    new Resolution(
                            verdict,
                            result.isEmpty() ? null : InputArgument.read("result", result, invocation.console()),
                            by(invocation),
                            invocation.text(REASON, "")),
                    attempt,
                    invocation.has(DRY_RUN));
        }

        private static String by(Invocation invocation) {
            String name = invocation.text(BY, System.getProperty("user.name", "?"));
            if (name.equals("?") && !invocation.has(BY)) {
                throw new InvalidInput(
                        "A resolution records who made it, but this user has no login name. Give " + BY + " NAME.");
            }
            return name;
        }
    }

    @Override
    public int run(Invocation invocation) {
        Arguments arguments = Arguments.read(invocation);
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            EffectRecord effect = find(store, arguments, invocation.tenant());
            Task task =
                    store.find(List.of(effect.by().taskId())).get(effect.by().taskId());
            boolean parked = task != null
                    && TaskHistory.of(store, task)
                            .parkedFor()
                            .filter(cause -> cause.by().equals(effect.by()))
                            .isPresent();
            ResolutionReport report = new ResolutionReport(invocation, effect, task, parked, arguments.resolution());
            AttemptId left =
                    arguments.attempt() == null ? effect.by() : new AttemptId(arguments.task(), arguments.attempt());
            if (!left.equals(effect.by())) {
                // Only the store knows whether the same resolution was recorded before another attempt took the effect
                // on.
                if (arguments.dryRun()) {
                    throw changed(effect, left);
                }
                if (semel.effects().resolve(leftBy(effect, left), arguments.resolution()) != Resolving.RESOLVED) {
                    throw changed(effect, left);
                }
                report.repeated();
                return ExitCode.DONE;
            }
            if (effect.settledAt() != null) {
                if (!isRepetition(effect, arguments.resolution())) {
                    throw settled(effect);
                }
                report.repeated();
                return ExitCode.DONE;
            }
            refuse(effect, task, parked, arguments.resolution());
            report.before();
            if (arguments.dryRun()) {
                report.dry();
                return ExitCode.DONE;
            }
            switch (semel.effects().resolve(effect, arguments.resolution())) {
                case RESOLVED -> report.after(store);
                case UNDER_WAY, CHANGED -> throw changed(effect, left);
            }
            return ExitCode.DONE;
        }
    }

    private static EffectRecord find(TaskStore store, Arguments arguments, @Nullable String tenant) {
        List<EffectRecord> effects = EffectListCommand.find(store, arguments.task(), tenant);
        String label = arguments.effect().label();
        return effects.stream()
                .filter(effect -> effect.id().label().equals(label))
                .findFirst()
                .orElseThrow(() -> notFound(arguments, effects));
    }

    private static Refusal notFound(Arguments arguments, List<EffectRecord> effects) {
        List<String> labels =
                effects.stream().map(effect -> effect.id().label()).toList();
        String there = labels.isEmpty()
                ? "It has no effects."
                : "It has " + labels.stream().limit(NAMED).collect(Collectors.joining(", "))
                        + (labels.size() > NAMED ? " and " + (labels.size() - NAMED) + " more." : ".");
        return new Refusal(
                ExitCode.NOT_FOUND,
                "EffectNotFound",
                "Task " + arguments.task() + " has no effect \""
                        + arguments.effect().label() + "\". "
                        + Nearest.to(arguments.effect().label(), labels)
                                .map(near -> "Did you mean \"" + near + "\"? ")
                                .orElse("")
                        + there,
                arguments.task(),
                null);
    }

    /**
     * Returns whether the outcome was recorded by the same resolution. The command then answers as it did the first
     * time.
     */
    private static boolean isRepetition(EffectRecord effect, Resolution resolution) {
        Resolution recorded = effect.resolution();
        return effect.how() == EffectOutcome.How.RESOLVED
                && recorded != null
                && recorded.verdict() == resolution.verdict()
                && recorded.by().equals(resolution.by())
                && recorded.reason().equals(resolution.reason())
                && isSame(effect.result(), resolution.result());
    }

    private static boolean isSame(@Nullable String result, @Nullable String other) {
        if (result == null || other == null) {
            return result == null && other == null;
        }
        return Json.parse(result).canonical().equals(Json.parse(other).canonical());
    }

    /** Returns the effect as it was when the given attempt had left it. */
    private static EffectRecord leftBy(EffectRecord effect, AttemptId left) {
        return new EffectRecord(
                effect.id(),
                left,
                effect.state(),
                effect.intendedAt(),
                effect.windowEnd(),
                effect.windowPassed(),
                effect.settledAt(),
                effect.how(),
                effect.result(),
                effect.note(),
                effect.resolution());
    }

    // ---- refusals

    /** Rejects what the store would reject, with a message that says why. */
    private static void refuse(EffectRecord effect, @Nullable Task task, boolean parked, Resolution resolution) {
        if (effect.state() == EffectState.IN_PROGRESS) {
            throw inProgress(effect, task);
        }
        if (resolution.verdict() == Verdict.GIVE_UP
                && task != null
                && task.state().isOpen()
                && !parked) {
            throw new Refusal(
                    ExitCode.EXISTS,
                    "NotParked",
                    "Only a parked task can be given up, but task " + task.id() + " is "
                            + task.state().word() + "." + " Nothing was changed. Give " + DONE + " or " + NOT_DONE
                            + ", or cancel the task.",
                    task.id(),
                    task.state());
        }
    }

    private static Refusal inProgress(EffectRecord effect, @Nullable Task task) {
        TaskState state = task == null ? null : task.state();
        String until = task == null || task.progress().dueAt() == null
                ? ""
                : " If its worker has died, its lease expires at "
                        + Text.time(task.progress().dueAt()) + ".";
        return new Refusal(
                ExitCode.EXISTS,
                "EffectInProgress",
                "Effect \"" + effect.id().label() + "\" is in progress: attempt "
                        + effect.by().attempt() + " of task "
                        + effect.by().taskId() + " still runs and may record the outcome itself. Nothing was"
                        + " changed. Resolve the effect after the attempt has ended." + until,
                effect.by().taskId(),
                state);
    }

    private static Refusal settled(EffectRecord effect) {
        Resolution recorded = effect.resolution();
        String how = effect.how() == EffectOutcome.How.RESOLVED && recorded != null
                ? "resolved by " + Text.printable(recorded.by())
                : "recorded by attempt " + effect.by().attempt() + " of task "
                        + effect.by().taskId();
        return new Refusal(
                ExitCode.EXISTS,
                "EffectSettled",
                "Only an effect with unknown outcome can be resolved, but effect \""
                        + effect.id().label() + "\" is "
                        + Timeline.state(effect) + " since "
                        + Text.time(effect.settledAt()) + ", " + how + ". Nothing was changed.",
                effect.by().taskId(),
                null);
    }

    private static Refusal changed(EffectRecord effect, AttemptId left) {
        return new Refusal(
                ExitCode.EXISTS,
                "EffectChanged",
                "Effect \"" + effect.id().label() + "\" has changed since attempt " + left.attempt() + " of task "
                        + left.taskId() + " ended. Nothing was changed. Check it again with \"semel task show "
                        + effect.by().taskId() + "\".",
                effect.by().taskId(),
                null);
    }
}
