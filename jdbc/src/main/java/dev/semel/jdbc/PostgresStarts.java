package dev.semel.jdbc;

import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.jdbc.PostgresTurns.Read;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where claims begin to read a lane: at its beginning, unless that is too far away. While somebody's transaction stays open for
 * long, the entries of tasks that were claimed since cannot be removed, and each claim would read past all of them again. Then
 * claims of this process go on where the last one ended, and only from time to time from the beginning. A task that belongs in
 * front of that place, because of its priority, is found a little later for that; of many such tasks as many as one claim takes.
 *
 * <p>What one does not find by going on, one looks for from the beginning: so nothing is ever taken for not there.
 */
final class PostgresStarts {

    // Only reads that take longer are looked into, and only more entries than this are worth to be passed over.
    private static final long SLOW_NANOS = Duration.ofMillis(5).toNanos();
    private static final long MANY = 5_000;

    // So much longer than the read from the beginning took it is not repeated.
    private static final int SHARE = 10;

    private static final int MOST_LANES = 10_000;

    /**
     * Index entries that this connection has read in the last second or so, those of dead rows included; what a transaction
     * reads comes on top.
     */
    static final String COUNT = "pg_stat_get_xact_tuples_returned('semel.ready_order'::regclass)";

    private static final String READ = "SELECT " + COUNT;

    /** The place behind which to read. */
    record Start(long orderAt, long seq) {

        static final Start BEGINNING = new Start(Long.MIN_VALUE, Long.MIN_VALUE);
    }

    private record Known(Start next, long until) {}

    private final Map<Integer, Known> lanes = new ConcurrentHashMap<>();

    /** Where to begin. */
    Start of(int lane) {
        Known known = lanes.isEmpty() ? null : lanes.get(lane);
        return known == null || System.nanoTime() - known.until >= 0 ? Start.BEGINNING : known.next;
    }

    /** Begins anew in these lanes. */
    void beginAnew(Collection<Integer> some) {
        if (!lanes.isEmpty()) {
            lanes.keySet().removeAll(some);
        }
    }

    /**
     * Looks into what it took to read lanes from their beginning, and remembers those that are worth it.
     *
     * @param before the {@link #COUNT} before
     */
    void look(PostgresTransaction tx, Read read, long before) throws SQLException {
        Set<Integer> fromBeginning = new HashSet<>();
        read.reading().from().forEach((lane, start) -> {
            if (start.equals(Start.BEGINNING)) {
                fromBeginning.add(lane);
            }
        });
        if (read.nanos() < SLOW_NANOS || fromBeginning.isEmpty()) {
            return;
        }
        Long entries = tx.session().planned(READ).first(row -> row.getLong(1));
        if (entries == null || entries - before - read.found().size() < MANY || lanes.size() >= MOST_LANES) {
            beginAnew(fromBeginning);
            return;
        }
        long until = System.nanoTime() + SHARE * read.nanos();
        fromBeginning.forEach(lane -> lanes.put(lane, new Known(Start.BEGINNING, until)));
    }

    /** Notes that a claim takes a task, and has passed all before it. */
    void took(Candidate candidate) {
        if (!lanes.isEmpty() && !candidate.suspect()) {
            lanes.computeIfPresent(
                    candidate.lane().id(),
                    (lane, known) -> new Known(new Start(candidate.orderAt(), candidate.seq()), known.until));
        }
    }
}
