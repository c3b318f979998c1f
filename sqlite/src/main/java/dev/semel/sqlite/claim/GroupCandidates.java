package dev.semel.sqlite.claim;

import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.transaction.Group;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The due tasks of one group in order of rank, read in small parts from the lanes of its types. */
final class GroupCandidates {

    private static final String READY = """
            SELECT seq, order_at, CASE WHEN ?5 THEN octet_length(input) ELSE 0 END
            FROM semel_task INDEXED BY semel_task_ready
            WHERE state = 'pending' AND vanished = 0 AND lane = ?1 AND order_at <= ?2
              AND order_at + priority * 60000 <= ?2
            ORDER BY order_at, seq LIMIT ?3 OFFSET ?4
            """;

    private static final String SUSPECT = """
            SELECT seq, order_at, CASE WHEN ?5 THEN octet_length(input) ELSE 0 END, state = 'running'
            FROM semel_task INDEXED BY semel_task_suspect
            WHERE (state = 'running' OR (state = 'pending' AND vanished > 0)) AND lane = ?1 AND order_at <= ?2
              AND order_at + priority * 60000 <= ?2 AND (state = 'pending' OR ?6)
            ORDER BY order_at, seq LIMIT ?3 OFFSET ?4
            """;

    private static final String NEXT_READY = """
            SELECT order_at, priority FROM semel_task INDEXED BY semel_task_ready
            WHERE state = 'pending' AND vanished = 0 AND lane = ? ORDER BY order_at
            """;

    private static final String NEXT_SUSPECT = """
            SELECT order_at, priority FROM semel_task INDEXED BY semel_task_suspect
            WHERE (state = 'running' OR (state = 'pending' AND vanished > 0)) AND lane = ? ORDER BY order_at
            """;

    static final Comparator<Candidate> BY_RANK =
            Comparator.comparingLong(Candidate::orderAt).thenComparingLong(Candidate::seq);

    /** One lane's tasks of one kind, read from the front. */
    private final class Row {

        private final Lane lane;
        private final boolean suspect;
        private final Deque<Candidate> read = new ArrayDeque<>();
        private int position;
        private boolean dry;

        // False while leases are held: then only tasks that wait for another attempt, not those whose worker may be
        // alive.
        private boolean leasesToo = true;

        Row(Lane lane, boolean suspect) {
            this.lane = lane;
            this.suspect = suspect;
        }

        @Nullable
        Candidate first(int atMost) throws SQLException {
            if (read.isEmpty() && !dry) {
                boolean expired = read(atMost);
                if (expired && tx.leasesHeld()) {
                    leasesToo = false;
                    read.clear();
                    read(atMost);
                }
                position += read.size();
                dry = read.size() < atMost;
            }
            return read.peek();
        }

        /** Reads some tasks, and returns whether there are expired leases among them. */
        private boolean read(int atMost) throws SQLException {
            boolean expired = false;
            SqlStatement statement = tx.sql(suspect ? SUSPECT : READY)
                    .with(lane.id())
                    .with(tx.now())
                    .with(atMost)
                    .with(position)
                    .with(sized ? 1 : 0);
            try (ResultSet row = (suspect ? statement.with(leasesToo ? 1 : 0) : statement).query()) {
                while (row.next()) {
                    read.add(new Candidate(row.getLong(1), row.getLong(2), row.getInt(3), suspect, false, lane));
                    expired |= suspect && row.getBoolean(4);
                }
            }
            return expired;
        }
    }

    private final Transaction tx;
    private final Group group;
    private final List<Lane> lanes;
    private final int share;
    private final boolean sized;
    private final List<Row> ready = new ArrayList<>();
    private final List<Row> suspects = new ArrayList<>();

    /**
     * Begins with the lanes that may have something due.
     *
     * @param share how many tasks of each lane are read at a time
     * @param sized whether to read the size of inputs, which costs a read of each task's row
     */
    GroupCandidates(Transaction tx, Group group, List<Lane> lanes, int share, boolean sized) {
        this.tx = tx;
        this.group = group;
        this.lanes = lanes;
        this.share = share;
        this.sized = sized;
        for (Lane lane : lanes) {
            ready.add(new Row(lane, false));
            suspects.add(new Row(lane, true));
        }
    }

    Group group() {
        return group;
    }

    /** Takes the next task; null if there is none that may be taken. */
    @Nullable
    Candidate next(int suspectsLeft) throws SQLException {
        Row from = null;
        Candidate best = null;
        for (Row row : ready) {
            Candidate first = row.first(share);
            if (first != null && (best == null || BY_RANK.compare(first, best) < 0)) {
                best = first;
                from = row;
            }
        }
        if (suspectsLeft > 0) {
            for (Row row : suspects) {
                Candidate first = row.first(Math.min(share, suspectsLeft));
                if (first != null && (best == null || BY_RANK.compare(first, best) < 0)) {
                    best = first;
                    from = row;
                }
            }
        }
        if (from != null) {
            from.read.remove();
        }
        return best;
    }

    /**
     * Sets the wake times of the lanes after the claim has taken its tasks.
     *
     * @param moveBack whether a lane that has more is moved behind all other lanes, because a claim does not see all of them
     * @return whether something that is due is left
     */
    boolean settle(boolean moveBack) throws SQLException {
        boolean left = false;
        for (int i = 0; i < lanes.size(); i++) {
            if (!ready.get(i).read.isEmpty()) {
                left = true;
                if (moveBack) {
                    tx.wake(lanes.get(i), tx.now());
                }
            } else {
                Long dueAt = nextDue(tx, lanes.get(i));
                boolean due = dueAt != null && dueAt <= tx.now();
                tx.wake(lanes.get(i), due && moveBack ? (Long) tx.now() : dueAt);
                left |= due;
            }
        }
        return left;
    }

    /** From when on the next task of a lane can be claimed, or null if it has none. */
    static @Nullable Long nextDue(Transaction tx, Lane lane) throws SQLException {
        long next = Math.min(
                earliest(tx.sql(NEXT_READY).with(lane.id())),
                earliest(tx.sql(NEXT_SUSPECT).with(lane.id())));
        return next == Long.MAX_VALUE ? null : (Long) next;
    }

    /** The earliest due time: that of the first row, unless rows of higher priority rank before it. */
    static long earliest(SqlStatement inOrder) throws SQLException {
        long earliest = Long.MAX_VALUE;
        try (ResultSet row = inOrder.query()) {
            while (row.next() && row.getLong(1) < earliest) {
                earliest = Math.min(earliest, row.getLong(1) + row.getInt(2) * 60_000L);
            }
        }
        return earliest;
    }
}
