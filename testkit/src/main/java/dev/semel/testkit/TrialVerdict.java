package dev.semel.testkit;

import dev.semel.store.Task;
import dev.semel.task.TaskState;
import dev.semel.testkit.Rehearsal.Ending;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The comparison of the runs of a {@link HandlerTrial} with the undisturbed one. */
final class TrialVerdict {

    private static final int MOST_NAMED = 20;

    private final String type;
    private final TrialEnd undisturbed;
    private final Set<String> mayBeLost;
    private final boolean resultMayDiffer;
    private final List<String> failed = new ArrayList<>();
    private @Nullable String first;
    private int survived;

    TrialVerdict(String type, TrialEnd undisturbed, Set<String> mayBeLost, boolean resultMayDiffer) {
        this.type = type;
        this.undisturbed = undisturbed;
        this.mayBeLost = mayBeLost;
        this.resultMayDiffer = resultMayDiffer;
        String end = unsuccessful(undisturbed.ending());
        if (end != null) {
            throw new AssertionError("The handler of \"" + type + "\" does not complete its task even without a"
                    + " disturbance: " + end + happened(undisturbed.ending()));
        }
        for (String name : mayBeLost) {
            if (!(undisturbed.seen().get(name) instanceof Collection)) {
                throw new AssertionError("Only an observed provider or collection may lose something, but got \"" + name
                        + "\"." + " Observed are " + undisturbed.seen().keySet() + ".");
            }
        }
    }

    void add(String disturbance, TrialEnd end) {
        List<String> differences = differences(end);
        if (!end.ending().happened()) {
            differences.add("The disturbance did not happen, because the handler did something different before it. The"
                    + " handler is not deterministic: what it does differs from run to run.");
        }
        if (differences.isEmpty()) {
            survived++;
            return;
        }
        failed.add(disturbance);
        if (first == null) {
            first = "The handler of \"" + type + "\" does not survive this disturbance: " + disturbance + ".\n  "
                    + String.join("\n  ", differences) + happened(end.ending());
        }
    }

    private List<String> differences(TrialEnd end) {
        List<String> differences = new ArrayList<>();
        String unsuccessful = unsuccessful(end.ending());
        if (unsuccessful != null) {
            differences.add(unsuccessful);
        }
        String expected = undisturbed.ending().task().progress().result();
        String result = end.ending().task().progress().result();
        if (unsuccessful == null && !resultMayDiffer && !Objects.equals(expected, result)) {
            differences.add("The task's result is " + result + ", but without a disturbance it is " + expected + ".");
        }
        undisturbed.seen().forEach((name, value) -> {
            Object seen = end.seen().get(name);
            boolean same = mayBeLost.contains(name) ? isContained(seen, value) : Objects.equals(seen, value);
            if (!same) {
                differences.add("\"" + name + "\" is " + seen + ", but without a disturbance it is " + value + ".");
            }
        });
        return differences;
    }

    /** Returns whether a collection contains nothing that the other one does not contain at least as often. */
    private static boolean isContained(@Nullable Object less, @Nullable Object more) {
        if (!(less instanceof Collection<?> some) || !(more instanceof Collection<?> all)) {
            return Objects.equals(less, more);
        }
        List<Object> left = new ArrayList<>(all);
        return some.stream().allMatch(left::remove);
    }

    private static @Nullable String unsuccessful(Ending ending) {
        Task task = ending.task();
        if (ending.stuck() != null) {
            return "The task is " + task.state().word() + ", and " + ending.stuck() + ".";
        }
        if (task.state() == TaskState.COMPLETED) {
            return null;
        }
        String error = task.progress().lastError();
        return "The task ended as " + task.state().word() + ", last error: "
                + (error == null ? "no error" : error.lines().findFirst().orElse(""));
    }

    private static String happened(Ending ending) {
        return "\nWhat happened, in seconds of virtual time:\n" + ending.timeline();
    }

    void throwIfAnyFailed() {
        if (first == null) {
            return;
        }
        int all = survived + failed.size();
        StringBuilder message = new StringBuilder(first);
        message.append("It survived ")
                .append(survived)
                .append(" of ")
                .append(all)
                .append(" disturbances.");
        if (failed.size() > 1) {
            message.append(" It also does not survive:\n");
            // Between two lines of the timeline there may be several moments.
            List<String> others = failed.stream().skip(1).distinct().toList();
            others.stream()
                    .limit(MOST_NAMED)
                    .forEach(words -> message.append("  - ").append(words).append('\n'));
            if (others.size() > MOST_NAMED) {
                message.append("  and ").append(others.size() - MOST_NAMED).append(" others.\n");
            }
        }
        throw new AssertionError(message.toString().strip());
    }
}
