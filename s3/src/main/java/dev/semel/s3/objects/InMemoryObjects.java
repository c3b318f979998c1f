package dev.semel.s3.objects;

import dev.semel.s3.objects.Reading.Absent;
import dev.semel.s3.objects.Reading.Found;
import dev.semel.task.Limits;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * An object service in memory that never fails: the reference for all others, and for tests. Its times have the precision
 * of a second, as those of real services.
 */
public final class InMemoryObjects implements ObjectService {

    private final InstantSource clock;
    private final ConcurrentSkipListMap<String, StoredObject> objects = new ConcurrentSkipListMap<>();

    /**
     * Creates an empty service.
     *
     * @param clock the service's clock
     */
    public InMemoryObjects(InstantSource clock) {
        this.clock = Limits.notNull("clock", clock);
    }

    @Override
    public PutAnswer put(String name, byte[] content, Mark mark) {
        Instant now = now();
        StoredObject created = new StoredObject(
                ObjectName.check(name), Limits.notNull("content", content).clone(), Limits.notNull("mark", mark), now);
        StoredObject before = objects.putIfAbsent(name, created);
        return new PutAnswer(before == null ? PutAnswer.Outcome.CREATED : PutAnswer.Outcome.EXISTS, now);
    }

    @Override
    public Reading get(String name) {
        StoredObject found = objects.get(ObjectName.check(name));
        return found == null ? new Absent(now()) : new Found(found, now());
    }

    @Override
    public Listing list(String prefix, String after, int limit) {
        ObjectName.checkPrefix(prefix);
        ObjectName.checkPrefix(after);
        ObjectStore.checkLimit(limit);
        Instant now = now();
        List<ListedObject> page = new ArrayList<>();
        boolean fromPrefix = prefix.compareTo(after) > 0;
        for (Map.Entry<String, StoredObject> each :
                objects.tailMap(fromPrefix ? prefix : after, fromPrefix).entrySet()) {
            if (!each.getKey().startsWith(prefix)) {
                break;
            }
            if (page.size() == limit) {
                return new Listing(page, true, now);
            }
            StoredObject object = each.getValue();
            page.add(new ListedObject(object.name(), object.content().length, object.storedAt()));
        }
        return new Listing(page, false, now);
    }

    @Override
    public Instant delete(String name) {
        objects.remove(ObjectName.check(name));
        return now();
    }

    /** Does nothing: the objects stay, as those of a real service. */
    @Override
    public void close() {}

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
