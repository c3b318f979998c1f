package dev.semel.sqlite.table;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
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

    private static final String ADD = "INSERT INTO semel_tag (tag, task) VALUES (?, ?) ON CONFLICT DO NOTHING";

    private static final String REMOVE = "DELETE FROM semel_tag WHERE tag = ? AND task = ?";

    private static final String LIST =
            "SELECT task FROM semel_tag WHERE tag = ? AND task < ? ORDER BY task DESC LIMIT ?";

    private TagRows() {}

    /** Adds the tags of a new task. */
    public static void add(Transaction tx, NumberedTask asked) throws SQLException {
        for (String tag : asked.task().options().tags()) {
            tx.sql(ADD).with(tag).with(asked.task().id()).update();
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

    /** Returns tasks with a tag, newest first. */
    public static List<TaskId> list(Session session, String tag, byte[] before, int limit) throws SQLException {
        List<TaskId> ids = new ArrayList<>();
        try (ResultSet row =
                session.sql(LIST).with(tag).with(before).with(limit).query()) {
            while (row.next()) {
                ids.add(ColumnValues.taskId(row, 1));
            }
        }
        return ids;
    }
}
