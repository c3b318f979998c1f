package dev.semel.workflow;

import dev.semel.task.PermanentFailure;
import dev.semel.task.TaskUnsuccessful;
import java.util.ArrayList;
import java.util.List;

/** What a workflow has to undo if it ends without success, in the order in which its code did it. */
final class Compensations {

    private record Named(String name, Compensation compensation) {}

    private final List<Named> all = new ArrayList<>();

    void add(String name, Compensation compensation) {
        all.add(new Named(name, compensation));
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Undoes everything, the last thing first. One that fails for good does not keep the others from being undone.
     *
     * @param thrown why the workflow ends
     * @return the same, or a failure that says what was and what was not undone
     * @throws Exception if one fails that may be tried again
     */
    Exception undo(Exception thrown) throws Exception {
        List<String> undone = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (Named next : all.reversed()) {
            try {
                next.compensation.undo();
                undone.add(next.name);
            } catch (TaskUnsuccessful | PermanentFailure e) {
                left.add(next.name + " (" + e.getMessage() + ")");
            }
        }
        return left.isEmpty()
                ? thrown
                : new PermanentFailure(
                        thrown.getMessage() + " Not undone: " + String.join(", ", left) + ". Undone: "
                                + (undone.isEmpty() ? "nothing" : String.join(", ", undone)) + ".",
                        thrown);
    }
}
