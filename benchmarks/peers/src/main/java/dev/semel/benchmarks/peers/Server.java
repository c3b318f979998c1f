package dev.semel.benchmarks.peers;

import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL server of the run. Tables are created once for each contestant, in a template database of which every
 * sample gets a copy, because some migrations take longer than a sample.
 */
final class Server implements AutoCloseable {

    private static final List<String> SETTINGS = List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "wal_compression",
            "data_checksums",
            "shared_buffers",
            "max_wal_size",
            "autovacuum",
            "max_connections");

    private static final List<String> DURABLE = List.of("fsync", "synchronous_commit", "full_page_writes");

    private final PGSimpleDataSource administration = PostgresServer.freshDatabase();
    private final Connection connection;
    private final Map<String, String> templates = new LinkedHashMap<>();
    private int copies;

    Server() {
        try {
            connection = administration.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException("The server of the run does not answer", e);
        }
        for (String setting : DURABLE) {
            if (!text("SHOW " + setting).equals("on")) {
                throw new IllegalStateException("The server of the run must have " + setting + " = on, but has \""
                        + text("SHOW " + setting) + "\", so its figures would not be valid");
            }
        }
    }

    /** Creates a database with the tables of a contestant. */
    synchronized Place fresh(String contestant, Consumer<DataSource> makeTables) {
        String template = templates.computeIfAbsent(contestant, name -> {
            PGSimpleDataSource made = PostgresServer.freshDatabase();
            makeTables.accept(made);
            return Objects.requireNonNull(made.getDatabaseName());
        });
        String name = "sample_" + ++copies;
        execute("CREATE DATABASE " + name + " TEMPLATE " + template);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(administration.getServerNames());
        source.setPortNumbers(administration.getPortNumbers());
        source.setUser(administration.getUser());
        source.setDatabaseName(name);
        // Helps every contestant that inserts many rows in a JDBC batch: one statement instead of one for each row.
        source.setReWriteBatchedInserts(true);
        return new Place(source, () -> execute("DROP DATABASE " + name + " WITH (FORCE)"));
    }

    /** Brings the server into the same state before every sample: no writes of the sample before are pending. */
    void settle() {
        execute("CHECKPOINT");
    }

    /** Returns the number of bytes that the server has written to its log. */
    long logBytes() {
        return Long.parseLong(text("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"));
    }

    /** Returns the settings that the server reports. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        SETTINGS.forEach(name -> facts.put(name, text("SHOW " + name)));
        return facts;
    }

    private synchronized String text(String query) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
