package dev.semel.sqlite.read;

import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Names;
import dev.semel.store.QueueDepth;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts open tasks and dead letters, each kind by the index that holds it: completed tasks are not read. */
public final class DepthCounter {

    // Due and delayed tasks differ by the due time, which follows from the columns of the index.
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

    private final Session session;
    private final Names names;
    private final long now;
    private final @Nullable String tenant;
    private final Map<String, Sum> sums = new HashMap<>();
    private final Sum ignored = new Sum();

    public DepthCounter(Catalog catalog, long now, @Nullable String tenant) {
        this.session = catalog.session();
        this.names = catalog.names();
        this.now = now;
        this.tenant = tenant;
    }

    public Map<String, QueueDepth> count() throws SQLException {
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

    /** Returns where the counts of a lane are added up: of one that belongs to another tenant, in a place of their own. */
    private Sum sum(ResultSet row) throws SQLException {
        Lane lane = names.lane(row.getInt(1));
        return tenant == null || tenant.equals(lane.tenant())
                ? sums.computeIfAbsent(lane.queue(), queue -> new Sum())
                : ignored;
    }
}
