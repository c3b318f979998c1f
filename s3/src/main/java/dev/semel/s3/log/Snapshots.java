package dev.semel.s3.log;

import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.ChangeCapture;
import dev.semel.sqlite.capture.TableReader;
import dev.semel.sqlite.sql.Session;
import dev.semel.task.StoreUnavailable;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Snapshots of the whole state after an entry. A new process begins with the newest one and reads the entries after it.
 *
 * <p>A snapshot is a small object {@code snapshot/NUMBER.json} that names its parts, and is created after them. Parts are
 * lines of JSON, one for each row, so that a person can read them.
 */
final class Snapshots {

    static final String PREFIX = "snapshot/";
    static final String PARTS = "snapshot-parts/";

    private static final int PART_BYTES = 8 << 20;

    /**
     * A snapshot.
     *
     * @param position the entry after which it was taken
     * @param parts the names of its parts, in order
     * @param hashes the hashes of the parts
     */
    record Manifest(Position position, List<String> parts, List<String> hashes) {}

    /** What takes the rows of a snapshot. */
    interface Rows {
        void take(List<Change> rows) throws SQLException;
    }

    private final ObjectStore objects;
    private final RandomGenerator random;

    Snapshots(ObjectStore objects, RandomGenerator random) {
        this.objects = objects;
        this.random = random;
    }

    static String name(long number) {
        return PREFIX + EntryText.padded(number) + ".json";
    }

    /** The numbers of the snapshots that a list shows, rising; it may be old. */
    List<Long> numbers() {
        List<Long> numbers = new ArrayList<>();
        String after = "";
        while (true) {
            Listing page = objects.list(PREFIX, after, ObjectStore.MAX_LIST);
            for (ListedObject object : page.objects()) {
                String name = object.name();
                after = name;
                if (name.endsWith(".json")) {
                    numbers.add(Long.parseLong(name.substring(PREFIX.length(), name.length() - ".json".length())));
                }
            }
            if (!page.more() || page.objects().isEmpty()) {
                return numbers;
            }
        }
    }

    /** The snapshot of a number; null if it was deleted. */
    @Nullable
    Manifest find(long number) {
        return objects.get(name(number)) instanceof Reading.Found found
                ? read(found.object().content())
                : null;
    }

    /** Writes a snapshot of a replica in a transaction that reads it; returns the number of its entry. */
    long write(Session session) throws SQLException {
        Position position = Position.read(session);
        if (position == null) {
            throw new IllegalStateException("A replica without a position has no snapshot");
        }
        Parts parts = new Parts(PARTS + EntryText.padded(position.number()) + "/");
        TableReader.readAll(session, parts::add);
        UnknownFields.readAll(session, ChangeCapture.fields(session), parts::add);
        parts.flush();
        Creation unused = objects.create(
                name(position.number()), write(new Manifest(position, parts.names, parts.hashes)), Mark.next(random));
        return position.number();
    }

    /** Collects rows and creates objects of them. */
    private final class Parts {

        private final String prefix;
        private final List<String> names = new ArrayList<>();
        private final List<String> hashes = new ArrayList<>();
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Parts(String prefix) {
            this.prefix = prefix;
        }

        void add(Change row) {
            try (JsonGenerator json = JsonText.generator(out)) {
                JsonText.write(json, row);
            }
            out.write('\n');
            if (out.size() >= PART_BYTES) {
                flush();
            }
        }

        void flush() {
            if (out.size() > 0) {
                byte[] bytes = out.toByteArray();
                Mark mark = Mark.next(random);
                String name = prefix + mark.hex() + ".jsonl";
                Creation unused = objects.create(name, bytes, mark);
                names.add(name);
                hashes.add(EntryText.hash(bytes));
                out.reset();
            }
        }
    }

    /** Reads all rows of a snapshot, part by part. */
    void read(Manifest manifest, Rows rows) throws SQLException {
        for (int i = 0; i < manifest.parts().size(); i++) {
            String name = manifest.parts().get(i);
            if (!(objects.get(name) instanceof Reading.Found found)
                    || !EntryText.hash(found.object().content())
                            .equals(manifest.hashes().get(i))) {
                throw new StoreUnavailable("The part \"" + name + "\" of a snapshot is not there or not what it was. If"
                        + " nobody has changed it, the snapshot was cleaned meanwhile; try again.");
            }
            List<Change> changes = new ArrayList<>();
            for (String line : new String(found.object().content(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                try (JsonParser json = JsonText.parser(line)) {
                    json.nextToken();
                    changes.add(JsonText.change(json));
                }
            }
            rows.take(changes);
        }
    }

    private static byte[] write(Manifest manifest) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.generator(out)) {
            json.writeStartObject();
            json.writeNumberProperty("format", EntryText.FORMAT);
            json.writeNumberProperty("number", manifest.position().number());
            json.writeStringProperty("hash", manifest.position().hash());
            json.writeNumberProperty("time", manifest.position().time());
            json.writeName("parts");
            json.writeStartArray();
            for (int i = 0; i < manifest.parts().size(); i++) {
                json.writeRaw('\n');
                json.writeStartObject();
                json.writeStringProperty("name", manifest.parts().get(i));
                json.writeStringProperty("hash", manifest.hashes().get(i));
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static Manifest read(byte[] bytes) {
        long number = 0;
        long time = 0;
        String hash = "";
        List<String> parts = new ArrayList<>();
        List<String> hashes = new ArrayList<>();
        try (JsonParser json = JsonText.parser(bytes)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "format" -> EntryText.checkFormat(json.getLongValue());
                    case "number" -> number = json.getLongValue();
                    case "time" -> time = json.getLongValue();
                    case "hash" -> hash = json.getString();
                    case "parts" -> readParts(json, parts, hashes);
                    default -> json.skipChildren();
                }
            }
        } catch (JacksonException e) {
            throw new StoreUnavailable("A snapshot cannot be read: " + e.getOriginalMessage());
        }
        return new Manifest(new Position(number, hash, time), parts, hashes);
    }

    private static void readParts(JsonParser json, List<String> parts, List<String> hashes) {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "name" -> parts.add(json.getString());
                    case "hash" -> hashes.add(json.getString());
                    default -> json.skipChildren();
                }
            }
        }
    }
}
