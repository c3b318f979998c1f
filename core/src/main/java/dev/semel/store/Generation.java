package dev.semel.store;

import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import dev.semel.task.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a generation of a workflow's history, which is an entry in its inbox. The first generation has none. A generation keeps
 * the lines before a line; from there on it writes its own. So the generation that wrote a line, and what happened before it, follow from
 * the inbox alone.
 *
 * @param number its number, from 2
 * @param from the first line that it did not keep; 0 if it kept none, and no local step before the first line
 * @param entry the number of its entry in the inbox
 * @param at when it began
 */
public record Generation(int number, int from, int entry, Instant at) {

    /** The name of its entry, which is none that users can give. */
    public static final String NAME = "$generation";

    private static final String KEY = StoredFlow.RESERVED_KEYS + "generation:";
    private static final JsonPointer FROM = JsonPointer.of("from");

    // The entry is read with every replay: what it says of superseded lines is bounded.
    private static final int MOST_OUTLINED = 200;

    /**
     * Returns the key of the entry, which is unique in an inbox.
     *
     * @param number the number of the generation
     * @return its key
     */
    public static String key(int number) {
        return KEY + number;
    }

    /**
     * Reads the beginning of a generation.
     *
     * @param entry an entry of an inbox
     * @return the generation; empty if the entry is another one
     */
    public static Optional<Generation> of(InboxEntry entry) {
        String key = entry.key();
        if (key == null || !entry.name().equals(NAME)) {
            return Optional.empty();
        }
        return Optional.of(new Generation(
                Integer.parseInt(key.substring(KEY.length())), from(entry.document()), entry.number(), entry.at()));
    }

    /**
     * Reads the first line that a generation did not keep.
     *
     * @param document the document of its entry
     * @return the number of the line
     */
    public static int from(@Nullable String document) {
        if (document == null) {
            throw new IllegalArgumentException(
                    "Expected the entry of a generation to have a document, but it has none");
        }
        return Integer.parseInt(Json.parse(document).at(FROM).orElseThrow().text());
    }

    /**
     * Returns the generations that have begun, in order.
     *
     * @param inbox the whole inbox of a workflow
     * @return the generations from the second on
     */
    public static List<Generation> all(List<InboxEntry> inbox) {
        return inbox.stream().map(Generation::of).flatMap(Optional::stream).toList();
    }

    /**
     * Returns the generation to which a place in the history belongs: the newest one that did not keep it.
     *
     * @param begun the generations that have begun, in order
     * @param line the number of a line; for a local step, that of the line before it, or 0
     * @return the generation, or null for the first one
     */
    public static @Nullable Generation owner(List<Generation> begun, int line) {
        for (Generation generation : begun.reversed()) {
            if (generation.from <= line) {
                return generation;
            }
        }
        return null;
    }

    /** The entry that begins a generation, without a number. It outlines the lines that are not kept. */
    static InboxEntry entry(int number, int from, List<HistoryLine> superseded, Instant now) {
        StringBuilder document = new StringBuilder("{\"from\":").append(from);
        document.append(",\"superseded\":[");
        String comma = "";
        for (HistoryLine line : superseded.subList(0, Math.min(MOST_OUTLINED, superseded.size()))) {
            TaskId task = line.task();
            document.append(comma)
                    .append("{\"line\":")
                    .append(line.number())
                    .append(",\"kind\":\"")
                    .append(line.kind().word())
                    .append("\",\"name\":")
                    .append(Json.quoted(line.name()))
                    .append(task == null ? "" : ",\"task_id\":\"" + task + "\"")
                    .append('}');
            comma = ",";
        }
        document.append("],\"lines\":").append(superseded.size()).append('}');
        return new InboxEntry(0, NAME, null, null, key(number), document.toString(), null, now);
    }
}
