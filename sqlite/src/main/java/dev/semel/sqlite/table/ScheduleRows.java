package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.DueSchedules;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of schedules. */
public final class ScheduleRows {

    private static final String VERSION = "SELECT version FROM semel_schedule WHERE tenant = ? AND name = ?";

    private static final String FIND = """
            SELECT tenant, name, version, next_at, document FROM semel_schedule WHERE tenant = ? AND name = ?
            """;

    private static final String DUE = """
            SELECT tenant, name, version, next_at, document FROM semel_schedule INDEXED BY semel_schedule_due
            WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at, tenant, name LIMIT ?
            """;

    private static final String NEXT = """
            SELECT next_at FROM semel_schedule INDEXED BY semel_schedule_due
            WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1 OFFSET ?
            """;

    private static final String LIST = """
            SELECT tenant, name, version, next_at, document FROM semel_schedule
            WHERE (tenant, name) > (?1, ?2) AND tenant <= ?3 ORDER BY tenant, name LIMIT ?4
            """;

    private static final String ADD =
            "INSERT INTO semel_schedule (version, next_at, document, tenant, name) VALUES (?, ?, ?, ?, ?)";

    private static final String CHANGE = """
            UPDATE semel_schedule SET version = ?, next_at = ?, document = ? WHERE tenant = ? AND name = ? AND version = ?
            """;

    private static final String REMOVE = "DELETE FROM semel_schedule WHERE tenant = ? AND name = ? AND version = ?";

    // Sorts after every name, because names have only ASCII characters.
    private static final String AFTER_ALL = "\uffff";

    private ScheduleRows() {}

    /** Returns the version of a schedule; null if it is not stored. */
    public static @Nullable UUID version(Transaction tx, ScheduleId id) throws SQLException {
        try (ResultSet row = tx.sql(VERSION).with(id.tenant()).with(id.name()).query()) {
            return row.next() ? ColumnValues.taskId(row, 1).value() : null;
        }
    }

    /** Writes the next version of a schedule, or removes it. The row must have the expected version. */
    public static void write(Transaction tx, Operation.ChangeSchedule change) throws SQLException {
        ScheduleRecord next = change.next();
        UUID expected = change.expected();
        if (next != null) {
            SqlStatement statement = tx.sql(expected == null ? ADD : CHANGE)
                    .with(bytes(next.version()))
                    .with(ColumnValues.millisOrNull(next.nextAt()))
                    .with(next.document())
                    .with(next.id().tenant())
                    .with(next.id().name());
            (expected == null ? statement : statement.with(bytes(expected))).updateOne();
        } else if (expected != null) {
            tx.sql(REMOVE)
                    .with(change.id().tenant())
                    .with(change.id().name())
                    .with(bytes(expected))
                    .updateOne();
        }
    }

    /** Reads schedules by their ids. */
    public static Map<ScheduleId, ScheduleRecord> find(Session session, Collection<ScheduleId> ids)
            throws SQLException {
        Map<ScheduleId, ScheduleRecord> found = new LinkedHashMap<>();
        for (ScheduleId id : ids) {
            try (ResultSet row =
                    session.sql(FIND).with(id.tenant()).with(id.name()).query()) {
                records(row).forEach(schedule -> found.put(id, schedule));
            }
        }
        return found;
    }

    /** Lists schedules in order of their ids. */
    public static List<ScheduleRecord> list(Session session, ScheduleQuery query) throws SQLException {
        ScheduleId after = query.after();
        String tenant = query.tenant();
        String fromTenant = tenant == null ? "" : tenant;
        String fromName = "";
        if (after != null && after.tenant().compareTo(fromTenant) >= 0) {
            fromTenant = after.tenant();
            fromName = after.name();
        }
        try (ResultSet row = session.sql(LIST)
                .with(fromTenant)
                .with(fromName)
                .with(tenant == null ? AFTER_ALL : tenant)
                .with(query.limit())
                .query()) {
            return records(row);
        }
    }

    /** Reads the schedules whose next tick is due. */
    public static DueSchedules due(Session session, int limit, long now) throws SQLException {
        List<ScheduleRecord> due;
        try (ResultSet row = session.sql(DUE).with(now).with(limit).query()) {
            due = records(row);
        }
        try (ResultSet row = session.sql(NEXT).with(due.size()).query()) {
            Duration until = row.next() ? Duration.ofMillis(Math.max(0, row.getLong(1) - now)) : null;
            return new DueSchedules(due, Instant.ofEpochMilli(now), until);
        }
    }

    private static List<ScheduleRecord> records(ResultSet row) throws SQLException {
        List<ScheduleRecord> all = new ArrayList<>();
        while (row.next()) {
            all.add(new ScheduleRecord(
                    new ScheduleId(row.getString(1), row.getString(2)),
                    ColumnValues.taskId(row, 3).value(),
                    ColumnValues.instantOrNull(row, 4),
                    row.getString(5)));
        }
        return all;
    }

    private static byte[] bytes(UUID version) {
        return ColumnValues.bytes(new TaskId(version));
    }
}
