package dev.semel.sqlite.transaction;

import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.store.StoreNews;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The state that all operations of one transaction share: the session, its time, and the hints for listeners after it. */
public final class Transaction {

    private static final String HAS_WATCHES = "SELECT EXISTS (SELECT 1 FROM semel_watch)";
    private static final String LOWER_WAKE =
            "UPDATE semel_lane SET wake_at = ?2 WHERE id = ?1 AND (wake_at IS NULL OR wake_at > ?2)";
    private static final String SET_WAKE = "UPDATE semel_lane SET wake_at = ?2 WHERE id = ?1 AND wake_at IS NOT ?2";

    private final Catalog catalog;
    private final long now;
    private final BooleanSupplier leasesHeld;
    private final boolean again;
    private final StoreNews news = new StoreNews();
    private @Nullable QueueSettingsCache queues;

    private @Nullable Boolean watches;
    private boolean duplicatesExpected;
    private long leasedUntil = Long.MIN_VALUE;

    // The wake time that a lane has at the most, as far as this transaction knows: most submissions need not touch the
    // lane.
    private final Map<Integer, Long> wakes = new HashMap<>();

    /**
     * Begins the bookkeeping of a transaction that has begun.
     *
     * @param leasesHeld whether no lease counts as expired, because workers could not write their heartbeats
     * @param again whether its operations were run before, in a transaction that may or may not have committed
     */
    public Transaction(Catalog catalog, long now, BooleanSupplier leasesHeld, boolean again) {
        this.catalog = catalog;
        this.now = now;
        this.leasesHeld = leasesHeld;
        this.again = again;
    }

    public SqlStatement sql(String text) throws SQLException {
        return catalog.session().sql(text);
    }

    public Session session() {
        return catalog.session();
    }

    /** The settings of queues, as this transaction sees them. */
    public QueueSettingsCache queues() throws SQLException {
        QueueSettingsCache fresh = queues;
        if (fresh == null) {
            fresh = catalog.queues();
            fresh.refresh();
            queues = fresh;
        }
        return fresh;
    }

    public Names names() {
        return catalog.names();
    }

    public long now() {
        return now;
    }

    public Instant nowInstant() {
        return Instant.ofEpochMilli(now);
    }

    /** Whether no lease counts as expired. Called only for a lease that has expired, because it may read a file. */
    public boolean leasesHeld() {
        return leasesHeld.getAsBoolean();
    }

    /** Records that a lease was granted or extended until this time. */
    public void leased(long until) {
        leasedUntil = Math.max(leasedUntil, until);
    }

    /** Until when the leases of this transaction last, at the most; long ago if there are none. */
    long leasedUntil() {
        return leasedUntil;
    }

    public boolean again() {
        return again;
    }

    public boolean expectsDuplicates() {
        return duplicatesExpected;
    }

    public void expectDuplicates(boolean expect) {
        duplicatesExpected = expect;
    }

    /** Whether any workflow waits for a step. Read once, so that without workflows a completion does not look for them. */
    public boolean hasWatches() throws SQLException {
        Boolean known = watches;
        if (known == null) {
            try (ResultSet row = sql(HAS_WATCHES).query()) {
                known = row.next() && row.getBoolean(1);
            }
            watches = known;
        }
        return known;
    }

    /** Records that a workflow begins to wait for a step. */
    public void watching() {
        watches = true;
    }

    public StoreNews news() {
        return news;
    }

    /** Records that a task of this lane waits for a worker from this time on, and notifies workers. */
    public void claimable(Lane lane, long dueAt) throws SQLException {
        dueBy(lane, dueAt);
        news.due(lane.queue());
    }

    /** Records that a task of this lane can be claimed from this time on. Without that no claim sees the task. */
    public void dueBy(Lane lane, long dueAt) throws SQLException {
        Long known = wakes.get(lane.id());
        if (known == null || known > dueAt) {
            sql(LOWER_WAKE).with(lane.id()).with(dueAt).update();
            wakes.put(lane.id(), dueAt);
        }
    }

    /** Records that no task of this lane can be claimed before this time. */
    public void wake(Lane lane, @Nullable Long at) throws SQLException {
        sql(SET_WAKE).with(lane.id()).with(at).update();
        wakes.remove(lane.id());
    }
}
