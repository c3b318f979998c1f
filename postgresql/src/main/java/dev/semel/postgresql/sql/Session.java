package dev.semel.postgresql.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;

/** A connection, and the statements of Semel as they read in one schema. */
public final class Session {

    /** Statements name the schema as it is by default; here it gets the name that it has. */
    public static final class Texts {

        private final String schema;
        private final Map<String, String> texts = new ConcurrentHashMap<>();

        public Texts(String schema) {
            this.schema = schema;
        }

        String of(String sql) {
            return schema.equals(SchemaName.STANDARD)
                    ? sql
                    : texts.computeIfAbsent(sql, text -> SchemaName.inSchema(text, schema));
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
    public Session(Connection connection, Texts texts, boolean keepPlans) {
        this.connection = connection;
        this.texts = texts;
        this.keepPlans = keepPlans;
    }

    public Connection connection() {
        return connection;
    }

    /** Whether the driver sends statements one by one, also those that are executed together. */
    public boolean sendsStatementsSingly() throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                && connection.unwrap(PGConnection.class).getPreferQueryMode() == PreferQueryMode.SIMPLE;
    }

    public SqlStatement sql(String sql) throws SQLException {
        return new SqlStatement(connection, texts.of(sql), keepPlans);
    }

    /** A statement whose plan is made anew, for the values that it has this time. */
    public SqlStatement planned(String sql) throws SQLException {
        return new SqlStatement(connection, texts.of(sql), false);
    }

    /** Rows to append with a statement {@code COPY … FROM STDIN (FORMAT binary)} of so many columns. */
    public BinaryCopy copy(String sql, int columns) {
        return new BinaryCopy(connection, texts.of(sql), columns);
    }
}
