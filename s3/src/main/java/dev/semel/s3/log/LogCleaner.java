package dev.semel.s3.log;

import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what can never be needed again: entries before the second-newest snapshot, older snapshots, and documents that no
 * entry names any more.
 *
 * <p>Entries are deleted in rising order, one by one, and none that is younger than an hour: everything that a late process
 * may conclude from a free number rests on that. The order does not rest on a list, which may lack objects: before an entry is
 * deleted, the one before it has been deleted here or has been read and is not there.
 */
final class LogCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(LogCleaner.class);

    /** Nothing younger is deleted. */
    static final Duration YOUNG = Duration.ofHours(1);

    /** Objects that nothing names, left behind by a crash, are deleted after this. */
    static final Duration ORPHANED = Duration.ofDays(1);

    private final ObjectStore objects;
    private final Snapshots snapshots;

    LogCleaner(ObjectStore objects, Snapshots snapshots) {
        this.objects = objects;
        this.snapshots = snapshots;
    }

    /** Cleans once; returns how many objects were deleted. */
    int clean() {
        List<Long> numbers = snapshots.numbers();
        if (numbers.size() < 2) {
            return 0;
        }
        long kept = numbers.get(numbers.size() - 2);
        if (snapshots.find(kept) == null || snapshots.find(numbers.getLast()) == null) {
            return 0; // the list is old
        }
        Counter deleted = new Counter();
        Instant oldest = entries(kept, deleted);
        snapshots(kept, deleted);
        documents(oldest, deleted);
        if (deleted.count > 0) {
            LOG.debug("Log cleaned: before={} deleted={}", kept, deleted.count);
        }
        return deleted.count;
    }

    private final class Counter {

        private int count;

        void delete(String name) {
            objects.delete(name);
            count++;
        }
    }

    /** Deletes entries before a number; returns when the oldest that stays was stored. */
    private Instant entries(long before, Counter deleted) {
        long last = -1;
        String after = "";
        while (true) {
            Listing page = objects.list("log/", after, ObjectStore.MAX_LIST);
            for (ListedObject object : page.objects()) {
                after = object.name();
                long number = Long.parseLong(object.name().substring("log/".length()));
                if (number >= before || isYoung(object.storedAt(), page.date())) {
                    return object.storedAt();
                }
                if (number != last + 1 && !isLowest(number)) {
                    // The list lacks an entry before this one. It is not trusted; the next cleaning lists again.
                    return Instant.EPOCH;
                }
                deleted.delete(object.name());
                last = number;
            }
            if (!page.more() || page.objects().isEmpty()) {
                return Instant.EPOCH;
            }
        }
    }

    /** Whether the entry before a number is not there. */
    private boolean isLowest(long number) {
        return number == 0 || objects.get(EntryText.name(number - 1)) instanceof Reading.Absent;
    }

    private static boolean isYoung(Instant stored, Instant now) {
        return stored.isAfter(now.minus(YOUNG));
    }

    private void snapshots(long before, Counter deleted) {
        each(Snapshots.PREFIX, (object, now) -> {
            if (object.name().compareTo(Snapshots.name(before)) < 0 && !isYoung(object.storedAt(), now)) {
                deleted.delete(object.name());
            }
        });
        // Of deleted snapshots, and of those that a crash left without the object that names them.
        String first = Snapshots.PARTS + EntryText.padded(before) + "/";
        each(Snapshots.PARTS, (object, now) -> {
            if (object.name().compareTo(first) < 0 && !object.storedAt().isAfter(now.minus(ORPHANED))) {
                deleted.delete(object.name());
            }
        });
    }

    private void documents(Instant oldestEntry, Counter deleted) {
        // An entry names no document that was an hour old, so those that are two hours older than all entries are not
        // named.
        Instant limit = oldestEntry.equals(Instant.EPOCH) ? Instant.EPOCH : oldestEntry.minus(YOUNG.multipliedBy(2));
        each(Documents.PREFIX, (object, now) -> {
            if (object.storedAt().isBefore(limit) && object.storedAt().isBefore(now.minus(ORPHANED))) {
                deleted.delete(object.name());
            }
        });
    }

    private interface Each {
        void accept(ListedObject object, Instant now);
    }

    private void each(String prefix, Each each) {
        String after = "";
        while (true) {
            Listing page = objects.list(prefix, after, ObjectStore.MAX_LIST);
            Consumer<ListedObject> one = object -> each.accept(object, page.date());
            page.objects().forEach(one);
            if (!page.more() || page.objects().isEmpty()) {
                return;
            }
            after = page.objects().getLast().name();
        }
    }
}
