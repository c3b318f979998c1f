package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Race;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.DueSchedules;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.task.ScheduleId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of schedules. */
public final class ScheduleRows {

    private static final String LOCK = """
            SELECT s.tenant, s.name, s.version FROM unnest(?, ?) WITH ORDINALITY AS p (tenant, name, n)
            CROSS JOIN LATERAL (
              SELECT x.tenant, x.name, x.version FROM semel.schedule x WHERE x.tenant = p.tenant AND x.name = p.name LIMIT 1 FOR UPDATE) s
            ORDER BY p.n
            """;

    private static final String FIND = """
            SELECT s.tenant, s.name, s.version, s.next_at, s.document FROM unnest(?, ?) AS p (tenant, name)
            CROSS JOIN LATERAL (SELECT * FROM semel.schedule x WHERE x.tenant = p.tenant AND x.name = p.name LIMIT 1) s
            """;

    private static final String NOW = "SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

    private static final String DUE = """
            SELECT tenant, name, version, next_at, document FROM semel.schedule
            WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at, tenant, name LIMIT ?
            """;

    private static final String NEXT = """
            SELECT next_at FROM semel.schedule WHERE next_at IS NOT NULL ORDER BY next_at, tenant, name LIMIT 1 OFFSET ?
            """;

    private static final String LIST = """
            SELECT tenant, name, version, next_at, document FROM semel.schedule
            WHERE (tenant, name) > (?, ?) AND tenant <= ? ORDER BY tenant, name LIMIT ?
            """;

    private static final String ADD = """
            INSERT INTO semel.schedule (version, next_at, document, tenant, name) VALUES (?::uuid, ?, ?, ?, ?)
            ON CONFLICT (tenant, name) DO NOTHING
            """;

    private static final String CHANGE = """
            UPDATE semel.schedule SET version = ?::uuid, next_at = ?, document = ?
            WHERE tenant = ? AND name = ? AND version = ?::uuid
            """;

    private static final String REMOVE =
            "DELETE FROM semel.schedule WHERE tenant = ? AND name = ? AND version = ?::uuid";

    // After every name, whose alphabet is safe.
    private static final String AFTER_ALL = "\uffff";

    private ScheduleRows() {}

    /** The tasks that changes of schedules create. */
    public static List<NewTask> tasks(List<Operation> operations) {
        List<NewTask> tasks = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation instanceof Operation.ChangeSchedule change) {
                tasks.addAll(change.create());
            }
        }
        return tasks;
    }

    /** Locks those schedules that are stored, and reads their versions. */
    public static Map<ScheduleId, UUID> lock(Transaction tx, SortedSet<ScheduleId> ids) throws SQLException {
        tx.locked(LockKind.SCHEDULE);
        Map<ScheduleId, UUID> versions = new HashMap<>();
        tx.sql(LOCK)
                .texts(ids.stream().map(ScheduleId::tenant).toList())
                .texts(ids.stream().map(ScheduleId::name).toList())
                .list(row -> versions.put(
                        new ScheduleId(row.getString("tenant"), row.getString("name")),
                        row.getObject("version", UUID.class)));
        return versions;
    }

    /** Writes the next version of a locked or new schedule, or removes it. */
    public static void write(Transaction tx, Operation.ChangeSchedule change) throws SQLException {
        ScheduleRecord next = change.next();
        UUID expected = change.expected();
        if (next == null && expected != null) {
            tx.sql(REMOVE)
                    .withText(change.id().tenant())
                    .withText(change.id().name())
                    .withText(expected.toString())
                    .updateOne();
        } else if (next != null) {
            SqlStatement statement = tx.sql(expected == null ? ADD : CHANGE)
                    .withText(next.version().toString())
                    .withLong(
                            next.nextAt() == null ? null : (Long) next.nextAt().toEpochMilli())
                    .withText(next.document())
                    .withText(next.id().tenant())
                    .withText(next.id().name());
            int rows = (expected == null ? statement : statement.withText(expected.toString())).update();
            if (rows != 1) {
                // Nothing could be locked, because there was none: another transaction has just created it.
                throw new Race("a schedule was created at the same moment");
            }
        }
    }

    public static Map<ScheduleId, ScheduleRecord> find(Session session, Collection<ScheduleId> ids)
            throws SQLException {
        Map<ScheduleId, ScheduleRecord> found = new LinkedHashMap<>();
        session.sql(FIND)
                .texts(ids.stream().map(ScheduleId::tenant).toList())
                .texts(ids.stream().map(ScheduleId::name).toList())
                .list(ScheduleRows::record)
                .forEach(schedule -> found.put(schedule.id(), schedule));
        return found;
    }

    public static List<ScheduleRecord> list(Session session, ScheduleQuery query) throws SQLException {
        ScheduleId after = query.after();
        String tenant = query.tenant();
        String fromTenant = tenant == null ? "" : tenant;
        String fromName = "";
        if (after != null && after.tenant().compareTo(fromTenant) >= 0) {
            fromTenant = after.tenant();
            fromName = after.name();
        }
        return session.sql(LIST)
                .withText(fromTenant)
                .withText(fromName)
                .withText(tenant == null ? AFTER_ALL : tenant)
                .with(query.limit())
                .list(ScheduleRows::record);
    }

    public static DueSchedules due(Session session, int limit, @Nullable Long clock) throws SQLException {
        long now = Objects.requireNonNull(session.sql(NOW).withLong(clock).first(row -> row.getLong(1)));
        List<ScheduleRecord> due = session.sql(DUE).with(now).with(limit).list(ScheduleRows::record);
        Long next = session.sql(NEXT).with(due.size()).first(row -> row.getLong(1));
        return new DueSchedules(
                due, Instant.ofEpochMilli(now), next == null ? null : Duration.ofMillis(Math.max(0, next - now)));
    }

    private static ScheduleRecord record(ResultSet row) throws SQLException {
        @Nullable Long nextAt = SqlStatement.longOrNull(row, "next_at");
        return new ScheduleRecord(
                new ScheduleId(row.getString("tenant"), row.getString("name")),
                row.getObject("version", UUID.class),
                nextAt == null ? null : Instant.ofEpochMilli(nextAt),
                row.getString("document"));
    }
}
