package dev.semel.cli;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import org.jspecify.annotations.Nullable;

/** A command was valid but refused because of the state of the store. A refused command has changed nothing. */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;
    private final String error;
    private final transient @Nullable TaskId existing;
    private final @Nullable TaskState status;

    Refusal(int code, String error, String message) {
        this(code, error, message, null, null);
    }

    Refusal(int code, String error, String message, @Nullable TaskId existing, @Nullable TaskState status) {
        super(message);
        this.code = code;
        this.error = error;
        this.existing = existing;
        this.status = status;
    }

    int code() {
        return code;
    }

    /** Returns the name of the error in JSON. */
    String error() {
        return error;
    }

    /** Adds the fields other than error and message. */
    JsonText describe(JsonText json) {
        return json.put("existing_task_id", existing == null ? null : existing.toString())
                .put("status", status == null ? null : status.word());
    }
}
