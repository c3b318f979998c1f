package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.store.StoredFlow;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The histories of workflows: lines that an attempt adds, and both lists as they are read. */
public final class HistoryRows {

    private static final String ADD_LINES = """
            WITH added AS (
              INSERT INTO semel.history (task, number, at, step, kind, name, document)
              SELECT ?, number, ?, step, kind, name, document
              FROM unnest(?, ?, ?, ?, ?) AS m (number, step, kind, name, document)
            )
            UPDATE semel.flow SET lines = ?, bytes = bytes + ? WHERE task = ?
            """;

    private static final String NOW =
            "SELECT coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now";

    private static final String LINES = """
            SELECT number, kind, name, step, document, at FROM semel.history WHERE task = ? AND number > ? ORDER BY number
            """;

    private static final String ENTRIES = """
            SELECT number, name, step, state, key, document, error, at FROM semel.inbox
            WHERE task = ? AND number > ? ORDER BY number
            """;

    private HistoryRows() {}

    /** Adds lines behind those that are stored. The counters are locked. */
    public static void add(Transaction tx, TaskId workflow, List<HistoryLine> lines) throws SQLException {
        long bytes = 0;
        StoredFlow none = StoredFlow.NEW;
        for (HistoryLine line : lines) {
            bytes += none.plus(line).bytes();
        }
        tx.sql(ADD_LINES)
                .with(workflow)
                .with(tx.now())
                .ints(lines.stream().map(HistoryLine::number).toList())
                .idsOrNull(lines.stream().map(HistoryLine::task).toList())
                .texts(lines.stream().map(line -> line.kind().word()).toList())
                .texts(lines.stream().map(HistoryLine::name).toList())
                .texts(lines.stream().map(HistoryLine::document).toList())
                .with(lines.getLast().number())
                .with(bytes)
                .with(workflow)
                .updateOne();
    }

    /** Reads the newest parts of histories. */
    public static Map<TaskId, History> read(Session session, Collection<History.Query> queries, @Nullable Long clock)
            throws SQLException {
        long now = Objects.requireNonNull(session.sql(NOW).withLong(clock).first(row -> row.getLong("now")));
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (History.Query query : queries) {
            // First the inbox: an entry says what a line that is read later began, and never the other way round.
            List<InboxEntry> inbox = session.sql(ENTRIES)
                    .with(query.workflow())
                    .with(query.inbox())
                    .list(HistoryRows::entry);
            List<HistoryLine> lines = session.sql(LINES)
                    .with(query.workflow())
                    .with(query.lines())
                    .list(HistoryRows::line);
            found.put(query.workflow(), new History(lines, inbox, Instant.ofEpochMilli(now)));
        }
        return found;
    }

    private static HistoryLine line(ResultSet row) throws SQLException {
        return new HistoryLine(
                row.getInt("number"),
                HistoryLine.Kind.parse(row.getString("kind")),
                row.getString("name"),
                SqlStatement.idOrNull(row, "step"),
                row.getString("document"),
                Instant.ofEpochMilli(row.getLong("at")));
    }

    private static InboxEntry entry(ResultSet row) throws SQLException {
        String state = row.getString("state");
        return new InboxEntry(
                row.getInt("number"),
                row.getString("name"),
                SqlStatement.idOrNull(row, "step"),
                state == null ? null : TaskState.parse(state),
                row.getString("key"),
                row.getString("document"),
                row.getString("error"),
                Instant.ofEpochMilli(row.getLong("at")));
    }
}
