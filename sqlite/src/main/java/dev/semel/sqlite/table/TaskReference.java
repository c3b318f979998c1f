package dev.semel.sqlite.table;

import dev.semel.task.TaskId;
import org.jspecify.annotations.Nullable;

/**
 * A task, as far as a change of its state needs it.
 *
 * @param watched whether a workflow waits for its end
 */
public record TaskReference(
        long seq, TaskId id, int lane, @Nullable String mutex, boolean watched) {}
