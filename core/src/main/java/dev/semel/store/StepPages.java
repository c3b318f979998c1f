package dev.semel.store;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lists the steps of a workflow, for every store in the same way: the history of the workflow names them, and is read by its key. So no
 * task has a column for its parent and no index is needed, and a step that several workflows wait for is listed for each of them.
 */
public final class StepPages {

    private StepPages() {}

    /**
     * Lists the steps of a workflow that pass the other filters.
     *
     * @param store reads the history and the tasks
     * @param query the query, which has a parent
     * @return the page
     */
    public static Page list(Reading store, TaskQuery query) {
        TaskId parent = Objects.requireNonNull(query.parent(), "the query has a parent");
        TaskId before = query.before();
        History history = Objects.requireNonNull(
                store.histories(List.of(new History.Query(parent, 0, Integer.MAX_VALUE)))
                        .get(parent),
                "every query is answered");
        List<TaskId> steps = history.lines().stream()
                .filter(line -> line.kind() == HistoryLine.Kind.STEP)
                .map(HistoryLine::task)
                .filter(Objects::nonNull)
                .filter(step -> before == null || step.compareTo(before) < 0)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
        List<Task> page = new ArrayList<>();
        for (int from = 0; from < steps.size() && page.size() < query.limit(); from += query.limit()) {
            List<TaskId> some = steps.subList(from, Math.min(steps.size(), from + query.limit()));
            Map<TaskId, Task> found = store.find(some);
            for (TaskId id : some) {
                Task step = found.get(id);
                if (step != null && query.selects(step) && isWanted(step, query) && page.size() < query.limit()) {
                    page.add(step);
                }
            }
        }
        @Nullable
        TaskId next = page.size() < query.limit() ? null : page.getLast().id();
        return new Page(page, next);
    }

    /** Of steps only those that were submitted as workflows are known to be some. */
    private static boolean isWanted(Task step, TaskQuery query) {
        return !query.workflows() || step.options().workflow() != null;
    }
}
