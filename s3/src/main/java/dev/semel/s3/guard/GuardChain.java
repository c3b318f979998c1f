package dev.semel.s3.guard;

import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.guard.GuardState;
import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.ListedObject;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.StoredObject;
import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one key. See the package's description for why this is safe.
 */
final class GuardChain {

    /** For how long what was read may be built on. */
    static final Duration VALIDITY = Duration.ofHours(1);

    /** How old a list can be at the most. */
    static final Duration STALENESS = Duration.ofHours(1);

    /** The service's times have seconds, and two of them may differ by their rounding. */
    static final Duration ROUNDING = Duration.ofSeconds(5);

    /**
     * The state of a key as it was read.
     *
     * @param record the record; null if there is none
     * @param next the number under which the next state is created
     * @param date when it was read, by the service's clock
     */
    record State(@Nullable GuardRecord record, long next, Instant date) {}

    private final ObjectStore objects;
    private final RandomGenerator random;
    private final ServiceClock clock;
    private final GuardKey key;
    private final String directory;

    GuardChain(ObjectStore objects, RandomGenerator random, ServiceClock clock, GuardKey key) {
        this.objects = objects;
        this.random = random;
        this.clock = clock;
        this.key = key;
        this.directory = GuardNames.directory(key);
    }

    /** Reads the state. */
    State read() {
        NavigableSet<Long> listed = new TreeSet<>();
        String after = "";
        Listing page;
        do {
            page = objects.list(directory, after, ObjectStore.MAX_LIST);
            for (ListedObject object : page.objects()) {
                OptionalLong number = GuardNames.number(directory, object.name());
                number.ifPresent(listed::add);
                after = object.name();
            }
        } while (page.more() && !page.objects().isEmpty());
        clock.observe(page.date());
        if (!listed.isEmpty()) {
            State state = from(listed.last(), listed);
            if (state != null) {
                return state;
            }
        }
        return beginning(page.date());
    }

    /** Reads the state of the chain that a number belongs to; null if that chain has ended. */
    private @Nullable State from(long number, NavigableSet<Long> listed) {
        long chain = GuardNames.chain(number);
        // Down from the newest listed object to the first that counts.
        Long candidate = number;
        while (candidate != null && GuardNames.chain(candidate) == chain) {
            switch (objects.get(GuardNames.name(directory, candidate))) {
                case Reading.Absent absent -> {
                    return null; // listed and deleted: only chains that have ended are deleted
                }
                case Reading.Found(StoredObject object, Instant date) -> {
                    GuardDocument document = parsed(object);
                    if (counts(candidate, object, document)) {
                        return upwards(new Step(candidate, number, document, date));
                    }
                }
            }
            candidate = listed.lower(candidate);
        }
        return null;
    }

    private record Step(long at, long last, GuardDocument document, Instant date) {}

    /** Goes up from an object that counts to the newest one, because the list may be older. */
    private @Nullable State upwards(Step from) {
        GuardRecord record = from.document().record();
        long next = from.last() + 1;
        Instant date = from.date();
        while (record == null || !isFinal(record)) {
            if (record == null) {
                return null; // the chain has ended
            }
            switch (objects.get(GuardNames.name(directory, next))) {
                case Reading.Absent(Instant now) -> {
                    clock.observe(now);
                    return new State(record, next, now);
                }
                case Reading.Found(StoredObject object, Instant now) -> {
                    GuardDocument document = parsed(object);
                    if (counts(next, object, document)) {
                        record = document.record();
                    }
                    date = now;
                    next++;
                }
            }
        }
        clock.observe(date);
        return new State(record, next, date);
    }

    /** An outcome that has not expired is the last of its chain for so long. */
    private boolean isFinal(GuardRecord record) {
        return record.state() == GuardState.SUCCESS
                && clock.now().plus(ROUNDING).isBefore(record.expiresAt());
    }

    /** The state of a key without objects that count: the next object begins a chain, today. */
    private State beginning(Instant date) {
        long first = GuardNames.first(date);
        long earlier = GuardNames.first(date.minus(STALENESS));
        // A list may not show yet what began today, or in the last hour of yesterday.
        State found = from(first, new TreeSet<>());
        if (found == null && earlier != first) {
            found = from(earlier, new TreeSet<>());
        }
        if (found != null) {
            return found;
        }
        return new State(null, first, date);
    }

    /** Whether an object is part of its chain: it was stored while what it was built on was known to be there. */
    private static boolean counts(long number, StoredObject object, GuardDocument document) {
        return !object.storedAt().isAfter(document.notAfter())
                && (!GuardNames.isFirst(number) || GuardNames.first(object.storedAt()) == number);
    }

    private GuardDocument parsed(StoredObject object) {
        GuardDocument document = GuardDocument.parse(object.name(), object.content());
        if (!document.key().equals(key)) {
            throw new StoreUnusable("The object \"" + object.name() + "\" belongs to another key. Restore it, or use"
                    + " another prefix.");
        }
        return document;
    }

    /** What became of a new state. */
    sealed interface Written {
        /** It is the state now. */
        record Done(State state) implements Written {}

        /** Something else is; read again. */
        record Lost() implements Written {}
    }

    /**
     * Creates the next object.
     *
     * @param before the state that it was decided on
     * @param record the new record; null ends the chain
     */
    Written write(State before, @Nullable GuardRecord record) {
        Instant notAfter = GuardNames.isFirst(before.next())
                ? GuardNames.endOfDay(before.date()).minusSeconds(1)
                : before.date().plus(VALIDITY);
        GuardDocument document = new GuardDocument(key, record, notAfter);
        String name = GuardNames.name(directory, before.next());
        return switch (objects.create(name, document.bytes(), Mark.next(random))) {
            case Creation.Exists exists -> {
                clock.observe(exists.date());
                yield new Written.Lost();
            }
            case Creation.Created(Instant date) -> {
                clock.observe(date);
                yield date.plus(ROUNDING).isBefore(notAfter) || isStillCounted(before.next(), name, document)
                        ? new Written.Done(new State(record, before.next() + 1, date))
                        : new Written.Lost();
            }
        };
    }

    /** Reads when the service stored the object, because that was close to the last moment or after it. */
    private boolean isStillCounted(long number, String name, GuardDocument document) {
        return objects.get(name) instanceof Reading.Found(StoredObject object, Instant date)
                && counts(number, object, document);
    }
}
