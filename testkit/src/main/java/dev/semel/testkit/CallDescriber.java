package dev.semel.testkit;

import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.Durations;
import dev.semel.task.EffectId;
import dev.semel.testkit.virtualtime.Call;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes calls and answers of a {@link Rehearsal} for a reader who knows the handler but not the engine. */
final class CallDescriber {

    private CallDescriber() {}

    static String of(Call<?> call) {
        return switch (call) {
            case Call.Claim claim -> "asks for tasks";
            case Call.Settle settle ->
                settle.batch().stream().map(CallDescriber::of).collect(Collectors.joining("; "));
            case Call.Operate operate ->
                operate.batch().stream().map(CallDescriber::of).collect(Collectors.joining("; "));
            case Call.ReadEffects read -> "asks which effects are recorded";
            case Call.ReadHistories read -> "reads the history of the workflow";
            case Call.Submit submit -> "submits";
            case Call.Find find -> "reads tasks";
            case Call.ListEffects list -> "lists effects";
            case Call.ListTasks list -> "lists tasks";
            case Call.LookUp lookUp -> "looks up a key";
            case Call.ReadDue due -> "asks for due schedules";
            case Call.Sweep sweep -> "sweeps";
        };
    }

    private static String of(Settlement settlement) {
        return withoutAttempt(settlement) + " (attempt " + settlement.lease().attempt() + ")";
    }

    private static String of(Operation operation) {
        return switch (operation) {
            case Operation.Resolve resolve -> of(resolve);
            case Operation.Cancel cancel -> "cancels the task";
            case Operation.Redrive redrive -> "redrives the task";
            case Operation.Restart restart -> "restarts the workflow from line " + restart.from();
            case Operation.ReleaseKey release -> "releases the key";
            case Operation.Erase erase -> "erases the task's data";
            case Operation.ChangeSchedule change ->
                "changes schedule " + change.id().name();
            case Operation.OfQueue change -> "changes queue " + change.queue();
        };
    }

    static String of(Operation.Resolve resolve) {
        String result = resolve.resolution().result();
        return "resolves effect " + name(resolve.effect()) + " as "
                + resolve.resolution().verdict().word() + (result == null ? "" : " with " + result);
    }

    private static String withoutAttempt(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Complete complete -> "completes the task with " + complete.result();
            case Settlement.Retry retry ->
                "fails, to be retried in " + Durations.text(retry.delay()) + ": " + line(retry.error());
            case Settlement.Fail fail -> "fails permanently: " + line(fail.error());
            case Settlement.PutBack putBack -> "returns the task to the queue for " + Durations.text(putBack.delay());
            case Settlement.Cancelled cancelled -> "ends the task as cancelled";
            case Settlement.Extend extend -> "extends its lease";
            case Settlement.Park park -> "parks the task for effect " + name(park.effect());
            case Settlement.Wait wait ->
                "waits" + (wait.wakeAt() == null ? "" : " until " + wait.wakeAt())
                        + (wait.error() == null ? "" : ": " + line(wait.error()));
            case Settlement.Continue next -> "continues as new with " + next.input();
            case Settlement.Advance advance ->
                "adds to the history from line " + advance.first() + ": "
                        + advance.lines().stream()
                                .map(line -> line.kind().word() + " " + line.name())
                                .collect(Collectors.joining(", "));
            case Settlement.Intend intend -> "intends effect " + name(intend.effect());
            case Settlement.Refer refer -> "leaves effect " + name(refer.effect()) + " to a person";
            case Settlement.Conclude conclude ->
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

    /** Describes an answer by its class. */
    static String ofAnswer(Object answer) {
        return switch (answer) {
            case Claims claims ->
                claims.tasks().isEmpty()
                        ? "nothing"
                        : claims.tasks().stream().map(CallDescriber::of).collect(Collectors.joining(", "));
            case List<?> list -> list.stream().map(CallDescriber::ofItem).collect(Collectors.joining("; "));
            case Map<?, ?> map ->
                map.isEmpty()
                        ? "none"
                        : map.values().stream().map(CallDescriber::ofItem).collect(Collectors.joining("; "));
            default -> answer.toString();
        };
    }

    private static String of(Claimed claimed) {
        return "the task, attempt " + claimed.lease().attempt();
    }

    private static String ofItem(Object item) {
        return switch (item) {
            case Settled settled -> settled.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            case Operated operated -> operated.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            case List<?> list -> list.stream().map(CallDescriber::ofItem).collect(Collectors.joining(", "));
            case EffectRecord effect ->
                name(effect.id()) + " " + effect.state().word().replace('_', ' ')
                        + (effect.result() == null ? "" : " with " + effect.result());
            default -> item.toString();
        };
    }
}
