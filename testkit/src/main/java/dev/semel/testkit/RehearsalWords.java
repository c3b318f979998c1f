package dev.semel.testkit;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.Transition;
import dev.semel.task.Durations;
import dev.semel.task.EffectId;
import dev.semel.testkit.virtualtime.Call;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Calls and answers of a {@link Rehearsal} in words for somebody who knows the handler and not the engine. */
final class RehearsalWords {

    private RehearsalWords() {}

    static String of(Call<?> call) {
        return switch (call) {
            case Call.Claim claim -> "asks for tasks";
            case Call.Apply apply ->
                apply.moves().stream().map(RehearsalWords::of).collect(Collectors.joining("; "));
            case Call.ReadEffects read -> "asks which effects are recorded";
            case Call.Submit submit -> "submits";
            case Call.Find find -> "reads tasks";
            case Call.ListEffects list -> "lists effects";
            case Call.ListTasks list -> "lists tasks";
            case Call.LookUp lookUp -> "looks up a key";
            case Call.Sweep sweep -> "sweeps";
        };
    }

    private static String of(Transition move) {
        return switch (move) {
            case Transition.ByWorker byWorker ->
                ofWorker(byWorker) + " (attempt " + byWorker.lease().attempt() + ")";
            case Transition.Resolve resolve -> of(resolve);
            case Transition.Cancel cancel -> "cancels the task";
            case Transition.Redrive redrive -> "redrives the task";
            case Transition.ReleaseKey release -> "releases the key";
            case Transition.CountDuplicates count -> "counts duplicates";
            case Transition.OfQueue change -> "changes queue " + change.queue();
        };
    }

    static String of(Transition.Resolve resolve) {
        String result = resolve.resolution().result();
        return "says that effect " + name(resolve.effect()) + " is "
                + resolve.resolution().verdict().word() + (result == null ? "" : " with " + result);
    }

    private static String ofWorker(Transition.ByWorker move) {
        return switch (move) {
            case Transition.Complete complete -> "completes the task with " + complete.result();
            case Transition.Retry retry ->
                "has failed, to be tried again in " + Durations.text(retry.delay()) + ": " + line(retry.error());
            case Transition.Fail fail -> "has failed for good: " + line(fail.error());
            case Transition.PutBack putBack -> "puts the task back for " + Durations.text(putBack.delay());
            case Transition.Cancelled cancelled -> "ends the task as cancelled";
            case Transition.Extend extend -> "extends its lease";
            case Transition.Park park -> "parks the task for effect " + name(park.effect());
            case Transition.Intend intend -> "intends effect " + name(intend.effect());
            case Transition.Conclude conclude ->
                switch (conclude.outcome()) {
                    case EffectOutcome.Done done ->
                        "records effect " + name(conclude.effect()) + " as done with " + done.result();
                    case EffectOutcome.NotDone notDone ->
                        "records effect " + name(conclude.effect()) + " as not done: " + line(notDone.reason());
                };
        };
    }

    private static String name(EffectId effect) {
        return "\"" + effect.label() + "\"";
    }

    private static String line(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }

    /** An answer, by its class. */
    static String ofAnswer(Object answer) {
        return switch (answer) {
            case Claims claims ->
                claims.tasks().isEmpty()
                        ? "nothing"
                        : claims.tasks().stream().map(RehearsalWords::of).collect(Collectors.joining(", "));
            case List<?> list -> list.stream().map(RehearsalWords::ofItem).collect(Collectors.joining("; "));
            case Map<?, ?> map ->
                map.isEmpty()
                        ? "none"
                        : map.values().stream().map(RehearsalWords::ofItem).collect(Collectors.joining("; "));
            default -> answer.toString();
        };
    }

    private static String of(Claimed claimed) {
        return "the task, attempt " + claimed.lease().attempt();
    }

    private static String ofItem(Object item) {
        return switch (item) {
            case Applied applied -> applied.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            case List<?> list -> list.stream().map(RehearsalWords::ofItem).collect(Collectors.joining(", "));
            case EffectRecord effect ->
                name(effect.id()) + " " + effect.state().word().replace('_', ' ')
                        + (effect.result() == null ? "" : " with " + effect.result());
            default -> item.toString();
        };
    }
}
