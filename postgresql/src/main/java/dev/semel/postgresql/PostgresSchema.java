package dev.semel.postgresql;

import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.schema.GuardSchema;
import dev.semel.postgresql.schema.TaskSchema;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The tables of Semel in a PostgreSQL database and their versions.
 *
 * <p>A migration runs in one transaction under an advisory lock, so of many programs that start together one migrates and
 * the others find it done. A program runs on its own version of the schema and on the next one, if that says of itself that
 * this program can read it: then a new version can be rolled out while the old one still runs.
 */
public final class PostgresSchema {

    /** The version of the schema that this program makes. */
    public static final int VERSION = TaskSchema.VERSION;

    /** The oldest PostgreSQL that the task store and the guard work on. */
    public static final int OLDEST_SERVER = TaskSchema.OLDEST_SERVER;

    private PostgresSchema() {}

    /**
     * All statements that make the newest schema in an empty database, as they are run; the tables of the guard are part of it.
     *
     * @param schema the name of the schema
     * @return SQL with comments
     * @throws dev.semel.task.InvalidInput if the schema cannot have this name
     */
    public static String print(String schema) {
        String name = SchemaName.checked(schema);
        return TaskSchema.print(name) + "\n" + GuardSchema.print(name);
    }

    /**
     * The version of the schema that a database has, in the schema that the URL names or else of the standard name.
     *
     * @param url where the database is
     * @return the version; 0 if there is none
     * @throws dev.semel.task.StoreUnusable if it is one that this program cannot work on
     */
    public static int version(String url) {
        PostgresUrl parsed = PostgresUrl.parse(url);
        PostgresSettings settings = parsed.applied(PostgresSettings.standard());
        try (Connection connection =
                parsed.single(AnswerLimit.seconds(settings.answerLimit())).getConnection()) {
            return TaskSchema.version(connection, parsed.shown(), settings.schema());
        } catch (SQLException e) {
            throw ErrorTranslator.translated(ErrorTranslator.storeAt(parsed.shown()), e);
        }
    }
}
