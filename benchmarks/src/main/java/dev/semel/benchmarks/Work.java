package dev.semel.benchmarks;

import dev.semel.task.TaskType;
import org.jspecify.annotations.Nullable;

/**
 * The input of a task that does nothing.
 *
 * @param number which one it is, so that its executions can be counted
 * @param filler makes it as large as it should be
 */
record Work(int number, String filler) {

    /** The queue of all tasks that are measured. */
    static final String QUEUE = "bench";

    /** The usual size of the input in characters: about what a few ids and an amount take. */
    static final int USUAL_SIZE = 100;

    @SuppressWarnings("NullAway") // the class is the same whether null is one of its values or not
    static final TaskType<Work, @Nullable Void> TYPE = TaskType.<Work, @Nullable Void>builder(
                    "noop", Work.class, Void.class)
            .queue(QUEUE)
            .build();

    /** Work whose JSON has about so many characters. */
    static Work of(int number, int size) {
        return new Work(number, "x".repeat(Math.max(0, size - 30)));
    }
}
