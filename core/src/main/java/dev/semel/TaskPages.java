package dev.semel;

import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The pages of tasks that an operation on many tasks goes through. */
record TaskPages(TaskStore store) {

    static final Set<TaskState> OPEN = Set.of(TaskState.PENDING, TaskState.RUNNING, TaskState.WAITING);
    static final Set<TaskState> DEAD = Set.of(TaskState.FAILED, TaskState.TIMED_OUT);

    /** Returns the filter restricted to the states of an operation; all of them if the filter names none. */
    static TaskQuery in(TaskQuery filter, Set<TaskState> meant) {
        Limits.notNull("filter", filter);
        if (!meant.containsAll(filter.states())) {
            throw new InvalidInput("The states of this operation are "
                    + meant.stream().map(TaskState::word).sorted().collect(Collectors.joining(", ")) + ", but got "
                    + filter.states().stream().map(TaskState::word).sorted().collect(Collectors.joining(", "))
                    + ". Leave the others out.");
        }
        return filter.with(filter.states().isEmpty() ? meant : filter.states(), filter.before(), filter.limit());
    }

    /** Reads all tasks that match a filter, page by page. */
    void each(TaskQuery filter, Set<TaskState> states, Consumer<List<Task>> page) {
        TaskQuery query = in(filter, states);
        TaskId next;
        do {
            Page read = store.list(query);
            if (!read.tasks().isEmpty()) {
                page.accept(read.tasks());
            }
            next = read.next();
            query = next == null ? query : query.after(next);
        } while (next != null);
    }
}
