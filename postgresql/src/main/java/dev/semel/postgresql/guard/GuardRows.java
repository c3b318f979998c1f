package dev.semel.postgresql.guard;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.postgresql.schema.GuardTableNames;
import dev.semel.postgresql.sql.Backoff;
import dev.semel.task.InputHash;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of the guard: its statements on a PostgreSQL connection, each of them one atomic step. */
public final class GuardRows {

    // Most calls that come again come after the success: a plain read by the primary key is all they cost.
    private static final String PROBE = """
            SELECT payload_hash, changed_at, expires_at, result,
              date_trunc('milliseconds', clock_timestamp()) AS now
            FROM semel.guard WHERE tenant = ? AND key = ? AND state = 'success' AND expires_at > clock_timestamp()
            """;

    /*
     * Looks first and writes only if that may help: a duplicate is answered by a plain read, with no lock and no write-ahead
     * log. "found" is what was committed when the statement began. Who finds nothing in the way tries to insert, or to
     * overwrite what is free by then; the conflict clause sees the newest version of the row, so of many only one gets
     * through. The others get no row from "entered" although nothing was in the way of them, and look again.
     *
     * "limits" bounds the wait for somebody else's open transaction on the same key, for this statement only; 0 is no bound.
     */
    private static final String BEGIN = """
            WITH limits AS MATERIALIZED (
              SELECT CASE WHEN ? THEN set_config('lock_timeout', ?, true) END,
                     date_trunc('milliseconds', clock_timestamp()) AS now
            ), found AS (
              SELECT state, owner, payload_hash, changed_at, lease_until, expires_at, result
              FROM semel.guard, limits WHERE tenant = ? AND key = ? AND expires_at > now
            ), entered AS (
              INSERT INTO semel.guard AS stored
                (tenant, key, state, owner, payload_hash, began_at, changed_at, lease_until, expires_at)
              SELECT ?, ?, 'in_progress', ?, ?::bytea, now, now, now + ?::interval, now + ?::interval FROM limits
              WHERE NOT EXISTS (
                SELECT FROM found, limits WHERE payload_hash <> ?::bytea OR state = 'success'
                  OR (state = 'in_progress' AND owner <> ? AND lease_until > now))
              ON CONFLICT (tenant, key) DO UPDATE SET
                state = excluded.state,
                owner = excluded.owner,
                payload_hash = coalesce(excluded.payload_hash,
                  CASE WHEN stored.expires_at > excluded.began_at THEN stored.payload_hash END),
                began_at = excluded.began_at,
                changed_at = excluded.changed_at,
                lease_until = excluded.lease_until,
                expires_at = excluded.expires_at,
                result = NULL,
                error = NULL
              WHERE stored.expires_at <= excluded.began_at
                OR (coalesce(stored.payload_hash = excluded.payload_hash, true)
                  AND (stored.state = 'failure'
                    OR (stored.state = 'in_progress'
                      AND (stored.owner = excluded.owner OR stored.lease_until <= excluded.began_at))))
              RETURNING 1
            )
            SELECT (SELECT count(*) FROM entered) > 0 AS has_entered, limits.now, found.*
            FROM limits LEFT JOIN found ON true
            """;

    private static final String RENEW = """
            WITH limits AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
            UPDATE semel.guard SET lease_until = now + ?::interval, expires_at = now + ?::interval
            FROM limits
            WHERE tenant = ? AND key = ? AND owner = ? AND state = 'in_progress' AND expires_at > now
            """;

    // Sent again, it finds the state that it made and changes nothing, because the old values are kept.
    private static final String END = """
            WITH limits AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
            UPDATE semel.guard SET
              state = ?,
              changed_at = CASE WHEN state = 'in_progress' THEN now ELSE changed_at END,
              expires_at = CASE WHEN state = 'in_progress' THEN now + ?::interval ELSE expires_at END,
              result = CASE WHEN state = 'in_progress' THEN ? ELSE result END,
              error = CASE WHEN state = 'in_progress' THEN ? ELSE error END,
              lease_until = NULL
            FROM limits
            WHERE tenant = ? AND key = ? AND owner = ? AND state IN ('in_progress', ?) AND expires_at > now
            """;

    private static final String FIND = """
            SELECT state, payload_hash, began_at, changed_at, lease_until, expires_at, result, error
            FROM semel.guard WHERE tenant = ? AND key = ? AND expires_at > clock_timestamp()
            """;

    // Locked before they are removed, and skipped if somebody is just taking one over.
    private static final String SWEEP = """
            DELETE FROM semel.guard WHERE ctid = ANY (ARRAY(
              SELECT ctid FROM semel.guard WHERE expires_at <= clock_timestamp() LIMIT ? FOR UPDATE SKIP LOCKED))
            """;

    private GuardRows() {}

    /**
     * Begins a call.
     *
     * @param lockLimit how long to wait for another transaction on the same key; null to leave that to the connection
     */
    public static Begun begin(GuardTableNames tables, Connection connection, Hold hold, @Nullable Duration lockLimit)
            throws SQLException {
        Optional<Begun> known = probe(tables, connection, hold);
        if (known.isPresent()) {
            return known.get();
        }
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(BEGIN))) {
            InputHash payload = hold.payload();
            byte[] hash = payload == null ? null : payload.bytes();
            UUID owner = owner(hold);
            statement.setBoolean(1, lockLimit != null);
            statement.setString(2, lockLimit == null ? "0" : lockLimit.toMillis() + "ms");
            statement.setString(3, hold.key().tenant());
            statement.setString(4, hold.key().key());
            statement.setString(5, hold.key().tenant());
            statement.setString(6, hold.key().key());
            statement.setObject(7, owner);
            statement.setBytes(8, hash);
            statement.setString(9, interval(hold.lease()));
            statement.setString(10, interval(hold.lease().plus(hold.ttl())));
            statement.setBytes(11, hash);
            statement.setObject(12, owner);
            Backoff backoff = new Backoff();
            do {
                Optional<Begun> begun = tried(statement, hold);
                if (begun.isPresent()) {
                    return begun.get();
                }
            } while (backoff.pauseForAnotherTry());
        }
        throw new StoreUnavailable("Key \"" + hold.key().key() + "\" is contended: it changed hands "
                + Backoff.MOST_TRIES + " times while it was looked at. Try again.");
    }

    /** Looks for a success, without a lock. */
    private static Optional<Begun> probe(GuardTableNames tables, Connection connection, Hold hold) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(PROBE))) {
            statement.setString(1, hold.key().tenant());
            statement.setString(2, hold.key().key());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                InputHash existing = hash(row.getBytes("payload_hash"));
                return Optional.of(
                        existing != null && conflicts(existing, hold)
                                ? new Begun.Conflicted(existing)
                                : done(row, existing));
            }
        }
    }

    private static @Nullable InputHash hash(byte @Nullable [] bytes) {
        return bytes == null ? null : InputHash.ofBytes(bytes);
    }

    private static boolean conflicts(@Nullable InputHash existing, Hold hold) {
        return existing != null && hold.payload() != null && !existing.equals(hold.payload());
    }

    private static Begun.Done done(ResultSet row, @Nullable InputHash existing) throws SQLException {
        return new Begun.Done(
                row.getString("result"),
                existing,
                time(row, "changed_at"),
                Duration.between(time(row, "now"), time(row, "expires_at")));
    }

    /** Tries to enter; empty if another call got through between the look and the write. */
    private static Optional<Begun> tried(PreparedStatement statement, Hold hold) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            String state = row.getString("state");
            if (row.getBoolean("has_entered")) {
                boolean takenOver =
                        "in_progress".equals(state) && !owner(hold).equals(row.getObject("owner", UUID.class));
                return Optional.of(new Begun.Entered(takenOver));
            }
            if (state == null) {
                return Optional.empty();
            }
            InputHash existing = hash(row.getBytes("payload_hash"));
            if (existing != null && conflicts(existing, hold)) {
                return Optional.of(new Begun.Conflicted(existing));
            }
            if (state.equals("success")) {
                return Optional.of(done(row, existing));
            }
            if (state.equals("in_progress")) {
                Instant now = time(row, "now");
                Instant until = time(row, "lease_until");
                return until.isAfter(now)
                        ? Optional.of(new Begun.Busy(Duration.between(now, until)))
                        : Optional.empty();
            }
            return Optional.empty();
        }
    }

    public static Settled renew(GuardTableNames tables, Connection connection, Hold hold) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(RENEW))) {
            statement.setString(1, interval(hold.lease()));
            statement.setString(2, interval(hold.lease().plus(hold.ttl())));
            statement.setString(3, hold.key().tenant());
            statement.setString(4, hold.key().key());
            statement.setObject(5, owner(hold));
            return settled(statement);
        }
    }

    public static Settled end(
            GuardTableNames tables,
            Connection connection,
            Hold hold,
            GuardState state,
            @Nullable String result,
            @Nullable String error)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(END))) {
            statement.setString(1, state.word());
            statement.setString(2, interval(hold.ttl()));
            statement.setString(3, result);
            statement.setString(4, error);
            statement.setString(5, hold.key().tenant());
            statement.setString(6, hold.key().key());
            statement.setObject(7, owner(hold));
            statement.setString(8, state.word());
            return settled(statement);
        }
    }

    private static Settled settled(PreparedStatement statement) throws SQLException {
        int rows = statement.executeUpdate();
        if (rows > 1) {
            throw new IllegalStateException("Expected to change 1 row at the most, but changed " + rows);
        }
        return rows == 1 ? Settled.APPLIED : Settled.STALE;
    }

    public static Optional<GuardEntry> find(GuardTableNames tables, Connection connection, GuardKey key)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(FIND))) {
            statement.setString(1, key.tenant());
            statement.setString(2, key.key());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                return Optional.of(new GuardEntry(
                        key,
                        GuardState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                        hash(row.getBytes("payload_hash")),
                        time(row, "began_at"),
                        time(row, "changed_at"),
                        row.getObject("lease_until") == null ? null : time(row, "lease_until"),
                        time(row, "expires_at"),
                        row.getString("result"),
                        row.getString("error")));
            }
        }
    }

    public static int sweep(GuardTableNames tables, Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(SWEEP))) {
            statement.setInt(1, limit);
            return statement.executeUpdate();
        }
    }

    /** A text as PostgreSQL can keep it: everything but the character 0. */
    public static String storable(String error) {
        return error.replace('\0', '\uFFFD');
    }

    private static UUID owner(Hold hold) {
        return new UUID(hold.owner().high(), hold.owner().low());
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** In milliseconds only: a day of an interval is a calendar's, and would be 23 or 25 hours twice a year. */
    private static String interval(Duration duration) {
        return duration.toMillis() + " milliseconds";
    }
}
