package dev.semel.sqlite.guard;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.sqlite.transaction.CallersConnections;
import dev.semel.task.InvalidInput;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/**
 * The guard inside a transaction of the caller's own, which holds SQLite's only write lock from the beginning of a call to
 * its end. A failure undoes everything since the beginning, by a savepoint.
 */
public final class JoinedGuard implements GuardStore {

    private static final String SAVEPOINT = "SAVEPOINT semel_guard";
    private static final String RELEASE = "RELEASE semel_guard";
    private static final String UNDO = "ROLLBACK TO semel_guard";

    // Changes nothing, but waits for the write lock as a write does, and before anything is read: a transaction that
    // has read and then writes fails at once if another connection has written in between.
    private static final String LOCK = "DELETE FROM semel_guard WHERE 0";

    // An owner whose lease expired after this transaction got the write lock, or shortly before, may just be waiting
    // for the lock.
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final CallersConnections callers;
    private final FileClock clock;
    private final SQLiteConnection connection;
    private @Nullable Instant lockedSince;

    public JoinedGuard(CallersConnections callers, FileClock clock, SQLiteConnection connection) {
        this.callers = callers;
        this.clock = clock;
        this.connection = connection;
    }

    private interface Step<T> {
        T run(Session session) throws SQLException;
    }

    private <T> T asked(Step<T> step) {
        callers.checkFile();
        Session session = new Session(connection);
        try {
            return step.run(session);
        } catch (SQLException e) {
            throw callers.explained(e);
        } finally {
            session.forget();
        }
    }

    @Override
    public Begun begin(Hold hold) {
        return asked(session -> {
            session.sql(SAVEPOINT).update();
            boolean entered = false;
            try {
                session.sql(LOCK).update();
                Instant now = Instant.ofEpochMilli(clock.advance(session));
                lockedSince = lockedSince == null ? now : lockedSince;
                Begun begun = GuardRows.begin(session, hold, now, lockedSince.minus(GRACE));
                entered = begun instanceof Begun.Entered;
                return begun;
            } finally {
                if (!entered) {
                    session.forget();
                    session.sql(UNDO).update();
                    session.sql(RELEASE).update();
                }
            }
        });
    }

    @Override
    public Settled renew(Hold hold) {
        return Settled.APPLIED;
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return asked(session -> {
            try {
                Instant now = Instant.ofEpochMilli(clock.advance(session));
                Settled settled = GuardRows.finish(session, hold, result, now);
                session.sql(RELEASE).update();
                return settled;
            } catch (SQLException e) {
                // What a call outside of this one undoes has to be all of its own.
                session.forget();
                session.sql(UNDO).update();
                session.sql(RELEASE).update();
                throw e;
            }
        });
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return asked(session -> {
            session.sql(UNDO).update();
            session.sql(RELEASE).update();
            return Settled.APPLIED;
        });
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return asked(session -> GuardRows.find(session, key, Instant.ofEpochMilli(clock.read(session))));
    }

    @Override
    public int sweep(int limit) {
        throw new InvalidInput("A joined guard does not sweep. Sweep the store itself.");
    }

    @Override
    public void close() {
        // The connection is the caller's.
    }
}
