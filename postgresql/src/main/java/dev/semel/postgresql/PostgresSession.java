package dev.semel.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;

/** A connection, and the statements of Semel as they read in one schema. */
final class PostgresSession {

    /** Statements name the schema as it is by default; here it gets the name that it has. */
    static final class Texts {

        private final String schema;
        private final Map<String, String> texts = new ConcurrentHashMap<>();

        Texts(String schema) {
            this.schema = schema;
        }

        String of(String sql) {
            return schema.equals(PostgresSettings.SCHEMA)
                    ? sql
                    : texts.computeIfAbsent(sql, text -> inSchema(text, schema));
        }

        static String inSchema(String sql, String schema) {
            return sql.replace("semel.", schema + ".");
        }
    }

    private final Connection connection;
    private final Texts texts;
    private final boolean keepPlans;

    /**
     * Makes a session.
     *
     * @param keepPlans whether statements may be prepared and their plans kept. Not where nothing was said of how to plan: a
     *     plan that was made for empty tables reads full ones as a whole
     */
    PostgresSession(Connection connection, Texts texts, boolean keepPlans) {
        this.connection = connection;
        this.texts = texts;
        this.keepPlans = keepPlans;
    }

    Connection connection() {
        return connection;
    }

    /** Whether the driver sends statements one by one, also those that are executed together. */
    boolean sendsStatementsSingly() throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                && connection.unwrap(PGConnection.class).getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    PostgresStatement sql(String sql) throws SQLException {
        return new PostgresStatement(connection, texts.of(sql), keepPlans);
    }

    /** A statement whose plan is made anew, for the values that it has this time. */
    PostgresStatement planned(String sql) throws SQLException {
        return new PostgresStatement(connection, texts.of(sql), false);
    }

    /** Rows to append with a statement {@code COPY … FROM STDIN (FORMAT binary)} of so many columns. */
    PostgresCopy copy(String sql, int columns) {
        return new PostgresCopy(connection, texts.of(sql), columns);
    }
}
