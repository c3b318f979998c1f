package dev.semel.sqlite;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardJoining;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.Settled;
import dev.semel.sqlite.guard.GuardRows;
import dev.semel.sqlite.guard.JoinedGuard;
import dev.semel.sqlite.schema.GuardSchema;
import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.transaction.CallersConnections;
import dev.semel.sqlite.transaction.Database;
import dev.semel.task.Limits;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A guard store in one SQLite file: durable, embedded, shared by any number of threads and by several processes on one
 * machine. The file may be that of a {@link SqliteTaskStore}, or the user's own database.
 *
 * <p>One thread writes, and all callers that wait share a commit, as with tasks; every commit is on disk
 * before it is answered.
 */
public final class SqliteGuardStore implements GuardStore {

    private final Database database;

    private SqliteGuardStore(Database database) {
        this.database = database;
    }

    /**
     * Opens a store with the standard settings; creates the file and its table if they are not there.
     *
     * @param file the database file
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to fix
     */
    public static SqliteGuardStore open(Path file) {
        return open(file, SqliteSettings.standard());
    }

    /**
     * Opens a store; creates its table if it is not there.
     *
     * @param file the database file
     * @param settings how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to fix
     */
    public static SqliteGuardStore open(Path file, SqliteSettings settings) {
        return new SqliteGuardStore(
                Database.open(file, Limits.notNull("settings", settings).options(), new GuardSchema()));
    }

    @Override
    public Begun begin(Hold hold) {
        return database.writer().ask(1, tx -> {
            tx.leased(ColumnValues.after(tx.now(), hold.lease()));
            return GuardRows.begin(
                    tx.session(), hold, time(tx.now()), tx.leasesHeld() ? Instant.EPOCH : time(tx.now()));
        });
    }

    @Override
    public Settled renew(Hold hold) {
        return database.writer().heartbeat(1, tx -> {
            tx.leased(ColumnValues.after(tx.now(), hold.lease()));
            return GuardRows.renew(tx.session(), hold, time(tx.now()));
        });
    }

    @Override
    public Settled finish(Hold hold, @Nullable String result) {
        return database.writer().ask(1, tx -> GuardRows.finish(tx.session(), hold, result, time(tx.now())));
    }

    @Override
    public Settled fail(Hold hold, String error) {
        return database.writer().ask(1, tx -> GuardRows.fail(tx.session(), hold, error, time(tx.now())));
    }

    @Override
    public Optional<GuardEntry> find(GuardKey key) {
        return database.readers()
                .ask(catalog -> GuardRows.find(
                        catalog.session(), key, time(database.clock().read(catalog.session()))));
    }

    @Override
    public int sweep(int limit) {
        int most = GuardStore.checkSweep(limit);
        return database.writer().ask(most, tx -> GuardRows.sweep(tx.session(), most, time(tx.now())));
    }

    @Override
    public Optional<GuardJoining> joining() {
        CallersConnections callers = new CallersConnections(database.file());
        return Optional.of(connection -> {
            database.requireOpen();
            return new JoinedGuard(callers, database.clock(), callers.checked(connection));
        });
    }

    @Override
    public void close() {
        database.close();
    }

    private static Instant time(long millis) {
        return Instant.ofEpochMilli(millis);
    }
}
