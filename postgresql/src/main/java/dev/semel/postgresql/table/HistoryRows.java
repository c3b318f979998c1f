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

    // First the inbox: an entry says what a line that is read later began, and never the other way round.
    private static final String READ = NOW + ";" + ENTRIES + ";" + LINES;

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

    /** Reads the newest parts of histories. */
    public static Map<TaskId, History> read(Session session, Collection<History.Query> queries, @Nullable Long clock)
            throws SQLException {
        Map<TaskId, History> found = new LinkedHashMap<>();
        for (History.Query query : queries) {
            List<Long> now = new ArrayList<>();
            List<InboxEntry> inbox = new ArrayList<>();
            List<HistoryLine> lines = new ArrayList<>();
            session.sql(READ)
                    .withLong(clock)
                    .with(query.workflow())
                    .with(query.inbox())
                    .with(query.workflow())
                    .with(query.lines())
                    .results(
                            row -> now.add(row.getLong("now")),
                            row -> inbox.add(entry(row)),
                            row -> lines.add(line(row)));
            found.put(query.workflow(), new History(lines, inbox, Instant.ofEpochMilli(now.getFirst())));
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
