package dev.semel.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Hand-written SQLite: one connection, one table, prepared statements, transactions begun and ended in SQL.
 *
 * <p>The table is the narrowest that could still keep Semel's promises: the id of the sender is unique, so that a
 * repeated send is recognised; one partial index holds due, pending and leased rows; the attempt fences the completion;
 * history is kept in place. With keys, the key is unique, and the hash of the input is stored for comparison. It leaves
 * out what Semel offers in addition: tenants, priorities, fairness between queues, retries, the times and the worker of
 * an attempt, windows and lineages.
 */
final class RawSqlite implements RawStore {

    private static final String TABLE = """
            CREATE TABLE task (
              seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, queue INTEGER NOT NULL, state INTEGER NOT NULL,
              due_at INTEGER, attempt INTEGER NOT NULL, key TEXT, input_hash BLOB, result TEXT, input TEXT NOT NULL)
            """;
    private static final String LIVE = "CREATE INDEX task_live ON task (queue, due_at) WHERE due_at IS NOT NULL";
    private static final String KEYS = "CREATE UNIQUE INDEX task_key ON task (key) WHERE key IS NOT NULL";

    private static final String INSERT = "INSERT INTO task (id, queue, state, due_at, attempt, key, input_hash, input)"
            + " VALUES (?, 1, 0, ?, 0, ?, ?, ?) ON CONFLICT DO NOTHING";
    private static final String FIND = "SELECT id, state, input_hash FROM task WHERE key = ?";
    private static final String CLAIM = """
            UPDATE task SET state = 1, due_at = ?1, attempt = attempt + 1 WHERE seq IN
              (SELECT seq FROM task INDEXED BY task_live WHERE due_at IS NOT NULL AND queue = 1 AND due_at <= ?2
               ORDER BY due_at LIMIT ?3)
            RETURNING seq, attempt, id, input
            """;
    private static final String COMPLETE =
            "UPDATE task SET state = 2, due_at = NULL, result = ?1 WHERE seq = ?2 AND attempt = ?3 AND state = 1";

    private final Connection connection;
    private final PreparedStatement begin;
    private final PreparedStatement commit;
    private final PreparedStatement insert;
    private final PreparedStatement find;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    RawSqlite(Path file) {
        try {
            Properties settings = new Properties();
            settings.setProperty("jdbc.get_generated_keys", "false");
            connection = DriverManager.getConnection("jdbc:sqlite:" + file, settings);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = WAL");
                statement.execute("PRAGMA synchronous = FULL");
                statement.execute("PRAGMA cache_size = -65536");
                statement.execute("PRAGMA wal_autocheckpoint = 4000");
                statement.execute(TABLE);
                statement.execute(LIVE);
                statement.execute(KEYS);
            }
            begin = connection.prepareStatement("BEGIN IMMEDIATE");
            commit = connection.prepareStatement("COMMIT");
            insert = connection.prepareStatement(INSERT);
            find = connection.prepareStatement(FIND);
            claim = connection.prepareStatement(CLAIM);
            complete = connection.prepareStatement(COMPLETE);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int insert(List<Row> rows, boolean mostlyDuplicates) {
        try {
            begin.execute();
            int added = 0;
            long now = System.currentTimeMillis();
            for (Row row : rows) {
                if (mostlyDuplicates && found(row)) {
                    continue;
                }
                insert.setBytes(1, row.id());
                insert.setLong(2, now);
                insert.setString(3, row.key());
                insert.setBytes(4, row.inputHash());
                insert.setString(5, row.input());
                int inserted = insert.executeUpdate();
                if (inserted == 0 && !found(row)) {
                    throw new IllegalStateException("A row was neither inserted nor found");
                }
                added += inserted;
            }
            commit.execute();
            return added;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean found(Row row) throws SQLException {
        find.setString(1, row.key());
        try (ResultSet existing = find.executeQuery()) {
            return existing.next() && existing.getBytes(1) != null && existing.getBytes(3) != null;
        }
    }

    @Override
    public Claim claim(int limit) {
        try {
            List<Taken> claimed = new ArrayList<>(limit);
            begin.execute();
            long now = System.currentTimeMillis();
            claim.setLong(1, now + 30_000);
            claim.setLong(2, now);
            claim.setInt(3, limit);
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    if (row.getBytes(3) != null) {
                        claimed.add(new Taken(row.getLong(1), row.getInt(2), row.getString(4)));
                    }
                }
            }
            commit.execute();
            return new Claim(0, claimed);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void complete(Claim claimed) {
        try {
            begin.execute();
            for (Taken task : claimed.tasks()) {
                complete.setString(1, null);
                complete.setLong(2, (Long) task.task());
                complete.setInt(3, task.attempt());
                if (complete.executeUpdate() != 1) {
                    throw new IllegalStateException("A completion was refused");
                }
            }
            commit.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Not supported, because another connection would only wait for this one. */
    @Override
    public RawStore beside() {
        throw new UnsupportedOperationException("SQLite has one writer");
    }

    @Override
    public boolean isConcurrent() {
        return false;
    }

    @Override
    public long logged() {
        return 0;
    }

    @Override
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement()) {
            for (String pragma : List.of("journal_mode", "synchronous", "wal_autocheckpoint")) {
                try (ResultSet row = statement.executeQuery("PRAGMA " + pragma)) {
                    row.next();
                    facts.put(pragma, row.getString(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return facts;
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
