package dev.semel.jdbc;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.JoiningGuardStore;
import dev.semel.guard.Settled;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A guard store in one SQLite file: durable, embedded, shared by any number of threads and by several processes on one
 * machine. The file may be that of a {@link SqliteTaskStore}, or the user's own database.
 *
 * <p>Writes go through one thread that shares a commit among all who wait, as those of tasks do; every commit is on disk
 * before it is answered.
 */
public final class SqliteGuardStore implements JoiningGuardStore {

    private final SqliteFile file;
    private final SqliteSettings settings;
    private final SqliteClock clock;
    private final SqliteHints hints;
    private final SqliteWriter writer;
    private final SqliteReaders readers;

    private SqliteGuardStore(SqliteFile file, SqliteSession session, SqliteSettings settings) {
        this.file = file;
        this.settings = settings;
        this.clock = new SqliteClock(file.path(), settings);
        this.hints = new SqliteHints(file);
        SqliteLock lock = new SqliteLock(file, settings, clock, hints);
        this.writer = new SqliteWriter(
                file,
                session,
                settings,
                new SqliteWriter.Parts(clock, hints, lock, open -> SqliteGuardSchema.check(open, file.path())));
        this.readers = new SqliteReaders(file, settings.readers());
    }

    /**
     * Opens a store with the standard settings; makes the file and its table if they are not there.
     *
     * @param file the database file
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to mend
     */
    public static SqliteGuardStore open(Path file) {
        return open(file, SqliteSettings.standard());
    }

    /**
     * Opens a store; makes its table if it is not there.
     *
     * @param file the database file
     * @param settings how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to mend
     */
    public static SqliteGuardStore open(Path file, SqliteSettings settings) {
        SqliteFile database = SqliteFile.at(file, settings.create());
        try {
            SqliteSession session = database.openWriter(settings.create());
            try {
                SqliteSchema.patiently(settings.lockLimit(), () -> SqliteLoss.check(session, database));
                SqliteGuardSchema.migrate(
                        session, database.path(), settings.clock().millis(), settings.lockLimit());
                return new SqliteGuardStore(database, session, settings);
            } catch (SQLException | RuntimeException e) {
                session.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.translated(database.path(), e);
        }
    }

    @Override
    public Begun begin(Hold hold) {
        return writer.ask(1, false, (tx, session) -> {
            tx.leased(SqliteValues.after(tx.now(), hold.lease()));
            return SqliteGuards.begin(session, hold, time(tx.now()), tx.leasesHeld() ? Instant.EPOCH : time(tx.now()));
        });
    }

    @Override
    public Settled renew(Hold hold) {
        return writer.ask(1, true, (tx, session) -> {
            tx.leased(SqliteValues.after(tx.now(), hold.lease()));
            return SqliteGuards.renew(session, hold, time(tx.now()));
        });
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return writer.ask(1, false, (tx, session) -> SqliteGuards.finish(session, hold, result, time(tx.now())));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return writer.ask(1, false, (tx, session) -> SqliteGuards.fail(session, hold, error, time(tx.now())));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return readers.ask((session, names) -> SqliteGuards.find(session, key, time(clock.read(session))));
    }

    @Override
    public int sweep(int limit) {
        int most = GuardStore.checkSweep(limit);
        return writer.ask(most, false, (tx, session) -> SqliteGuards.sweep(session, most, time(tx.now())));
    }

    @Override
    public GuardStore joining(Connection connection) {
        SqliteJoining joining = new SqliteJoining(file, settings, clock, hints);
        return new SqliteJoinedGuard(joining, clock, joining.checked(connection));
    }

    @Override
    public void close() {
        writer.close();
        readers.close();
        hints.close();
    }

    static Instant time(long millis) {
        return Instant.ofEpochMilli(millis);
    }
}
