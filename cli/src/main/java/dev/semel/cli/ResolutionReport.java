package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A report of what a person's resolution of an effect will do, and what it did.
 *
 * @param invocation where to print, and whether as JSON
 * @param effect the effect before the resolution
 * @param task the last task that worked on the effect, or null if it is no longer stored
 * @param parked whether that task is parked because of this effect
 * @param resolution the given resolution
 */
record ResolutionReport(
        Invocation invocation,
        EffectRecord effect,
        @Nullable Task task,
        boolean parked,
        Resolution resolution) {

    /** Reports the state of the effect, and what the resolution will do. */
    void before() {
        say(named() + ", intended " + Text.time(effect.intendedAt()) + ", is " + Timeline.state(effect) + "; "
                + standing());
        say(meaning());
    }

    /** Reports the end of a dry run. */
    void dry() {
        if (invocation.json()) {
            print(EffectJson.of(effect, false).put("dry_run", true).put("outcome", "resolved"), task);
        } else {
            say("Nothing was changed.");
        }
    }

    /** Reports a recorded resolution. */
    void after(TaskStore store) {
        Task now = task == null ? null : store.find(List.of(task.id())).get(task.id());
        if (invocation.json()) {
            EffectRecord resolved =
                    store
                            .effects(List.of(effect.id().lineage()))
                            .getOrDefault(effect.id().lineage(), List.of())
                            .stream()
                            .filter(other -> other.id().equals(effect.id()))
                            .findFirst()
                            .orElse(effect);
            print(EffectJson.of(resolved, false).put("outcome", "resolved"), now);
        } else {
            say("Resolution recorded by " + resolution.by() + "." + (now == null ? "" : " " + stands(now)));
        }
    }

    /** Reports a resolution that had been recorded before. */
    void repeated() {
        if (invocation.json()) {
            print(EffectJson.of(effect, false).put("outcome", "repeated"), task);
        } else {
            say(named() + ": the same resolution was recorded before. Nothing was changed."
                    + (task == null ? "" : " " + stands(task)));
        }
    }

    private String named() {
        return "Effect \"" + effect.id().label() + "\" of task " + effect.by().taskId();
    }

    private static String stands(Task task) {
        return "Task " + task.id() + " is " + task.state().word() + ".";
    }

    private String standing() {
        return task == null
                ? "the task is no longer stored."
                : "the task is " + (parked ? "parked." : task.state().word() + ".");
    }

    private String meaning() {
        String next = parked
                ? "The task continues"
                : isOver() ? "A redrive or a rerun continues" : "Its next attempt" + " continues";
        String result = resolution.result();
        return switch (resolution.verdict()) {
            case DONE ->
                next + (result == null ? " without a result" : " with the given result") + ", and does not run the"
                        + " effect.";
            case NOT_DONE -> next + " and runs the effect as if for the first time.";
            case GIVE_UP ->
                parked
                        ? "The task fails and becomes a dead letter; the effect stays unknown."
                        : "The resolution is recorded; the effect stays unknown.";
        };
    }

    private boolean isOver() {
        return task == null || !task.state().isOpen();
    }

    private void say(String sentence) {
        if (!invocation.json()) {
            Console console = invocation.console();
            Text.wrapped(Text.printable(sentence), console.width()).forEach(console.out()::println);
        }
    }

    private void print(JsonText json, @Nullable Task now) {
        invocation
                .console()
                .out()
                .println(json.put("task_state", now == null ? null : now.state().word()));
    }
}
