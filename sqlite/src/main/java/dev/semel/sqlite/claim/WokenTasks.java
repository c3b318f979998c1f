package dev.semel.sqlite.claim;

import dev.semel.sqlite.transaction.Group;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.ClaimAllowances;
import dev.semel.store.ClaimRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The woken workflows of queues with a rate limit: those that continue after a wait, which uses nothing of the limit. So a claim takes
 * them before all other tasks, also when the limit allows no start. An index of their own finds them.
 */
final class WokenTasks {

    private static final String DUE = """
            SELECT seq, order_at, CASE WHEN ?4 THEN octet_length(input) ELSE 0 END, vanished > 0
            FROM semel_task INDEXED BY semel_task_woken
            WHERE state = 'pending' AND after_id IS NOT NULL AND lane = ?1 AND order_at <= ?2
              AND order_at + priority * 60000 <= ?2
            ORDER BY order_at, seq LIMIT ?3
            """;

    private static final String LANES = "SELECT id FROM semel_lane WHERE queue = ? AND wake_at IS NOT NULL";

    private static final String NEXT = """
            SELECT order_at, priority FROM semel_task INDEXED BY semel_task_woken
            WHERE state = 'pending' AND after_id IS NOT NULL AND lane = ? ORDER BY order_at
            """;

    private final Transaction tx;
    private final QueueAllowances allowances;
    private final Map<Group, List<Lane>> groups;

    /** Takes from the groups of lanes that may have something due. */
    WokenTasks(Transaction tx, QueueAllowances allowances, Map<Group, List<Lane>> groups) {
        this.tx = tx;
        this.allowances = allowances;
        this.groups = groups;
    }

    QueueAllowances allowances() {
        return allowances;
    }

    /** Chooses at most so many, the groups in turn, and counts them in the allowances of their queues. */
    List<Candidate> choose(int limit, int allowedSuspects, boolean sized) throws SQLException {
        Deque<Deque<Candidate>> turns = new ArrayDeque<>();
        for (Map.Entry<Group, List<Lane>> group : groups.entrySet()) {
            if (allowances.left().isOpenToWoken(group.getKey().queue())) {
                Deque<Candidate> due = due(group.getValue(), limit, sized);
                if (!due.isEmpty()) {
                    turns.add(due);
                }
            }
        }
        List<Candidate> chosen = new ArrayList<>();
        int suspects = allowedSuspects;
        while (chosen.size() < limit && !turns.isEmpty()) {
            Deque<Candidate> turn = turns.remove();
            Candidate next = turn.remove();
            String queue = next.lane().queue();
            if (allowances.left().isOpenToWoken(queue) && (!next.suspect() || suspects > 0)) {
                allowances.left().takeWoken(queue);
                suspects -= next.suspect() ? 1 : 0;
                chosen.add(next);
            }
            if (!turn.isEmpty()) {
                turns.add(turn);
            }
        }
        return chosen;
    }

    private Deque<Candidate> due(List<Lane> lanes, int limit, boolean sized) throws SQLException {
        List<Candidate> due = new ArrayList<>();
        for (Lane lane : lanes) {
            try (ResultSet row = tx.sql(DUE)
                    .with(lane.id())
                    .with(tx.now())
                    .with(limit)
                    .with(sized ? 1 : 0)
                    .query()) {
                while (row.next()) {
                    due.add(new Candidate(
                            row.getLong(1), row.getLong(2), row.getInt(3), row.getBoolean(4), true, lane));
                }
            }
        }
        due.sort(GroupCandidates.BY_RANK);
        return new ArrayDeque<>(due);
    }

    /** From when on a queue that allows no start gives its next woken workflow, or null if it has none. */
    static @Nullable Long next(Transaction tx, ClaimRequest request, String queue, ClaimAllowances left)
            throws SQLException {
        if (!left.holdsBackStarts(queue)) {
            return null;
        }
        long earliest = Long.MAX_VALUE;
        try (ResultSet row = tx.sql(LANES).with(queue).query()) {
            while (row.next()) {
                Lane lane = tx.names().lane(row.getInt(1));
                if (request.wants(lane.tenant(), lane.type())) {
                    earliest = Math.min(
                            earliest, GroupCandidates.earliest(tx.sql(NEXT).with(lane.id())));
                }
            }
        }
        Instant given = earliest == Long.MAX_VALUE ? null : left.nextWoken(queue, Instant.ofEpochMilli(earliest));
        return given == null ? null : (Long) given.toEpochMilli();
    }
}
