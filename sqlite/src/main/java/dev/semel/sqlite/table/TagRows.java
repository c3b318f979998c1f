package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.OptionsText;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code semel_tag}: the tags of tasks, by which they are listed. They are written and removed with their task. */
public final class TagRows {

    private static final String ADD =
            "INSERT INTO semel_tag (tag, task, tenant) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

    private static final String REMOVE = "DELETE FROM semel_tag WHERE tag = ? AND task = ?";

    private static final String LIST =
            "SELECT task FROM semel_tag WHERE tag = ? AND task < ? ORDER BY task DESC LIMIT ?";

    private static final String LIST_OF_TENANT = """
            SELECT task FROM semel_tag INDEXED BY semel_tag_tenant WHERE tenant = ? AND tag = ? AND task < ?
            ORDER BY task DESC LIMIT ?
            """;

    private TagRows() {}

    /** Adds the tags of a new task. */
    public static void add(Transaction tx, NumberedTask asked) throws SQLException {
        for (String tag : asked.task().options().tags()) {
            tx.sql(ADD)
                    .with(tag)
                    .with(asked.task().id())
                    .with(asked.task().tenant())
                    .update();
        }
    }

    /** Removes the tags of a task that is removed; they are in its rarely used options. */
    public static void remove(Transaction tx, TaskId id, @Nullable String options) throws SQLException {
        if (options != null) {
            for (String tag : OptionsText.options(0, options, null, null).tags()) {
                tx.sql(REMOVE).with(tag).with(id).update();
            }
        }
    }

    /** Returns tasks with a tag, of one tenant or, without one, of all, newest first. */
    public static List<TaskId> list(Session session, @Nullable String tenant, String tag, byte[] before, int limit)
            throws SQLException {
        List<TaskId> ids = new ArrayList<>();
        SqlStatement statement =
                tenant == null ? session.sql(LIST) : session.sql(LIST_OF_TENANT).with(tenant);
        try (ResultSet row = statement.with(tag).with(before).with(limit).query()) {
            while (row.next()) {
                ids.add(ColumnValues.taskId(row, 1));
            }
        }
        return ids;
    }
}
