package dev.semel.s3.log;

import dev.semel.sqlite.sql.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * How far a replica has followed the log. Kept in the replica's file and written in the same transaction as what it speaks of.
 *
 * @param number the newest entry that the replica contains
 * @param hash the hash of that entry's object
 * @param time the time of that entry
 */
record Position(long number, String hash, long time) {

    private static final String CREATE = """
        CREATE TABLE IF NOT EXISTS semel_replica_position (
          id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, hash TEXT NOT NULL, time INTEGER NOT NULL
        ) STRICT
        """;
    private static final String READ = "SELECT number, hash, time FROM semel_replica_position WHERE id = 1";
    private static final String WRITE = """
        INSERT INTO semel_replica_position (id, number, hash, time) VALUES (1, ?1, ?2, ?3)
        ON CONFLICT (id) DO UPDATE SET number = ?1, hash = ?2, time = ?3
        """;

    static void create(Session session) throws SQLException {
        session.sql(CREATE).update();
    }

    static @Nullable Position read(Session session) throws SQLException {
        try (ResultSet row = session.sql(READ).query()) {
            return row.next() ? new Position(row.getLong(1), row.getString(2), row.getLong(3)) : null;
        }
    }

    void write(Session session) throws SQLException {
        session.sql(WRITE).with(number).with(hash).with(time).updateOne();
    }
}
