package dev.semel.s3.log;

import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.task.StoreUnusable;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.random.RandomGenerator;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The beginning of a log: entry 0, which changes nothing, and then an object that names its hash and is never deleted. A late
 * process that finds the log's first entries cleaned, and creates them again, is told by that object that they are not those.
 */
final class Genesis {

    static final String NAME = "format.json";

    private Genesis() {}

    /** Returns the hash of entry 0; begins the log if there is none. */
    static String hash(ObjectStore objects, RandomGenerator random, LogClock clock) {
        Reading reading = objects.get(NAME);
        clock.observe(reading.date());
        if (reading instanceof Reading.Found found) {
            return read(found.object().content());
        }
        Mark mark = Mark.next(random);
        LogEntry first = new LogEntry(0, "", reading.date().toEpochMilli(), mark.hex(), List.of());
        byte[] entry = EntryText.write(first);
        String hash = switch (objects.create(EntryText.name(0), entry, mark)) {
            case Creation.Created unused -> EntryText.hash(entry);
            case Creation.Exists exists -> EntryText.hash(exists.found().content());
        };
        byte[] format = write(hash);
        return switch (objects.create(NAME, format, Mark.next(random))) {
            case Creation.Created unused -> hash;
            case Creation.Exists exists -> read(exists.found().content());
        };
    }

    private static byte[] write(String hash) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.generator(out)) {
            json.writeStartObject();
            json.writeNumberProperty("format", EntryText.FORMAT);
            json.writeStringProperty("first", hash);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static String read(byte[] bytes) {
        String first = null;
        try (JsonParser json = JsonText.parser(bytes)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "format" -> EntryText.checkFormat(json.getLongValue());
                    case "first" -> first = json.getString();
                    default -> json.skipChildren();
                }
            }
        } catch (JacksonException e) {
            throw new StoreUnusable("The object \"" + NAME + "\" is not one of Semel's. Name another prefix.", e);
        }
        if (first == null) {
            throw new StoreUnusable("The object \"" + NAME + "\" names no first entry. Name another prefix.");
        }
        return first;
    }
}
