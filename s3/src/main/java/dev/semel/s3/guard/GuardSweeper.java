package dev.semel.s3.guard;

import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.s3.guard.GuardChain.State;
import dev.semel.s3.guard.GuardChain.Written;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Ends chains whose state has expired, and deletes those that ended a day ago. */
final class GuardSweeper {

    /** How long a chain that has ended is kept, so that nothing can be built on what was read before. */
    static final Duration KEPT = Duration.ofDays(1);

    private final ObjectStore objects;
    private final ServiceClock clock;
    private final Function<GuardKey, GuardChain> chains;
    private int ended;

    GuardSweeper(ObjectStore objects, ServiceClock clock, Function<GuardKey, GuardChain> chains) {
        this.objects = objects;
        this.clock = clock;
        this.chains = chains;
    }

    /**
     * Goes through all keys.
     *
     * @param limit the maximum number of chains to end
     * @return how many were ended; below the limit if all keys were looked at
     */
    int sweep(int limit) {
        ended = 0;
        String after = "";
        String directory = "";
        NavigableMap<Long, Instant> numbers = new TreeMap<>();
        Listing page;
        do {
            page = objects.list(GuardNames.ROOT, after, ObjectStore.MAX_LIST);
            clock.observe(page.date());
            for (ListedObject object : page.objects()) {
                after = object.name();
                String owner = GuardNames.directoryOf(object.name());
                if (!owner.equals(directory)) {
                    clean(directory, numbers);
                    if (ended >= limit) {
                        return ended;
                    }
                    directory = owner;
                    numbers = new TreeMap<>();
                }
                OptionalLong number = GuardNames.number(owner, object.name());
                if (number.isPresent()) {
                    numbers.put(number.getAsLong(), object.storedAt());
                }
            }
        } while (page.more() && !page.objects().isEmpty());
        clean(directory, numbers);
        return ended;
    }

    /** Cleans each chain of a key. */
    private void clean(String directory, NavigableMap<Long, Instant> numbers) {
        NavigableMap<Long, Instant> rest = numbers;
        while (!rest.isEmpty()) {
            long next = GuardNames.afterChain(rest.firstKey());
            NavigableMap<Long, Instant> own = rest.headMap(next, false);
            rest = rest.tailMap(next, true);
            // Of several chains only the newest can be in use.
            clean(directory, own, rest.isEmpty());
        }
    }

    private void clean(String directory, NavigableMap<Long, Instant> chain, boolean newest) {
        Instant now = clock.now();
        if (GuardNames.chain(chain.firstKey()) >= GuardNames.first(now)) {
            return;
        }
        Instant settled = now.minus(KEPT).minus(GuardChain.ROUNDING);
        if (chain.values().stream().anyMatch(storedAt -> storedAt.isAfter(settled)) && !newest) {
            return;
        }
        StoredObject last = object(GuardNames.name(directory, chain.lastKey()));
        if (last == null) {
            return; // the list was old
        }
        GuardDocument document = GuardDocument.parse(last.name(), last.content());
        if (document.record() == null || !newest) {
            if (last.storedAt().isBefore(settled)) {
                delete(directory, new ArrayList<>(chain.keySet()));
            }
            return;
        }
        if (end(document.key()) && last.storedAt().isBefore(settled)) {
            delete(directory, new ArrayList<>(chain.keySet()));
        }
    }

    /** Ends a chain whose state has expired. Returns whether it had no state: nothing in it counts. */
    private boolean end(GuardKey key) {
        GuardChain chain = chains.apply(key);
        State state = chain.read();
        GuardRecord record = state.record();
        if (record == null) {
            return true;
        }
        if (record.isExpired(clock.now())
                && GuardNames.chain(state.next()) < GuardNames.first(state.date())
                && chain.write(state, null) instanceof Written.Done) {
            ended++;
        }
        return false;
    }

    /** Deletes in rising order, so that what is left still says that the chain has ended. */
    private void delete(String directory, List<Long> numbers) {
        numbers.forEach(number -> objects.delete(GuardNames.name(directory, number)));
    }

    private @Nullable StoredObject object(String name) {
        return objects.get(name) instanceof Reading.Found(StoredObject object, Instant date) ? object : null;
    }
}
