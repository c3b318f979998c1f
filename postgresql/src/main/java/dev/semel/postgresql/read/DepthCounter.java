package dev.semel.postgresql.read;

import dev.semel.postgresql.sql.Session;
import dev.semel.store.QueueDepth;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts open tasks and dead letters, in one state of the database. What went well is not looked at. */
public final class DepthCounter {

    private static final String DEPTHS = """
            WITH clock AS MATERIALIZED (
              SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            ), part AS (
              SELECT lane, count(*) FILTER (WHERE due_at <= now) AS due, count(*) FILTER (WHERE due_at > now) AS delayed,
                0 AS running, 0 AS waiting, 0 AS dead, min(due_at) AS oldest
              FROM (SELECT lane, order_at + priority * 60000::bigint AS due_at FROM semel.ready) r, clock GROUP BY lane
              UNION ALL
              SELECT lane, count(*) FILTER (WHERE due_at <= now), 0, count(*) FILTER (WHERE due_at > now), 0, 0, min(due_at)
              FROM (SELECT lane, order_at + priority * 60000::bigint AS due_at FROM semel.running) g, clock GROUP BY lane
              UNION ALL
              SELECT lane, sum(open) FILTER (WHERE until <= now), 0, sum(open) FILTER (WHERE until > now), 0, 0, min(until)
              FROM semel.lease, clock GROUP BY lane
              UNION ALL
              SELECT lane, 0, 0, 0, count(*), 0, NULL FROM semel.waiting GROUP BY lane
              UNION ALL
              SELECT lane, 0, 0, 0, 0, count(*), NULL FROM semel.done WHERE state IN ('failed', 'timed_out') GROUP BY lane
            )
            SELECT l.queue, sum(p.due)::bigint AS due, sum(p.delayed)::bigint AS delayed, sum(p.running)::bigint AS running,
              sum(p.waiting)::bigint AS waiting, sum(p.dead)::bigint AS dead, min(p.oldest) AS oldest
            FROM part p CROSS JOIN LATERAL (
              SELECT x.queue, x.tenant FROM semel.lane x WHERE x.id = p.lane LIMIT 1) l
            WHERE ?::text IS NULL OR l.tenant = ?
            GROUP BY l.queue
            """;

    private DepthCounter() {}

    public static Map<String, QueueDepth> count(Session session, @Nullable String tenant, @Nullable Long clock)
            throws SQLException {
        Map<String, QueueDepth> depths = new HashMap<>();
        session.sql(DEPTHS).withLong(clock).withText(tenant).withText(tenant).list(row -> {
            long due = row.getLong("due");
            return depths.put(
                    row.getString("queue"),
                    new QueueDepth(
                            due,
                            row.getLong("delayed"),
                            row.getLong("running"),
                            row.getLong("waiting"),
                            row.getLong("dead"),
                            due == 0 ? null : Instant.ofEpochMilli(row.getLong("oldest"))));
        });
        return depths;
    }
}
