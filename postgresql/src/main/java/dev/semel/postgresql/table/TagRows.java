package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rows of {@code tag}: the tags of tasks, by which they are listed. They are written and removed with their task. */
public final class TagRows {

    private static final String ADD = """
            INSERT INTO semel.tag (tag, task) SELECT tag, task FROM unnest(?, ?) AS m (tag, task) ON CONFLICT DO NOTHING
            """;

    private static final String REMOVE = """
            DELETE FROM semel.tag t USING unnest(?, ?) AS m (tag, task) WHERE t.tag = ANY (ARRAY[m.tag]) AND t.task = m.task
            """;

    private static final String LIST =
            "SELECT task FROM semel.tag WHERE tag = ? AND task < ? ORDER BY task DESC LIMIT ?";

    private TagRows() {}

    /** Adds the tags of tasks, of which there may be none. */
    public static void add(Transaction tx, Map<TaskId, List<String>> tags) throws SQLException {
        update(tx, ADD, tags);
    }

    /** Removes the tags of tasks that are removed. */
    public static void remove(Transaction tx, Map<TaskId, List<String>> tags) throws SQLException {
        update(tx, REMOVE, tags);
    }

    private static void update(Transaction tx, String sql, Map<TaskId, List<String>> tags) throws SQLException {
        List<String> names = new ArrayList<>();
        List<TaskId> tasks = new ArrayList<>();
        tags.forEach((task, all) -> all.forEach(tag -> {
            names.add(tag);
            tasks.add(task);
        }));
        if (!names.isEmpty()) {
            tx.sql(sql).texts(names).ids(tasks).update();
        }
    }

    /** Returns tasks with a tag, newest first. */
    public static List<TaskId> list(Session session, String tag, TaskId before, int limit) throws SQLException {
        return session.sql(LIST).withText(tag).with(before).with(limit).list(row -> SqlStatement.id(row, "task"));
    }
}
