package dev.semel.postgresql.settle;

import dev.semel.postgresql.submit.RetryNotes;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The steps that the advances of a batch start, with the numbers of their names, which are made before the transaction begins.
 *
 * @param numbered the steps by their ids
 * @param notes what earlier transactions of the batch have found out
 */
public record NewSteps(Map<TaskId, NumberedTask> numbered, RetryNotes notes) {

    /** No steps. */
    public static NewSteps none() {
        return new NewSteps(Map.of(), RetryNotes.empty());
    }

    /** The steps of all advances among settlements. */
    static NewSteps of(Database database, List<Settlement> settlements) {
        List<NewTask> steps = new ArrayList<>();
        for (Settlement settlement : settlements) {
            if (settlement instanceof Settlement.Advance advance) {
                steps.addAll(tasks(advance));
            }
        }
        if (steps.isEmpty()) {
            return none();
        }
        Map<TaskId, NumberedTask> numbered = new HashMap<>();
        database.numbered(steps).forEach(step -> numbered.put(step.id(), step));
        return new NewSteps(numbered, RetryNotes.empty());
    }

    /** The steps of an advance, in order. */
    static List<NewTask> tasks(Settlement.Advance advance) {
        List<NewTask> steps = new ArrayList<>();
        for (NewLine line : advance.lines()) {
            if (line instanceof NewLine.Step(NewTask task)) {
                steps.add(task);
            }
        }
        return steps;
    }

    NumberedTask of(NewTask step) {
        return Objects.requireNonNull(numbered.get(step.id()), "the names of each step are numbered");
    }
}
