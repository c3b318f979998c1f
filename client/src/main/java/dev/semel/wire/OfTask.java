package dev.semel.wire;

import dev.semel.task.TaskId;

/**
 * Something that belongs to a task.
 *
 * @param task the task, or the first task of a lineage
 * @param value what belongs to it
 * @param <T> its type
 */
public record OfTask<T>(TaskId task, T value) {

    static <T> Form<OfTask<T>> of(Form<T> value) {
        return Form.object(
                (out, one) -> out.beginObject()
                        .member("task", one.task())
                        .member("value", one.value(), value)
                        .endObject(),
                in -> new OfTask<>(in.id("task"), in.get("value", value)));
    }
}
