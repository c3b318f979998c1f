package dev.semel.wire;

import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A hint in the stream of hints: one event of one line. */
public sealed interface Hint {

    /**
     * Tasks may have become due.
     *
     * @param queues the queues; empty if they are not known
     */
    record Due(List<String> queues) implements Hint {

        /** Creates a hint. */
        public Due {
            queues = List.copyOf(queues);
        }
    }

    /**
     * Tasks may have ended.
     *
     * @param ids the tasks; empty if they are not known
     */
    record Ended(List<TaskId> ids) implements Hint {

        /** Creates a hint. */
        public Ended {
            ids = List.copyOf(ids);
        }
    }

    /** The maximum length of a line of the stream, in characters. */
    int MAX_LINE = 1 << 20;

    /**
     * Writes an event.
     *
     * @return its lines, with the empty one that ends it
     */
    default String event() {
        JsonOutput out = new JsonOutput();
        switch (this) {
            case Due(List<String> queues) ->
                out.kind("due").list("queues", queues, TaskForms.TEXT).endObject();
            case Ended(List<TaskId> ids) ->
                out.kind("ended").list("tasks", ids, TaskForms.ID).endObject();
        }
        return "data: " + new String(out.toBytes(), StandardCharsets.UTF_8) + "\n\n";
    }

    /**
     * Reads a line of the stream.
     *
     * @param line the line
     * @return the hint; empty for comments, for empty lines and for kinds of hints that are not known
     */
    static Optional<Hint> read(String line) {
        if (!line.startsWith("data:") || line.length() > MAX_LINE) {
            return Optional.empty();
        }
        try {
            JsonObject in = JsonObject.of(JsonInput.read(line.substring(5).getBytes(StandardCharsets.UTF_8)));
            return switch (in.kind()) {
                case "due" -> Optional.of(new Due(in.list("queues", TaskForms.TEXT)));
                case "ended" -> Optional.of(new Ended(in.list("tasks", TaskForms.ID)));
                // By law hints may be lost, so one that is not understood harms nobody.
                default -> Optional.empty();
            };
        } catch (Misread | InvalidInput e) {
            return Optional.empty();
        }
    }
}
