package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Lane;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What all operations of one transaction share: the session, its time, and what listeners are to be told after it. */
final class SqliteTransaction {

    private static final String LOWER_WAKE =
            "UPDATE semel_lane SET wake_at = ?2 WHERE id = ?1 AND (wake_at IS NULL OR wake_at > ?2)";
    private static final String SET_WAKE = "UPDATE semel_lane SET wake_at = ?2 WHERE id = ?1 AND wake_at IS NOT ?2";

    private final SqliteSession session;
    private final SqliteNames names;
    private final long now;
    private final BooleanSupplier leasesHeld;
    private final boolean again;
    private final StoreNews news = new StoreNews();
    private @Nullable SqliteQueues queues;

    private boolean duplicatesExpected;
    private long leasedUntil = Long.MIN_VALUE;

    // The wake time that a lane has at the most, as far as this transaction knows: most submissions need not touch the
    // lane.
    private final Map<Integer, Long> wakes = new HashMap<>();

    /**
     * Begins the bookkeeping of a transaction that has begun.
     *
     * @param leasesHeld whether no lease counts as run out, because workers were kept from their heartbeats
     * @param again whether its operations were run before, in a transaction that may or may not have committed
     */
    SqliteTransaction(SqliteSession session, SqliteNames names, long now, BooleanSupplier leasesHeld, boolean again) {
        this.session = session;
        this.names = names;
        this.now = now;
        this.leasesHeld = leasesHeld;
        this.again = again;
    }

    SqliteStatement sql(String text) throws SQLException {
        return session.sql(text);
    }

    /** The settings of queues, as this transaction sees them. */
    SqliteQueues queues() throws SQLException {
        SqliteQueues fresh = queues;
        if (fresh == null) {
            fresh = session.queues();
            fresh.refresh();
            queues = fresh;
        }
        return fresh;
    }

    SqliteNames names() {
        return names;
    }

    long now() {
        return now;
    }

    Instant nowInstant() {
        return Instant.ofEpochMilli(now);
    }

    /** Ask only about a lease that has run out: this may read a file. */
    boolean leasesHeld() {
        return leasesHeld.getAsBoolean();
    }

    /** A lease was given or extended until this time. */
    void leased(long until) {
        leasedUntil = Math.max(leasedUntil, until);
    }

    /** Until when the leases of this transaction last, at the most; long ago if there are none. */
    long leasedUntil() {
        return leasedUntil;
    }

    boolean again() {
        return again;
    }

    boolean expectsDuplicates() {
        return duplicatesExpected;
    }

    void expectDuplicates(boolean expect) {
        duplicatesExpected = expect;
    }

    StoreNews news() {
        return news;
    }

    /** A task of this lane waits for a worker from this time on. */
    void claimable(Lane lane, long dueAt) throws SQLException {
        dueBy(lane, dueAt);
        news.due(lane.queue());
    }

    /** A task of this lane can be claimed from this time on. Forgetting to say so hides the task from all claims. */
    void dueBy(Lane lane, long dueAt) throws SQLException {
        Long known = wakes.get(lane.id());
        if (known == null || known > dueAt) {
            sql(LOWER_WAKE).with(lane.id()).with(dueAt).update();
            wakes.put(lane.id(), dueAt);
        }
    }

    /** No task of this lane can be claimed before this time. */
    void wake(Lane lane, @Nullable Long at) throws SQLException {
        sql(SET_WAKE).with(lane.id()).with(at).update();
        wakes.remove(lane.id());
    }
}
