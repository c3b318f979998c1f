package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.InboxEntry;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The histories of workflows: lines that an attempt adds, and both lists as they are read. */
public final class HistoryRows {

    private static final String ADD_LINES = """
            INSERT INTO semel.history (task, number, at, step, kind, name, document)
            SELECT task, number, ?, step, kind, name, document
            FROM unnest(?, ?, ?, ?, ?, ?) AS m (task, number, step, kind, name, document)
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

    // The limit, which no history reaches, makes the server look up each workflow by itself.
    private static final String LINES_OF_MANY = """
            SELECT m.task, x.number, x.kind, x.name, x.step, x.document, x.at
            FROM unnest(?, ?) AS m (task, known)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.history h WHERE h.task = m.task AND h.number > m.known ORDER BY h.number LIMIT 1000000000) x
            ORDER BY m.task, x.number
            """;

    private static final String ENTRIES_OF_MANY = """
            SELECT m.task, x.number, x.name, x.step, x.state, x.key, x.document, x.error, x.at
            FROM unnest(?, ?) AS m (task, known)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.inbox i WHERE i.task = m.task AND i.number > m.known ORDER BY i.number LIMIT 1000000000) x
            ORDER BY m.task, x.number
            """;

    // First the inbox: an entry says what a line that is read later began, and never the other way round.
    private static final String READ = NOW + ";" + ENTRIES_OF_MANY + ";" + LINES_OF_MANY;

    private HistoryRows() {}

    /** Adds lines behind those that are stored, to histories whose counters are locked. */
    static void add(Transaction tx, Map<TaskId, List<HistoryLine>> added) throws SQLException {
        if (added.isEmpty()) {
            return;
        }
        List<TaskId> tasks = new ArrayList<>();
        List<HistoryLine> lines = new ArrayList<>();
        added.forEach((task, some) -> {
            lines.addAll(some);
            tasks.addAll(Collections.nCopies(some.size(), task));
        });
        tx.sql(ADD_LINES)
                .with(tx.now())
                .ids(tasks)
                .ints(lines.stream().map(HistoryLine::number).toList())
                .idsOrNull(lines.stream().map(HistoryLine::task).toList())
                .texts(lines.stream().map(line -> line.kind().word()).toList())
                .texts(lines.stream().map(HistoryLine::name).toList())
                .texts(lines.stream().map(HistoryLine::document).toList())
                .updateExactly(lines.size());
    }

    /** Reads the lines behind a number. */
    static List<HistoryLine> lines(Session session, TaskId workflow, int known) throws SQLException {
        return session.sql(LINES).with(workflow).with(known).list(HistoryRows::line);
    }

    /** Reads the entries behind a number. */
    static List<InboxEntry> entries(Session session, TaskId workflow, int known) throws SQLException {
        return session.sql(ENTRIES).with(workflow).with(known).list(HistoryRows::entry);
    }

    /** Reads the newest parts of histories. */
    public static Map<TaskId, History> read(Session session, Collection<History.Query> queries, @Nullable Long clock)
            throws SQLException {
        List<TaskId> workflows = queries.stream().map(History.Query::workflow).toList();
        List<Long> now = new ArrayList<>();
        Map<TaskId, List<InboxEntry>> inboxes = new HashMap<>();
        Map<TaskId, List<HistoryLine>> lines = new HashMap<>();
        session.sql(READ)
                .withLong(clock)
                .ids(workflows)
                .ints(queries.stream().map(History.Query::inbox).toList())
                .ids(workflows)
                .ints(queries.stream().map(History.Query::lines).toList())
                .results(
                        row -> now.add(row.getLong("now")),
                        row -> inboxes.computeIfAbsent(SqlStatement.id(row, "task"), id -> new ArrayList<>())
                                .add(entry(row)),
                        row -> lines.computeIfAbsent(SqlStatement.id(row, "task"), id -> new ArrayList<>())
                                .add(line(row)));
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (TaskId workflow : workflows) {
            found.put(
                    workflow,
                    new History(
                            lines.getOrDefault(workflow, List.of()),
                            inboxes.getOrDefault(workflow, List.of()),
                            Instant.ofEpochMilli(now.getFirst())));
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
