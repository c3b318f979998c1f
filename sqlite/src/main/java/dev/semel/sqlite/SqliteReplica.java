package dev.semel.sqlite;

import dev.semel.sqlite.capture.Gate;
import dev.semel.sqlite.schema.TaskSchema;
import dev.semel.sqlite.transaction.Database;
import dev.semel.sqlite.transaction.Readers;
import dev.semel.sqlite.transaction.Work;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import java.nio.file.Path;

/**
 * A SQLite file that is one process's copy of tasks whose truth is elsewhere. For authors of stores: operations run on the
 * copy, and a gate publishes what they changed before they are committed and answered.
 *
 * <p>The file belongs to this process alone. Its commits do not wait for the disk, so after an unclean stop it must be
 * built again.
 */
public final class SqliteReplica implements AutoCloseable {

    private final Database database;
    private final TaskStore store;
    private final Gate gate;

    private SqliteReplica(Database database, SqliteSettings settings, Gate gate) {
        this.database = database;
        this.store = new ReplicaTaskStore(new SqliteTaskStore(database, settings), this::refresh);
        this.gate = gate;
    }

    /**
     * Opens a copy; creates the file if it is not there, and lets the gate bring it up to date.
     *
     * @param file the database file
     * @param settings how the store behaves
     * @param gate what admits each transaction; closed with the copy
     * @return the copy
     */
    public static SqliteReplica open(Path file, SqliteSettings settings, Gate gate) {
        Database database = Database.open(
                file, Limits.notNull("settings", settings).options(), new TaskSchema(), Limits.notNull("gate", gate));
        return new SqliteReplica(database, settings, gate);
    }

    /**
     * Returns the store on the copy. Each of its reads begins with a {@link #refresh}. It can neither join a transaction nor
     * complete a task in one of its handler's.
     *
     * @return the store
     */
    public TaskStore store() {
        return store;
    }

    /** Waits until the copy has everything that was published before this call. */
    public void refresh() {
        boolean unused = database.writer().ask(1, tx -> true);
    }

    /**
     * Reads the copy in one transaction.
     *
     * @param work what reads
     * @param <T> what it returns
     * @return its result
     */
    public <T> T read(Readers.Work<T> work) {
        return database.readers().ask(work);
    }

    /** Executes an operation; for tests that make one fail. */
    <T> T operate(Work<T> work) {
        return database.writer().ask(1, work);
    }

    /** Executes what waits, and closes the store and its gate. */
    @Override
    public void close() {
        try {
            store.close();
        } catch (RuntimeException e) {
            // What it still had to write could not be published.
            database.close();
            throw e;
        } finally {
            gate.close();
        }
    }
}
