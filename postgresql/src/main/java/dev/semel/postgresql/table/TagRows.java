package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.NewTask;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of {@code tag}: the tags of tasks, by which they are listed. They are written and removed with their task. */
public final class TagRows {

    private static final String ADD = """
            INSERT INTO semel.tag (tag, task, tenant) SELECT tag, task, tenant FROM unnest(?, ?, ?) AS m (tag, task, tenant)
            ON CONFLICT DO NOTHING
            """;

    private static final String REMOVE = """
            DELETE FROM semel.tag t USING unnest(?, ?) AS m (tag, task) WHERE t.tag = ANY (ARRAY[m.tag]) AND t.task = m.task
            """;

    private static final String LIST =
            "SELECT task FROM semel.tag WHERE tag = ? AND task < ? ORDER BY task DESC LIMIT ?";

    private static final String LIST_OF_TENANT = """
            SELECT task FROM semel.tag WHERE tenant || chr(31) || tag = ? || chr(31) || ? AND uuid_send(task) < uuid_send(?)
            ORDER BY uuid_send(task) DESC LIMIT ?
            """;

    private TagRows() {}

    /** Adds the tags of new tasks, of which there may be none. */
    public static void add(Transaction tx, Collection<NewTask> tasks) throws SQLException {
        List<String> names = new ArrayList<>();
        List<TaskId> ids = new ArrayList<>();
        List<String> tenants = new ArrayList<>();
        for (NewTask task : tasks) {
            for (String tag : task.options().tags()) {
                names.add(tag);
                ids.add(task.id());
                tenants.add(task.tenant());
            }
        }
        if (!names.isEmpty()) {
            tx.sql(ADD).texts(names).ids(ids).texts(tenants).update();
        }
    }

    /** Removes the tags of tasks that are removed. */
    public static void remove(Transaction tx, Map<TaskId, List<String>> tags) throws SQLException {
        List<String> names = new ArrayList<>();
        List<TaskId> tasks = new ArrayList<>();
        tags.forEach((task, all) -> all.forEach(tag -> {
            names.add(tag);
            tasks.add(task);
        }));
        if (!names.isEmpty()) {
            tx.sql(REMOVE).texts(names).ids(tasks).update();
        }
    }

    /** Returns tasks with a tag, of one tenant or, without one, of all, newest first. */
    public static List<TaskId> list(Session session, @Nullable String tenant, String tag, TaskId before, int limit)
            throws SQLException {
        SqlStatement statement =
                tenant == null ? session.sql(LIST) : session.sql(LIST_OF_TENANT).withText(tenant);
        return statement.withText(tag).with(before).with(limit).list(row -> SqlStatement.id(row, "task"));
    }
}
