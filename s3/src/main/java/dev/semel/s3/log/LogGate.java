package dev.semel.s3.log;

import dev.semel.s3.objects.Creation;
import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.ObjectStore;
import dev.semel.s3.objects.Reading;
import dev.semel.s3.objects.StoredObject;
import dev.semel.sqlite.capture.Change;
import dev.semel.sqlite.capture.ChangeApplier;
import dev.semel.sqlite.capture.Gate;
import dev.semel.sqlite.sql.Session;
import dev.semel.store.StoreNews;
import dev.semel.task.StoreUnavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gate of a replica: what its operations change becomes the next entry of the log, or they are undone.
 *
 * <p>An entry is created under the number after the newest that the replica contains, if no object of that name exists. That
 * one conditional write is all that orders the processes. A number that is free may also be one that was cleaned long ago.
 * So an answer about number n + 1 counts only if entry n is still there after it, with the hash that the replica has applied:
 * entries are deleted in rising order. That is read again only every quarter of an hour, because no entry is deleted before it
 * is an hour old.
 */
final class LogGate implements Gate {

    private static final Logger LOG = LoggerFactory.getLogger(LogGate.class);

    /** For how long an answer about the next number counts without reading the newest entry again. */
    static final Duration VERIFIED = Duration.ofMinutes(15);

    /** The most bytes of an entry. */
    static final int ENTRY_BYTES = 4 << 20;

    // Documents leave an entry that is too large, the largest first; beyond the last of these it may be larger.
    private static final int[] INLINE = {Documents.INLINE, 4 << 10, 1 << 10, 256, 64};

    // Entries that are read before it is checked that none of them was cleaned meanwhile.
    private static final int FOLLOWED = 64;
    private static final long FOLLOWED_BYTES = 16L << 20;

    // A list can be old, and name a snapshot whose entries were cleaned.
    private static final int MOST_BUILDS = 40;
    private static final Duration BUILD_PAUSE = Duration.ofMillis(100);

    private final ObjectStore objects;
    private final RandomGenerator random;
    private final LogClock clock;
    private final Snapshots snapshots;
    private final Documents documents;
    private final Turns turns = new Turns();
    private final String author;

    private @Nullable Session session;
    private @Nullable ChangeApplier applier;
    private @Nullable UnknownFields unknown;

    // The newest entry that the replica contains, for others: decisions read it from the replica itself, because a
    // commit may
    // fail after its entry was published. Null: the replica contains nothing that counts, and is built again.
    private volatile @Nullable Position position;
    private Instant verified = Instant.MIN;
    private @Nullable StoredObject next;
    private Instant nextDate = Instant.MIN;

    LogGate(ObjectStore objects, RandomGenerator random, LogClock clock) {
        this.objects = objects;
        this.random = random;
        this.clock = clock;
        this.snapshots = new Snapshots(objects, random);
        this.documents = new Documents(objects, random);
        this.author = Mark.next(random).hex();
    }

    /** The newest entry that the replica contains; null while it is built. */
    @Nullable
    Position position() {
        return position;
    }

    @Override
    public void open(Session catchUp) throws SQLException {
        session = catchUp;
        Position.create(catchUp);
        ChangeApplier changes = new ChangeApplier(catchUp);
        applier = changes;
        unknown = new UnknownFields(catchUp, changes);
        Position kept = Position.read(catchUp);
        if (kept != null) {
            // Otherwise what the newest entry made due would not be due yet.
            clock.raise(kept.time());
        }
        position = kept;
        catchUp();
    }

    @Override
    public void awaitTurn() {
        turns.await();
    }

    @Override
    public boolean admit(Session open, List<Change> changes, long now) throws SQLException {
        Position at = position == null ? null : Position.read(open);
        if (at == null) {
            return false;
        }
        return changes.isEmpty() ? isNewest(at) : publish(open, at, changes, now);
    }

    /** Whether the replica contains everything that was published before this call. */
    private boolean isNewest(Position at) {
        if (next != null) {
            return false;
        }
        Reading reading = objects.get(EntryText.name(at.number() + 1));
        clock.observe(reading.date());
        if (reading instanceof Reading.Found found) {
            next = found.object();
            nextDate = found.date();
            return false;
        }
        return counts(at, reading.date());
    }

    private boolean publish(Session open, Position at, List<Change> changes, long now) throws SQLException {
        if (now > clock.service() + LogClock.MOST_AHEAD) {
            throw new StoreUnavailable("The time of the log is " + Instant.ofEpochMilli(now)
                    + ", more than 5 s ahead of the service's clock, " + Instant.ofEpochMilli(clock.service())
                    + ". Nothing is written until the service's clock has come that far.");
        }
        LogEntry entry = new LogEntry(at.number() + 1, at.hash(), now, author, changes);
        byte[] bytes = write(entry);
        long began = System.nanoTime();
        Creation creation = objects.create(EntryText.name(entry.number()), bytes, Mark.next(random));
        switch (creation) {
            case Creation.Exists exists -> {
                turns.lost(System.nanoTime() - began);
                clock.observe(exists.date());
                next = exists.found();
                nextDate = exists.date();
                return false;
            }
            case Creation.Created created -> {
                clock.observe(created.date());
                if (!counts(at, created.date())) {
                    return false;
                }
            }
        }
        turns.won(System.nanoTime() - began);
        Position published = new Position(entry.number(), EntryText.hash(bytes), now);
        published.write(open);
        position = published;
        return true;
    }

    private byte[] write(LogEntry entry) {
        byte[] bytes = new byte[0];
        for (int i = 0; i < INLINE.length; i++) {
            int inline = INLINE[i];
            boolean last = i == INLINE.length - 1;
            if (!last && EntryText.estimate(entry.changes(), inline) > ENTRY_BYTES) {
                continue; // writing it would only show that
            }
            List<Change> changes = documents.extract(entry.changes(), inline, Instant.ofEpochMilli(clock.service()));
            bytes = EntryText.write(
                    new LogEntry(entry.number(), entry.previous(), entry.time(), entry.author(), changes));
            if (bytes.length <= ENTRY_BYTES) {
                return bytes;
            }
        }
        return bytes;
    }

    /**
     * Whether the answer that the number after the replica's newest entry is free, or was, counts; otherwise the replica is
     * discarded.
     */
    private boolean counts(Position at, Instant date) {
        if (isVerified(date)) {
            return true;
        }
        if (isStillThere(at)) {
            // The time of the earlier answer: what was free then cannot be deleted for an hour from then on.
            verified = date;
            return true;
        }
        return false;
    }

    private boolean isVerified(Instant date) {
        return verified.isAfter(date.minus(VERIFIED));
    }

    private boolean isStillThere(Position at) {
        Reading reading = objects.get(EntryText.name(at.number()));
        clock.observe(reading.date());
        if (reading instanceof Reading.Found found
                && EntryText.hash(found.object().content()).equals(at.hash())) {
            return true;
        }
        discard("its newest entry " + at.number() + " was cleaned");
        return false;
    }

    private void discard(String because) {
        LOG.info("Replica of the log is built again: reason=\"{}\"", because);
        position = null;
        verified = Instant.MIN;
        next = null;
    }

    @Override
    public StoreNews catchUp() throws SQLException {
        StoreNews news = new StoreNews();
        for (int builds = 0; builds < MOST_BUILDS; builds++) {
            if (builds > 1) {
                LockSupport.parkNanos(BUILD_PAUSE.toNanos());
            }
            Position at = position == null ? null : Position.read(catchUpSession());
            if (at == null) {
                build();
                news.unknownDue();
                news.unknownEnded();
            } else if (follow(at, news)) {
                return news;
            }
        }
        throw new StoreUnavailable("No snapshot of the log was found whose entries are still there, in " + MOST_BUILDS
                + " tries. If nobody has deleted objects, the service's lists are old; try again.");
    }

    /**
     * Entries after a position.
     *
     * @param contents in order
     * @param date the time of the last answer
     * @param complete whether that answer was that there are no more
     */
    private record Following(List<byte[]> contents, Instant date, boolean complete) {}

    /** Applies entries until there is none; returns false if the replica was discarded. */
    private boolean follow(Position from, StoreNews news) throws SQLException {
        Position at = from;
        while (true) {
            Following following = readAfter(at);
            // Once for all of them: while the entry before them is there, none of them was deleted and created again.
            if (!isVerified(following.date())) {
                if (!isStillThere(at)) {
                    return false;
                }
                if (following.complete()) {
                    verified = following.date();
                }
            }
            for (byte[] content : following.contents()) {
                Position applied = apply(at, content, news);
                if (applied == null) {
                    return false;
                }
                position = applied;
                at = applied;
            }
            if (following.complete()) {
                return true;
            }
        }
    }

    private Following readAfter(Position at) {
        List<byte[]> contents = new ArrayList<>();
        Instant date = nextDate;
        StoredObject known = next;
        next = null;
        long bytes = 0;
        while (contents.size() < FOLLOWED && bytes < FOLLOWED_BYTES) {
            StoredObject entry = known;
            known = null;
            if (entry == null) {
                Reading reading = objects.get(EntryText.name(at.number() + contents.size() + 1));
                date = reading.date();
                clock.observe(date);
                if (!(reading instanceof Reading.Found found)) {
                    return new Following(contents, date, true);
                }
                entry = found.object();
            }
            contents.add(entry.content());
            bytes += entry.content().length;
        }
        return new Following(contents, date, false);
    }

    private @Nullable Position apply(Position at, byte[] content, StoreNews news) throws SQLException {
        LogEntry entry;
        try {
            entry = EntryText.read(content);
        } catch (IllegalArgumentException e) {
            throw new StoreUnavailable("The object \"" + EntryText.name(at.number() + 1) + "\" is no entry of the log: "
                    + e.getMessage() + ". Find out who wrote it.");
        }
        if (entry.number() != at.number() + 1 || !entry.previous().equals(at.hash())) {
            discard("entry " + entry.number() + " does not follow what it contains");
            return null;
        }
        Position applied = new Position(entry.number(), EntryText.hash(content), entry.time());
        List<Change> changes = documents.resolve(entry.changes());
        try {
            inTransaction(() -> {
                take(changes, news);
                applied.write(catchUpSession());
            });
        } catch (ChangeApplier.Misfit e) {
            discard("entry " + entry.number() + " does not fit: " + e.getMessage());
            return null;
        }
        clock.raise(entry.time());
        if (!entry.author().equals(author)) {
            turns.wrote(entry.author());
        }
        return applied;
    }

    private void take(List<Change> changes, StoreNews news) throws SQLException {
        ChangeApplier to = applier;
        UnknownFields rest = unknown;
        if (to == null || rest == null) {
            throw new IllegalStateException("The gate is not open");
        }
        to.apply(rest.keep(changes), news);
    }

    /** Fills the replica from the newest snapshot, or from nothing if the log still has its first entry. */
    private void build() throws SQLException {
        String first = Genesis.hash(objects, random, clock);
        List<Long> numbers = snapshots.numbers();
        Snapshots.Manifest manifest = numbers.isEmpty() ? null : snapshots.find(numbers.getLast());
        Position start = manifest == null ? beginning(first) : manifest.position();
        if (start == null) {
            return;
        }
        StoreNews unused = new StoreNews();
        inTransaction(() -> {
            ChangeApplier to = applier;
            UnknownFields rest = unknown;
            if (to != null && rest != null) {
                to.clear();
                rest.clear();
            }
            if (manifest != null) {
                snapshots.read(manifest, rows -> take(rows, unused));
            }
            start.write(catchUpSession());
        });
        clock.raise(start.time());
        verified = Instant.MIN;
        position = start;
    }

    /** The first entry; null if it was cleaned, and a snapshot exists that the list did not show. */
    private @Nullable Position beginning(String first) {
        if (!(objects.get(EntryText.name(0)) instanceof Reading.Found found)
                || !EntryText.hash(found.object().content()).equals(first)) {
            return null;
        }
        return new Position(0, first, EntryText.read(found.object().content()).time());
    }

    private interface Step {
        void run() throws SQLException;
    }

    private void inTransaction(Step step) throws SQLException {
        Session open = catchUpSession();
        if (!open.beginImmediate()) {
            throw new StoreUnavailable("The replica is locked by another program, but it belongs to this one alone.");
        }
        try {
            step.run();
            open.commit();
        } catch (SQLException | RuntimeException e) {
            open.rollback(e);
            ChangeApplier to = applier;
            if (to != null) {
                to.rolledBack();
            }
            throw e;
        }
    }

    private Session catchUpSession() {
        Session open = session;
        if (open == null) {
            throw new IllegalStateException("The gate is not open");
        }
        return open;
    }

    @Override
    public void close() {
        Session open = session;
        session = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("Connection of a replica not closed", e);
            }
        }
    }
}
