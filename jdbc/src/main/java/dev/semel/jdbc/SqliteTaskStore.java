package dev.semel.jdbc;

import dev.semel.store.Applied;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.JoiningStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.Submitting;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.TransactingStore;
import dev.semel.store.Transition;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Tasks in one SQLite file: durable, embedded, shared by any number of threads and by several processes on one machine.
 *
 * <p>The file may be the user's own database: all tables begin with {@code semel_}. It is set to SQLite's write-ahead log.
 * Every commit is on disk before it is answered ({@code synchronous = FULL}).
 */
public final class SqliteTaskStore implements TaskStore, JoiningStore, TransactingStore {

    private final SqliteFile file;
    private final SqliteClock clock;
    private final SqliteWriter writer;
    private final SqliteReaders readers;
    private final SqliteHints hints;
    private final SqliteJoining joining;
    private final SqliteTransacting transacting;
    private final SqliteClaims claims = new SqliteClaims();
    private final SqliteSweeps sweeps = new SqliteSweeps();

    private SqliteTaskStore(SqliteFile file, SqliteSession session, SqliteSettings settings) {
        this.file = file;
        this.clock = new SqliteClock(file.path(), settings);
        this.hints = new SqliteHints(file);
        SqliteLock lock = new SqliteLock(file, settings, clock, hints);
        this.writer = new SqliteWriter(
                file,
                session,
                settings,
                new SqliteWriter.Parts(clock, hints, lock, open -> SqliteSchema.check(open, file.path())));
        this.readers = new SqliteReaders(file, settings.readers());
        this.joining = new SqliteJoining(file, settings, clock, hints);
        this.transacting = new SqliteTransacting(file, settings, clock, hints, lock);
    }

    /**
     * Opens a store with the standard settings; makes the file and its tables if they are not there.
     *
     * @param file the database file
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to mend
     */
    public static SqliteTaskStore open(Path file) {
        return open(file, SqliteSettings.standard());
    }

    /**
     * Opens a store; makes its tables if they are not there.
     *
     * @param file the database file
     * @param settings how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to mend
     */
    public static SqliteTaskStore open(Path file, SqliteSettings settings) {
        SqliteFile database = SqliteFile.at(file, settings.create());
        try {
            SqliteSession session = database.openWriter(settings.create());
            try {
                SqliteSchema.patiently(settings.lockLimit(), () -> SqliteLoss.check(session, database));
                SqliteSchema.migrate(session, database.path(), settings.clock().millis(), settings.lockLimit());
                return new SqliteTaskStore(database, session, settings);
            } catch (SQLException | RuntimeException e) {
                session.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteErrors.translated(database.path(), e);
        }
    }

    /**
     * The database file.
     *
     * @return its absolute path
     */
    public Path file() {
        return file.path();
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        List<NewTask> items = checked(batch);
        return items.isEmpty()
                ? List.of()
                : writer.ask(items.size(), false, (tx, session) -> new SqliteSubmissions(tx, session).submit(items));
    }

    static List<NewTask> checked(List<NewTask> batch) {
        if (batch.size() > MAX_BATCH) {
            throw new InvalidInput("A batch has at most " + MAX_BATCH + " submissions, but got " + batch.size()
                    + ". Send it in parts.");
        }
        return List.copyOf(batch);
    }

    @Override
    public Claims claim(ClaimRequest request) {
        return writer.ask(
                request.limit(), false, (tx, session) -> claims.claim(tx, tx.again() ? request.again() : request));
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        List<Transition> moves = List.copyOf(batch);
        if (moves.isEmpty()) {
            return List.of();
        }
        boolean heartbeat = moves.stream().allMatch(move -> move instanceof Transition.Extend);
        return writer.ask(moves.size(), heartbeat, (tx, session) -> new SqliteMoves(tx, session).apply(moves));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return readers.ask((session, names) -> new SqliteLookups(session, names).find(wanted));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return readers.ask((session, names) -> new SqliteLookups(session, names).attempts(wanted));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        List<TaskId> wanted = List.copyOf(lineages);
        return readers.ask((session, names) -> new SqliteEffectLookups(session, clock.read(session)).of(wanted));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return readers.ask((session, names) -> new SqliteEffectLookups(session, clock.read(session)).list(query));
    }

    @Override
    public Page list(TaskQuery query) {
        return readers.ask((session, names) -> new SqliteLookups(session, names).list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        List<Identity> wanted = List.copyOf(identities);
        return readers.ask((session, names) -> new SqliteLookups(session, names).records(wanted, clock.read(session)));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return readers.ask((session, names) -> {
            session.queues().refresh();
            return session.queues().all();
        });
    }

    @Override
    public Map<String, QueueDepth> depths() {
        return readers.ask((session, names) -> new SqliteDepths(session, names, clock.read(session)).count());
    }

    @Override
    public Swept sweep(SweepRequest request) {
        writer.ask(1, false, (tx, session) -> SqliteTasks.endAllVanished(tx, request.limit()));
        SqliteSweeps.Old old =
                readers.ask((session, names) -> sweeps.walk(session, names, request, clock.read(session)));
        return writer.ask(request.limit(), false, (tx, session) -> sweeps.remove(tx, session, old));
    }

    @Override
    public Registration listen(StoreListener listener) {
        return hints.listen(listener);
    }

    @Override
    public Submitting joining(Connection connection) {
        return joining.with(connection);
    }

    /**
     * {@inheritDoc}
     *
     * <p>From the beginning of the work to its end nobody else writes to the file: keep it short. It waits for that as long as
     * any other operation, {@link SqliteSettings#lockLimit}. The lease is looked at before the work begins, and holds then
     * until the end. A store that is closed meanwhile rolls back.
     */
    @Override
    public Applied complete(Lease lease, Work work) throws Exception {
        return transacting.complete(lease, work);
    }

    @Override
    public void close() {
        transacting.close();
        writer.close();
        readers.close();
        hints.close();
    }

    /** For tests of what a full disk does. */
    SqliteWriter writer() {
        return writer;
    }
}
