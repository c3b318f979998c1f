package dev.semel.cli;

import dev.semel.store.EffectRecord;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a person's word about an effect will do, and what it did.
 *
 * @param invocation where to print, and whether as JSON
 * @param effect the effect as it was found
 * @param task the task that dealt with it last, or null if it is no longer stored
 * @param parked whether that task is parked by that attempt
 * @param word what the person says
 */
record Resolved(
        Invocation invocation,
        EffectRecord effect,
        @Nullable Task task,
        boolean parked,
        Resolution word) {

    /** What is there, and what the word will do to it. */
    void before() {
        say(named() + ", intended " + Text.time(effect.intendedAt()) + ", is " + Timeline.state(effect) + "; "
                + standing());
        say(meaning());
    }

    /** The word would be taken, and was not given. */
    void dry() {
        if (invocation.json()) {
            print(EffectJson.of(effect, false).put("dry_run", true).put("outcome", "resolved"), task);
        } else {
            say("Nothing was changed.");
        }
    }

    /** The word was taken. */
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
            say("Recorded, by " + word.by() + "." + (now == null ? "" : " " + stands(now)));
        }
    }

    /** The same was said before. */
    void repeated() {
        if (invocation.json()) {
            print(EffectJson.of(effect, false).put("outcome", "repeated"), task);
        } else {
            say(named() + ": the same was said before, and nothing was changed."
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
        String next =
                parked ? "The task goes on" : isOver() ? "A redrive or a rerun goes on" : "Its next attempt goes on";
        String result = word.result();
        return switch (word.verdict()) {
            case DONE ->
                next + (result == null ? " without a result" : " with the given result") + ", and does not run it.";
            case NOT_DONE -> next + " and runs it as if for the first time.";
            case GIVE_UP ->
                parked
                        ? "The task fails and is a dead letter; the effect stays unknown."
                        : "That is noted with it; the effect stays unknown.";
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
