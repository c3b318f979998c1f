package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.DueTasks.Candidate;
import dev.semel.postgresql.claim.DueTasks.Cursor;
import dev.semel.postgresql.claim.DueTasks.Read;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.postgresql.transaction.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The positions at which claims begin to read lanes: the beginning, unless too many dead entries lie there. While a transaction
 * of another program stays open for long, the index entries of tasks that were claimed since then cannot be removed, and each
 * claim would read past all of them. In that case the claims of this process continue where the last one ended, and read from
 * the beginning only from time to time. A task that belongs before that position because of its priority is found a little
 * later.
 *
 * <p>A claim that finds too little behind a cursor reads again from the beginning, so no task is ever missed.
 */
final class LaneCursors {

    // Only slower reads are examined, and only more dead entries than this are worth skipping.
    private static final long SLOW_NANOS = Duration.ofMillis(5).toNanos();
    private static final long MANY = 5_000;

    // A read from the beginning is not repeated for this many times its duration.
    private static final int PAUSE_FACTOR = 10;

    private static final int MOST_LANES = 10_000;

    // Index entries that this connection has read since its statistics were last reported, with those of dead rows. The
    // claim's opening reads the same number before it reads any task.
    private static final String ENTRIES_READ =
            "SELECT pg_stat_get_xact_tuples_returned('semel.ready_order'::regclass) AS entries";

    private record Known(Cursor next, long until) {}

    private final Map<Integer, Known> lanes = new ConcurrentHashMap<>();

    /** Returns the positions at which a claim begins to read lanes, by their numbers. */
    Map<Integer, Cursor> of(Collection<Lane> some) {
        Map<Integer, Cursor> cursors = new LinkedHashMap<>();
        some.forEach(lane -> cursors.put(lane.id(), cursor(lane.id())));
        return cursors;
    }

    private Cursor cursor(int lane) {
        Known known = lanes.isEmpty() ? null : lanes.get(lane);
        return known == null || System.nanoTime() - known.until >= 0 ? Cursor.BEGINNING : known.next;
    }

    /** Begins at the beginning of these lanes again. */
    void reset(Collection<Integer> some) {
        if (!lanes.isEmpty()) {
            lanes.keySet().removeAll(some);
        }
    }

    /**
     * Examines the cost of a read, and keeps cursors for the lanes that it read from their beginning if it passed many dead
     * entries.
     *
     * @param entriesBefore how many index entries this connection had read before
     */
    void examine(Transaction tx, Read read, long entriesBefore) throws SQLException {
        Set<Integer> fromBeginning = new HashSet<>();
        read.reading().from().forEach((lane, cursor) -> {
            if (cursor.equals(Cursor.BEGINNING)) {
                fromBeginning.add(lane);
            }
        });
        if (read.nanos() < SLOW_NANOS || fromBeginning.isEmpty()) {
            return;
        }
        Long entries = tx.session().planned(ENTRIES_READ).first(row -> row.getLong("entries"));
        int alive = read.found().size() + read.overdue().size();
        if (entries == null || entries - entriesBefore - alive < MANY || lanes.size() >= MOST_LANES) {
            reset(fromBeginning);
            return;
        }
        long until = System.nanoTime() + PAUSE_FACTOR * read.nanos();
        fromBeginning.forEach(lane -> lanes.put(lane, new Known(Cursor.BEGINNING, until)));
    }

    /** Moves the cursor of a lane behind a task that a claim takes. */
    void passed(Candidate candidate) {
        if (!lanes.isEmpty() && !candidate.suspect()) {
            lanes.computeIfPresent(
                    candidate.lane().id(),
                    (lane, known) -> new Known(new Cursor(candidate.orderAt(), candidate.seq()), known.until));
        }
    }
}
