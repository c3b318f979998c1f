package dev.semel.sqlite.guard;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardRecord;
import dev.semel.guard.GuardState;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.guard.Settled;
import dev.semel.sqlite.sql.Session;
import dev.semel.task.InputHash;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The guard's operations inside a transaction that holds the write lock: read, decide by {@link GuardRecord}, write. */
public final class GuardRows {

    private static final String FIND = """
            SELECT state, owner, payload_hash, began_at, changed_at, lease_until, expires_at, result, error
            FROM semel_guard WHERE tenant = ? AND key = ?
            """;

    private static final String PUT = """
            INSERT OR REPLACE INTO semel_guard
              (tenant, key, state, owner, payload_hash, began_at, changed_at, lease_until, expires_at, result, error)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String SWEEP = """
            DELETE FROM semel_guard WHERE (tenant, key) IN
              (SELECT tenant, key FROM semel_guard WHERE expires_at <= ? LIMIT ?)
            """;

    // How long to wait when a lease has expired because its owner could not write, and not because it is dead.
    private static final Duration HELD = Duration.ofSeconds(1);

    private GuardRows() {}

    /**
     * Begins a call.
     *
     * @param mayTakeOver a lease that expired by this time may be taken over; the owner of a later one perhaps could not write
     */
    public static Begun begin(Session session, Hold hold, Instant now, Instant mayTakeOver) throws SQLException {
        GuardRecord stored = read(session, hold.key());
        Begun begun = GuardRecord.begin(stored, hold, now);
        if (begun instanceof Begun.Entered(boolean takenOver)) {
            Instant until = stored == null ? null : stored.leaseUntil();
            if (takenOver && until != null && until.isAfter(mayTakeOver)) {
                return new Begun.Busy(HELD);
            }
            put(session, hold.key(), GuardRecord.entered(stored, hold, now));
        }
        return begun;
    }

    public static Settled renew(Session session, Hold hold, Instant now) throws SQLException {
        return settled(session, hold, GuardRecord.renewed(read(session, hold.key()), hold, now));
    }

    public static Settled finish(Session session, Hold hold, @Nullable String result, Instant now) throws SQLException {
        return settled(session, hold, GuardRecord.finished(read(session, hold.key()), hold, result, now));
    }

    public static Settled fail(Session session, Hold hold, String error, Instant now) throws SQLException {
        return settled(session, hold, GuardRecord.failed(read(session, hold.key()), hold, error, now));
    }

    private static Settled settled(Session session, Hold hold, @Nullable GuardRecord changed) throws SQLException {
        if (changed == null) {
            return Settled.STALE;
        }
        put(session, hold.key(), changed);
        return Settled.APPLIED;
    }

    public static Optional<GuardEntry> find(Session session, GuardKey key, Instant now) throws SQLException {
        GuardRecord stored = read(session, key);
        return stored == null || stored.isExpired(now) ? Optional.empty() : Optional.of(stored.shown(key));
    }

    public static int sweep(Session session, int limit, Instant now) throws SQLException {
        return session.sql(SWEEP).with(now.toEpochMilli()).with(limit).update();
    }

    private static @Nullable GuardRecord read(Session session, GuardKey key) throws SQLException {
        try (ResultSet row =
                session.sql(FIND).with(key.tenant()).with(key.key()).query()) {
            if (!row.next()) {
                return null;
            }
            byte[] payload = row.getBytes(3);
            long leaseUntil = row.getLong(6);
            return new GuardRecord(
                    GuardState.valueOf(row.getString(1).toUpperCase(Locale.ROOT)),
                    owner(row.getBytes(2)),
                    payload == null ? null : InputHash.ofBytes(payload),
                    Instant.ofEpochMilli(row.getLong(4)),
                    Instant.ofEpochMilli(row.getLong(5)),
                    leaseUntil == 0 ? null : Instant.ofEpochMilli(leaseUntil),
                    Instant.ofEpochMilli(row.getLong(7)),
                    row.getString(8),
                    row.getString(9));
        }
    }

    private static void put(Session session, GuardKey key, GuardRecord changed) throws SQLException {
        InputHash payload = changed.payload();
        Instant leaseUntil = changed.leaseUntil();
        session.sql(PUT)
                .with(key.tenant())
                .with(key.key())
                .with(changed.state().word())
                .with(bytes(changed.owner()))
                .with(payload == null ? null : payload.bytes())
                .with(changed.beganAt().toEpochMilli())
                .with(changed.changedAt().toEpochMilli())
                .with(leaseUntil == null ? null : (Long) leaseUntil.toEpochMilli())
                .with(changed.expiresAt().toEpochMilli())
                .with(changed.result())
                .with(changed.error())
                .updateOne();
    }

    private static byte[] bytes(OwnerToken owner) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(owner.high())
                .putLong(owner.low())
                .array();
    }

    private static OwnerToken owner(byte[] bytes) {
        ByteBuffer both = ByteBuffer.wrap(bytes);
        return new OwnerToken(both.getLong(), both.getLong());
    }
}
