package dev.semel.sqlite.transaction;

import dev.semel.sqlite.capture.Gate;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.CommitLossCheck;
import dev.semel.sqlite.hint.Hints;
import dev.semel.sqlite.sql.ErrorTranslator;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A SQLite file that a store has open: its time, its hints, its write lock, its writer and its readers. */
public record Database(DatabaseFile file, FileClock clock, Hints hints, WriteLock lock, Writer writer, Readers readers)
        implements AutoCloseable {

    private static final long BUSY_PAUSE = 2_000_000;

    /**
     * How a file is opened.
     *
     * @param elapsed what measures how much time has passed; null for the machine's uptime
     * @param permissions the permissions of a file that is created
     */
    public record Options(
            InstantSource clock,
            @Nullable InstantSource elapsed,
            boolean create,
            Set<PosixFilePermission> permissions,
            Duration lockLimit,
            int readers) {}

    /** The tables that a store needs in its file. */
    public interface Schema {

        /** Brings the file to this program's version, or says why it cannot be used. */
        void migrate(Session session, DatabaseFile file, long now) throws SQLException;

        /** Refuses a version that this program cannot work on. */
        void check(Session session, DatabaseFile file) throws SQLException;
    }

    /** Opens a file, and creates what is missing of its tables. */
    public static Database open(Path path, Options options, Schema schema) {
        return open(path, options, schema, null);
    }

    /**
     * Opens a file, and creates what is missing of its tables.
     *
     * @param gate what admits each transaction, if the file is a copy of a truth elsewhere; otherwise null
     */
    public static Database open(Path path, Options options, Schema schema, @Nullable Gate gate) {
        DatabaseFile file = DatabaseFile.at(path, options.create());
        if (options.create()) {
            file.create(options.permissions());
        }
        try {
            Session session = file.openWriter(options.create());
            try {
                if (gate != null) {
                    GatedTransactions.unsynchronized(session);
                }
                whileBusy(options.lockLimit(), () -> CommitLossCheck.check(session, file));
                whileBusy(
                        options.lockLimit(),
                        () -> schema.migrate(session, file, options.clock().millis()));
                FileClock clock = new FileClock(file.path(), options.clock(), options.elapsed());
                GatedTransactions gated = gate == null ? null : gated(gate, file, clock, session);
                return started(file, session, options, new Start(clock, schema, gated));
            } catch (SQLException | RuntimeException e) {
                session.close();
                throw e;
            }
        } catch (SQLException e) {
            throw ErrorTranslator.translated(file.path(), e);
        }
    }

    private record Start(
            FileClock clock, Schema schema, @Nullable GatedTransactions gated) {}

    private static GatedTransactions gated(Gate gate, DatabaseFile file, FileClock clock, Session session)
            throws SQLException {
        GatedTransactions gated = new GatedTransactions(gate, file, clock);
        gated.attach(session);
        gated.open();
        return gated;
    }

    private static Database started(DatabaseFile file, Session session, Options options, Start start) {
        FileClock clock = start.clock();
        Hints hints = new Hints(file);
        WriteLock lock = new WriteLock(file, options.lockLimit(), clock, hints);
        Writer.Parts parts =
                new Writer.Parts(clock, hints, lock, open -> start.schema().check(open, file), start.gated());
        Writer writer = new Writer(file, session, options.lockLimit(), parts);
        return new Database(file, clock, hints, lock, writer, new Readers(file, options.readers()));
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** Runs a step again while another program creates the tables, or turns the log on. */
    private static void whileBusy(Duration limit, Step step) throws SQLException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                step.run();
                return;
            } catch (SQLException e) {
                if (!ErrorTranslator.isBusy(e) || System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(BUSY_PAUSE);
            }
        }
    }

    /** Throws if the store was closed, for calls that need none of its threads. */
    public void requireOpen() {
        writer.requireOpen();
    }

    @Override
    public void close() {
        writer.close();
        readers.close();
        hints.close();
    }
}
