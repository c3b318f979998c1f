package dev.semel.sqlite.table;

import dev.semel.task.TaskId;
import org.jspecify.annotations.Nullable;

/** A task, as far as a change of its state needs it. */
public record TaskReference(
        long seq, TaskId id, int lane, @Nullable String mutex) {}
