package dev.semel.s3.log;

import dev.semel.sqlite.capture.Change;
import dev.semel.task.StoreUnusable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Entries as text: one JSON object, with a line for each change. */
final class EntryText {

    /** The version of the format. A reader skips members that it does not know, and refuses a later version. */
    static final int FORMAT = 1;

    private static final int CHANGE_BYTES = 80;
    private static final int FIELD_BYTES = 24;

    private EntryText() {}

    /** The name of an entry's object; in ASCII order entries are in their order. */
    static String name(long number) {
        return "log/" + padded(number);
    }

    static String padded(long number) {
        return String.format(Locale.ROOT, "%016d", number);
    }

    static byte[] write(LogEntry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);
        try (JsonGenerator json = JsonText.generator(out)) {
            json.writeStartObject();
            json.writeNumberProperty("format", FORMAT);
            json.writeNumberProperty("number", entry.number());
            json.writeStringProperty("previous", entry.previous());
            json.writeNumberProperty("time", entry.time());
            json.writeStringProperty("author", entry.author());
            json.writeName("changes");
            json.writeStartArray();
            for (Change change : entry.changes()) {
                json.writeRaw('\n');
                JsonText.write(json, change);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    /**
     * About how many bytes changes have as text, a little too many rather than too few.
     *
     * @param inline texts with more characters are elsewhere
     */
    static long estimate(List<Change> changes, int inline) {
        long bytes = 0;
        for (Change change : changes) {
            bytes += CHANGE_BYTES;
            for (Map.Entry<String, ?> field : change.fields().entrySet()) {
                bytes += field.getKey().length() + FIELD_BYTES;
                if (field.getValue() instanceof String text && text.length() <= inline) {
                    // Quotes are escaped.
                    bytes += text.length() + text.length() / 8;
                }
            }
        }
        return bytes;
    }

    /** Reads an entry; throws {@link IllegalArgumentException} if it is none. */
    static LogEntry read(byte[] bytes) {
        long number = -1;
        long time = 0;
        String previous = "";
        String author = "";
        List<Change> changes = new ArrayList<>();
        try (JsonParser json = JsonText.parser(bytes)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "format" -> checkFormat(json.getLongValue());
                    case "number" -> number = json.getLongValue();
                    case "time" -> time = json.getLongValue();
                    case "previous" -> previous = json.getString();
                    case "author" -> author = json.getString();
                    case "changes" -> {
                        while (json.nextToken() == JsonToken.START_OBJECT) {
                            changes.add(JsonText.change(json));
                        }
                    }
                    default -> json.skipChildren();
                }
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException("Expected an entry of the log: " + e.getOriginalMessage());
        }
        return new LogEntry(number, previous, time, author, List.copyOf(changes));
    }

    static void checkFormat(long format) {
        if (format > FORMAT) {
            throw new StoreUnusable("The log has format " + format + ", but this program knows format " + FORMAT
                    + ". Run the version of Semel that wrote it, or a later one.");
        }
    }

    /** The hash of an object's content, in hexadecimal digits. */
    static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String hash(String text) {
        return hash(text.getBytes(StandardCharsets.UTF_8));
    }
}
