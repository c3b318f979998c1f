package dev.semel.s3.client;

import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectName;
import dev.semel.s3.objects.ObjectService;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.PutAnswer;
import dev.semel.s3.objects.PutAnswer.Outcome;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.RequestFailed;
import dev.semel.s3.objects.StoredObject;
import dev.semel.task.InvalidInput;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;

/** The object service that speaks S3 over HTTP. Each call is one request, except a list that has to skip foreign objects. */
public final class HttpObjects implements ObjectService {

    private static final String MARK = "x-amz-meta-semel-mark";
    private static final byte[] NONE = {};
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;

    private final Address address;
    private final Exchange exchange;

    /**
     * Creates the service. Nothing is sent.
     *
     * @param address where the objects are
     * @param credentials finds the credentials
     * @param timeout how long one request may take
     * @param clock the time of signatures
     */
    public HttpObjects(Address address, CredentialSource credentials, Duration timeout, InstantSource clock) {
        this.address = address;
        this.exchange = new Exchange(address, credentials, timeout, clock);
    }

    @Override
    public PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed {
        SortedMap<String, String> headers = new TreeMap<>();
        headers.put("if-none-match", "*");
        headers.put("content-type", name.endsWith(".json") ? "application/json" : "application/octet-stream");
        headers.put(MARK, mark.hex());
        Answer answer = exchange.send("PUT", address.path(ObjectName.check(name)), new TreeMap<>(), headers, content);
        return switch (answer.status()) {
            case OK, NO_CONTENT -> new PutAnswer(Outcome.CREATED, answer.date());
            case PRECONDITION_FAILED -> new PutAnswer(Outcome.EXISTS, answer.date());
            case CONFLICT -> new PutAnswer(Outcome.CONFLICT, answer.date());
            default -> throw answer.unexpected();
        };
    }

    @Override
    public Reading get(String name) throws RequestFailed {
        Answer answer =
                exchange.send("GET", address.path(ObjectName.check(name)), new TreeMap<>(), new TreeMap<>(), NONE);
        return switch (answer.status()) {
            case OK ->
                new Reading.Found(
                        new StoredObject(name, answer.body(), answer.mark(MARK), answer.lastModified()), answer.date());
            case NOT_FOUND -> new Reading.Absent(answer.date());
            default -> throw answer.unexpected();
        };
    }

    @Override
    public Listing list(String prefix, String after, int limit) throws RequestFailed {
        ObjectName.checkPrefix(prefix);
        ObjectName.checkPrefix(after);
        ObjectStore.checkLimit(limit);
        String from = after.isEmpty() ? "" : address.prefix() + after;
        while (true) {
            Page page = page(address.prefix() + prefix, from, limit);
            if (page.last() == null
                    || !page.listing().objects().isEmpty()
                    || !page.listing().more()) {
                return page.listing();
            }
            from = page.last(); // a page of foreign objects only
        }
    }

    private record Page(Listing listing, @Nullable String last) {}

    private Page page(String prefix, String after, int limit) throws RequestFailed {
        SortedMap<String, String> query = new TreeMap<>(Map.of("list-type", "2", "max-keys", Integer.toString(limit)));
        query.put("prefix", prefix);
        if (!after.isEmpty()) {
            query.put("start-after", after);
        }
        Answer answer = exchange.send("GET", address.bucketPath(), query, new TreeMap<>(), NONE);
        if (answer.status() != OK) {
            throw answer.unexpected();
        }
        try {
            Xml xml = Xml.parse(answer.body(), "Contents");
            List<ListedObject> objects = new ArrayList<>();
            String last = null;
            for (Map<String, String> item : xml.items()) {
                last = item.getOrDefault("Key", "");
                ListedObject object = listed(last, item);
                if (object != null) {
                    objects.add(object);
                }
            }
            return new Page(new Listing(objects, Boolean.parseBoolean(xml.field("IsTruncated")), answer.date()), last);
        } catch (XMLStreamException | DateTimeException | NumberFormatException e) {
            throw new RequestFailed("The answer to a list could not be read.", e);
        }
    }

    /** Returns the object, or null if it has a name that Semel gives to none. */
    private @Nullable ListedObject listed(String key, Map<String, String> item) {
        if (!key.startsWith(address.prefix())) {
            return null;
        }
        String name = key.substring(address.prefix().length());
        try {
            ObjectName.check(name);
        } catch (InvalidInput e) {
            return null;
        }
        Instant storedAt =
                OffsetDateTime.parse(item.getOrDefault("LastModified", "")).toInstant();
        return new ListedObject(name, Long.parseLong(item.getOrDefault("Size", "0")), storedAt);
    }

    @Override
    public Instant delete(String name) throws RequestFailed {
        Answer answer =
                exchange.send("DELETE", address.path(ObjectName.check(name)), new TreeMap<>(), new TreeMap<>(), NONE);
        return switch (answer.status()) {
            case OK, NO_CONTENT, NOT_FOUND -> answer.date();
            default -> throw answer.unexpected();
        };
    }

    @Override
    public void close() {
        exchange.close();
    }
}
