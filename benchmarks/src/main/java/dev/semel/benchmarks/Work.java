package dev.semel.benchmarks;

import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * The input of a task that does nothing.
 *
 * @param number the number of the task, by which its executions are counted
 * @param filler text that gives the input its size
 */
record Work(int number, String filler) {

    /** The queue of all measured tasks. */
    static final String QUEUE = "bench";

    /** The default size of the input in characters: about that of a few ids and an amount. */
    static final int USUAL_SIZE = 100;

    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    static final TaskType<Work, @Nullable Void> TYPE = TaskType.<Work, @Nullable Void>builder(
                    "noop", Work.class, Void.class)
            .queue(QUEUE)
            .build();

    /** Returns work whose JSON has about the given number of characters. */
    static Work of(int number, int size) {
        return new Work(number, "x".repeat(Math.max(0, size - 30)));
    }
}
