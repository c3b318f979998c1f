package dev.semel.s3.log;

import dev.semel.s3.log.JsonText.DocumentReference;
import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.sqlite.capture.Change;
import dev.semel.task.StoreUnavailable;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Large documents of an entry, in an object of their own that is created before the entry that names it: a list of strings.
 * No entry names an object that is older than an hour, so those that are older than every entry can be deleted.
 */
final class Documents {

    static final String PREFIX = "documents/";

    /** Texts with more characters are documents of their own. */
    static final int INLINE = 16 << 10;

    // Well below the hour after which no entry may name a document any more.
    private static final Duration REUSED = Duration.ofMinutes(20);

    private final ObjectStore objects;
    private final RandomGenerator random;

    // Documents of one object, about: an object has a limit, and a reader holds it in memory.
    private static final int OBJECT_CHARACTERS = 8 << 20;

    private record Stored(String name, Instant date) {}

    // By the hash of their content: an entry that lost its number names the same documents again.
    private final Map<String, Stored> recent = new HashMap<>();

    Documents(ObjectStore objects, RandomGenerator random) {
        this.objects = objects;
        this.random = random;
    }

    /** Moves texts with more characters than a limit to objects of their own. */
    List<Change> extract(List<Change> changes, int limit, Instant now) {
        recent.values().removeIf(stored -> !now.isBefore(stored.date().plus(REUSED)));
        List<List<String>> bundles = bundles(changes, limit);
        if (bundles.isEmpty()) {
            return changes;
        }
        Deque<DocumentReference> names = new ArrayDeque<>();
        for (List<String> bundle : bundles) {
            String object = create(bundle);
            for (int index = 0; index < bundle.size(); index++) {
                names.add(new DocumentReference(object, index));
            }
        }
        List<Change> named = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            change.fields().forEach((name, value) -> fields.put(name, isLarge(value, limit) ? names.remove() : value));
            named.add(new Change(change.entity(), change.kind(), change.key(), fields));
        }
        return named;
    }

    private static boolean isLarge(@Nullable Object value, int limit) {
        return value instanceof String text && text.length() > limit;
    }

    private static List<List<String>> bundles(List<Change> changes, int limit) {
        List<List<String>> bundles = new ArrayList<>();
        long size = OBJECT_CHARACTERS;
        for (Change change : changes) {
            for (Object value : change.fields().values()) {
                if (value instanceof String text && text.length() > limit) {
                    if (size >= OBJECT_CHARACTERS) {
                        bundles.add(new ArrayList<>());
                        size = 0;
                    }
                    bundles.getLast().add(text);
                    size += text.length();
                }
            }
        }
        return bundles;
    }

    private String create(List<String> documents) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonText.generator(out)) {
            json.writeStartArray();
            for (String document : documents) {
                json.writeRaw('\n');
                json.writeString(document);
            }
            json.writeEndArray();
        }
        byte[] bytes = out.toByteArray();
        String hash = EntryText.hash(bytes);
        Stored known = recent.get(hash);
        if (known != null) {
            return known.name();
        }
        Mark mark = Mark.next(random);
        String name = PREFIX + mark.hex() + ".json";
        if (!(objects.create(name, bytes, mark) instanceof Creation.Created created)) {
            throw new StoreUnavailable("The object \"" + name + "\" exists, but its name is random. Try again.");
        }
        recent.put(hash, new Stored(name, created.date()));
        return name;
    }

    /** Replaces the names of documents by their texts. */
    List<Change> resolve(List<Change> changes) {
        Map<String, List<String>> read = new HashMap<>();
        List<Change> resolved = new ArrayList<>(changes.size());
        for (Change change : changes) {
            if (change.fields().values().stream().noneMatch(DocumentReference.class::isInstance)) {
                resolved.add(change);
                continue;
            }
            Map<String, @Nullable Object> fields = new LinkedHashMap<>(change.fields());
            fields.replaceAll((name, value) -> value instanceof DocumentReference reference
                    ? read.computeIfAbsent(reference.object(), this::read).get(reference.index())
                    : value);
            resolved.add(new Change(change.entity(), change.kind(), change.key(), fields));
        }
        return resolved;
    }

    private List<String> read(String name) {
        if (!(objects.get(name) instanceof Reading.Found found)) {
            throw new StoreUnavailable(
                    "The object \"" + name + "\" is named by an entry of the log, but it is not there."
                            + " If nobody has deleted it, it was cleaned meanwhile; try again.");
        }
        List<String> documents = new ArrayList<>();
        try (JsonParser json = JsonText.parser(found.object().content())) {
            json.nextToken();
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                documents.add(json.getString());
            }
        }
        return documents;
    }
}
