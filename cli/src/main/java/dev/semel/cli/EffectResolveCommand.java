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
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.Nearest;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel effect resolve}: a person says what became of an effect whose outcome nobody knows. */
final class EffectResolveCommand implements Command {

    private static final String DONE = "--done";
    private static final String NOT_DONE = "--not-done";
    private static final String GIVE_UP = "--give-up";
    private static final String REASON = "--reason";
    private static final String BY = "--by";
    private static final String ATTEMPT = "--attempt";
    private static final String DRY_RUN = "--dry-run";

    // The most effects that are named where another one was asked for.
    private static final int NAMED = 10;

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Says what became of an effect whose outcome nobody knows.",
                        "A task that is parked because of it goes on, or fails if it is given up. Who says so and why is kept"
                                + " with the effect. Refused with exit code 4: while the effect is in progress, once it has an"
                                + " outcome, and if another attempt has dealt with it since.",
                        "semel effect resolve \"$task\" charge --done '{\"payment\":7}' --reason 'in their list'",
                        "semel effect resolve \"$task\" charge#3 --not-done --reason 'they never saw the token'",
                        "semel effect resolve \"$task\" charge --give-up --reason 'nobody can tell' --by ada")
                .addPositional(Options.position(0, "TASK", "The task, or any other run of it."))
                .addPositional(Options.position(1, "EFFECT", "The effect: its name, or name#index."))
                .addOption(Options.optional(
                        DONE,
                        "RESULT",
                        "",
                        "It happened, with this result: JSON, @file, or - for standard input. Without one the handler gets"
                                + " null."))
                .addOption(Options.flag(NOT_DONE, "It did not happen: the task's next attempt runs it."))
                .addOption(Options.flag(GIVE_UP, "It cannot be found out: the parked task fails."))
                .addOption(Options.required(REASON, "TEXT", "How you know."))
                .addOption(Options.value(BY, "NAME", "Who says so; your login name."))
                .addOption(Options.value(
                        ATTEMPT,
                        "N",
                        "Only if it was this attempt of the task that left it unknown; safe to repeat at any time."))
                .addOption(Options.flag(DRY_RUN, "Say what would happen, and change nothing."));
    }

    /** The beginning of the command that resolves an effect. */
    static String example(TaskId task, EffectId effect) {
        return "semel effect resolve " + task + " " + effect.label();
    }

    /** What the caller says, checked. */
    private record Wish(
            TaskId task,
            EffectId effect,
            Resolution word,
            @Nullable Integer attempt,
            boolean dryRun) {

        static Wish read(Invocation invocation) {
            TaskId task = TaskId.parse(invocation.position(0));
            EffectId effect = EffectId.parse(task, invocation.position(1));
            List<String> given = new ArrayList<>(List.of(DONE, NOT_DONE, GIVE_UP));
            given.removeIf(option -> !invocation.has(option));
            if (given.size() != 1) {
                throw new InvalidInput("What became of an effect is said by one of " + DONE + ", " + NOT_DONE + " and "
                        + GIVE_UP + ", but got " + (given.isEmpty() ? "none" : String.join(" and ", given))
                        + ". Give one of them.");
            }
            String result = invocation.text(DONE, "");
            Verdict verdict =
                    invocation.has(DONE) ? Verdict.DONE : invocation.has(NOT_DONE) ? Verdict.NOT_DONE : Verdict.GIVE_UP;
            Integer attempt = invocation.number(ATTEMPT);
            if (attempt != null && attempt < 1) {
                throw new InvalidInput("Attempts are numbered from 1, but got " + ATTEMPT + " \"" + attempt + "\".");
            }
            return new Wish(
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
                        "Who says what became of an effect is kept with it, but this user has no login name. Give " + BY
                                + " NAME.");
            }
            return name;
        }
    }

    @Override
    public int run(Invocation invocation) {
        Wish wish = Wish.read(invocation);
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            EffectRecord effect = find(store, wish, invocation.tenant());
            Task task =
                    store.find(List.of(effect.by().taskId())).get(effect.by().taskId());
            boolean parked = task != null
                    && TaskHistory.of(store, task)
                            .parkedFor()
                            .filter(cause -> cause.by().equals(effect.by()))
                            .isPresent();
            Resolved resolved = new Resolved(invocation, effect, task, parked, wish.word());
            Lease left = wish.attempt() == null ? effect.by() : new Lease(wish.task(), wish.attempt());
            if (!left.equals(effect.by())) {
                // Only the store knows whether this very word was said before the effect went on.
                if (wish.dryRun()) {
                    throw changed(effect, left);
                }
                if (semel.effects().resolve(leftBy(effect, left), wish.word()) != Resolving.RESOLVED) {
                    throw changed(effect, left);
                }
                resolved.repeated();
                return ExitCode.DONE;
            }
            if (effect.settledAt() != null) {
                if (!isSaid(effect, wish.word())) {
                    throw settled(effect);
                }
                resolved.repeated();
                return ExitCode.DONE;
            }
            refuse(effect, task, parked, wish.word());
            resolved.before();
            if (wish.dryRun()) {
                resolved.dry();
                return ExitCode.DONE;
            }
            switch (semel.effects().resolve(effect, wish.word())) {
                case RESOLVED -> resolved.after(store);
                case UNDER_WAY, CHANGED -> throw changed(effect, left);
            }
            return ExitCode.DONE;
        }
    }

    private static EffectRecord find(TaskStore store, Wish wish, @Nullable String tenant) {
        List<EffectRecord> effects = EffectListCommand.find(store, wish.task(), tenant);
        String label = wish.effect().label();
        return effects.stream()
                .filter(effect -> effect.id().label().equals(label))
                .findFirst()
                .orElseThrow(() -> notFound(wish, effects));
    }

    private static Refusal notFound(Wish wish, List<EffectRecord> effects) {
        List<String> labels =
                effects.stream().map(effect -> effect.id().label()).toList();
        String there = labels.isEmpty()
                ? "It has no effects."
                : "It has " + labels.stream().limit(NAMED).collect(Collectors.joining(", "))
                        + (labels.size() > NAMED ? " and " + (labels.size() - NAMED) + " more." : ".");
        return new Refusal(
                ExitCode.NOT_FOUND,
                "EffectNotFound",
                "Task " + wish.task() + " has no effect \"" + wish.effect().label() + "\". "
                        + Nearest.to(wish.effect().label(), labels)
                                .map(near -> "Did you mean \"" + near + "\"? ")
                                .orElse("")
                        + there,
                wish.task(),
                null);
    }

    /** Whether an outcome was recorded by this very word: then it is answered as the first time. */
    private static boolean isSaid(EffectRecord effect, Resolution word) {
        Resolution said = effect.resolution();
        return effect.how() == EffectOutcome.How.RESOLVED
                && said != null
                && said.verdict() == word.verdict()
                && said.by().equals(word.by())
                && said.reason().equals(word.reason())
                && isSame(effect.result(), word.result());
    }

    private static boolean isSame(@Nullable String result, @Nullable String other) {
        if (result == null || other == null) {
            return result == null && other == null;
        }
        return Json.parse(result).canonical().equals(Json.parse(other).canonical());
    }

    /** An effect as somebody saw it who looked at an earlier attempt. */
    private static EffectRecord leftBy(EffectRecord effect, Lease left) {
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

    /** Refuses what the store would refuse, with words that say why. */
    private static void refuse(EffectRecord effect, @Nullable Task task, boolean parked, Resolution word) {
        if (effect.state() == EffectState.IN_PROGRESS) {
            throw inProgress(effect, task);
        }
        if (word.verdict() == Verdict.GIVE_UP && task != null && task.state().isOpen() && !parked) {
            throw new Refusal(
                    ExitCode.EXISTS,
                    "NotParked",
                    "A task is given up while it is parked, but task " + task.id() + " is "
                            + task.state().word() + ". Nothing was changed. Say " + DONE + " or " + NOT_DONE
                            + ", or cancel the task.",
                    task.id(),
                    task.state());
        }
    }

    private static Refusal inProgress(EffectRecord effect, @Nullable Task task) {
        TaskState state = task == null ? null : task.state();
        String until = task == null || task.progress().dueAt() == null
                ? ""
                : " Its lease ends at " + Text.time(task.progress().dueAt()) + " if its worker has died.";
        return new Refusal(
                ExitCode.EXISTS,
                "EffectInProgress",
                "An effect is resolved once the attempt at it has ended, but attempt "
                        + effect.by().attempt() + " of task " + effect.by().taskId() + " still runs, and may record"
                        + " what became of effect \"" + effect.id().label() + "\" itself. Nothing was changed." + until,
                effect.by().taskId(),
                state);
    }

    private static Refusal settled(EffectRecord effect) {
        Resolution said = effect.resolution();
        String how = effect.how() == EffectOutcome.How.RESOLVED && said != null
                ? "resolved by " + Text.printable(said.by())
                : "recorded by attempt " + effect.by().attempt() + " of task "
                        + effect.by().taskId();
        return new Refusal(
                ExitCode.EXISTS,
                "EffectSettled",
                "An effect is resolved while its outcome is unknown, but effect \""
                        + effect.id().label() + "\" is " + Timeline.state(effect) + " since "
                        + Text.time(effect.settledAt()) + ", " + how + ". Nothing was changed.",
                effect.by().taskId(),
                null);
    }

    private static Refusal changed(EffectRecord effect, Lease left) {
        return new Refusal(
                ExitCode.EXISTS,
                "EffectChanged",
                "Effect \"" + effect.id().label() + "\" is no longer as attempt " + left.attempt() + " of task "
                        + left.taskId() + " left it. Nothing was changed. Look again: \"semel task show "
                        + effect.by().taskId() + "\".",
                effect.by().taskId(),
                null);
    }
}
