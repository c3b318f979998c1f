package dev.semel.jdbc;

import dev.semel.store.QueueDepth;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Counts open tasks and dead letters, each kind by the index that holds it: what went well is not looked at. */
final class SqliteDepths {

    // Due and delayed ones are told apart by the due time, which the index gives back.
    private static final String READY = """
            SELECT lane, total(order_at + priority * 60000 <= ?1), total(order_at + priority * 60000 > ?1), 0,
              min(order_at + priority * 60000)
            FROM semel_task INDEXED BY semel_task_ready WHERE state = 'pending' AND vanished = 0 GROUP BY lane
            """;

    private static final String SUSPECT = """
            SELECT lane, total(due_at <= ?1), total(due_at > ?1 AND state = 'pending'),
              total(due_at > ?1 AND state = 'running'), min(due_at)
            FROM semel_task INDEXED BY semel_task_suspect
            WHERE state = 'running' OR (state = 'pending' AND vanished > 0) GROUP BY lane
            """;

    private static final String WAITING_FOR_A_TASK = """
            SELECT lane, count(*) FROM semel_task INDEXED BY semel_task_after
            WHERE after_id IS NOT NULL AND state = 'waiting' GROUP BY lane
            """;

    private static final String WAITING_FOR_A_MUTEX = """
            SELECT lane, count(*) FROM semel_task INDEXED BY semel_task_mutex
            WHERE mutex IS NOT NULL AND state IN ('running', 'waiting') AND state = 'waiting' AND after_id IS NULL
            GROUP BY lane
            """;

    private static final String DEAD = """
            SELECT lane, count(*) FROM semel_task INDEXED BY semel_task_dead WHERE state IN ('failed', 'timed_out')
            GROUP BY lane
            """;

    private static final class Sum {
        private long due;
        private long delayed;
        private long running;
        private long waiting;
        private long dead;
        private long oldestDue = Long.MAX_VALUE;

        QueueDepth depth() {
            return new QueueDepth(
                    due, delayed, running, waiting, dead, due == 0 ? null : Instant.ofEpochMilli(oldestDue));
        }
    }

    private final SqliteSession session;
    private final SqliteNames names;
    private final long now;
    private final Map<String, Sum> sums = new HashMap<>();

    SqliteDepths(SqliteSession session, SqliteNames names, long now) {
        this.session = session;
        this.names = names;
        this.now = now;
    }

    Map<String, QueueDepth> count() throws SQLException {
        claimable(READY);
        claimable(SUSPECT);
        try (ResultSet row = session.sql(WAITING_FOR_A_TASK).query()) {
            while (row.next()) {
                sum(row).waiting += row.getLong(2);
            }
        }
        try (ResultSet row = session.sql(WAITING_FOR_A_MUTEX).query()) {
            while (row.next()) {
                sum(row).waiting += row.getLong(2);
            }
        }
        try (ResultSet row = session.sql(DEAD).query()) {
            while (row.next()) {
                sum(row).dead += row.getLong(2);
            }
        }
        Map<String, QueueDepth> depths = new HashMap<>();
        sums.forEach((queue, sum) -> depths.put(queue, sum.depth()));
        return depths;
    }

    private void claimable(String sql) throws SQLException {
        try (ResultSet row = session.sql(sql).with(now).query()) {
            while (row.next()) {
                Sum sum = sum(row);
                sum.due += row.getLong(2);
                sum.delayed += row.getLong(3);
                sum.running += row.getLong(4);
                sum.oldestDue = Math.min(sum.oldestDue, row.getLong(5));
            }
        }
    }

    private Sum sum(ResultSet row) throws SQLException {
        return sums.computeIfAbsent(names.lane(row.getInt(1)).queue(), queue -> new Sum());
    }
}
