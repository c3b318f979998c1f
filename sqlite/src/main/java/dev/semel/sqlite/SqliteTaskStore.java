package dev.semel.sqlite;

import dev.semel.sqlite.claim.Claimer;
import dev.semel.sqlite.claim.OverdueTasks;
import dev.semel.sqlite.operate.Operations;
import dev.semel.sqlite.operate.Sweeper;
import dev.semel.sqlite.read.DepthCounter;
import dev.semel.sqlite.read.EffectLookups;
import dev.semel.sqlite.read.TaskLookups;
import dev.semel.sqlite.schema.TaskSchema;
import dev.semel.sqlite.settle.HandlerTransactions;
import dev.semel.sqlite.settle.Settlements;
import dev.semel.sqlite.submit.JoinedSubmissions;
import dev.semel.sqlite.submit.Submissions;
import dev.semel.sqlite.table.FlowRows;
import dev.semel.sqlite.table.KeyRecords;
import dev.semel.sqlite.table.ScheduleRows;
import dev.semel.sqlite.transaction.Catalog;
import dev.semel.sqlite.transaction.Database;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.sqlite.transaction.Writer;
import dev.semel.store.Attempt;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.DueSchedules;
import dev.semel.store.DuplicateCounts;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.History;
import dev.semel.store.Joining;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSetUp;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StepPages;
import dev.semel.store.StoreListener;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Swept;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.ScheduleId;
import dev.semel.task.TaskId;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tasks in one SQLite file: durable, embedded, shared by any number of threads and by several processes on one machine.
 *
 * <p>The file may be the user's own database: all tables begin with {@code semel_}. It is set to SQLite's write-ahead log.
 * Every commit is on disk before it is answered ({@code synchronous = FULL}).
 */
public final class SqliteTaskStore implements TaskStore {

    // Tasks whose time limit has passed that one transaction of a sweep ends: some tens of milliseconds.
    private static final int MOST_OVERDUE = 500;

    private final Database database;
    private final JoinedSubmissions joining;
    private final HandlerTransactions transacting;
    private final Claimer claims = new Claimer();
    private final Sweeper sweeps = new Sweeper();
    private final DuplicateCounts duplicates = new DuplicateCounts(System::nanoTime, this::count);
    private final Single single = new Single();

    SqliteTaskStore(Database database, SqliteSettings settings) {
        this.database = database;
        this.joining =
                new JoinedSubmissions(database.file(), settings.joinedLimit(), database.clock(), database.hints());
        this.transacting = new HandlerTransactions(database, settings.foreignKeys());
    }

    /**
     * Opens a store with the standard settings; creates the file and its tables if they are not there.
     *
     * @param file the database file
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to fix
     */
    public static SqliteTaskStore open(Path file) {
        return open(file, SqliteSettings.standard());
    }

    /**
     * Opens a store; creates its tables if they are not there.
     *
     * @param file the database file
     * @param settings how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the file cannot be used; the message says what to fix
     */
    public static SqliteTaskStore open(Path file, SqliteSettings settings) {
        return new SqliteTaskStore(
                Database.open(file, Limits.notNull("settings", settings).options(), new TaskSchema()), settings);
    }

    /**
     * Returns the database file.
     *
     * @return its absolute path
     */
    public Path file() {
        return database.file().path();
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        return SubmitRequest.inOrder(checked(batch), this::submitTasks, single);
    }

    private List<Submitted> submitTasks(List<NewTask> batch) {
        List<Submitted> answers = database.writer().ask(batch.size(), tx -> new Submissions(tx).submit(batch));
        duplicates.count(batch, answers);
        duplicates.writeIfDue();
        return answers;
    }

    private final class Single implements SubmitRequest.Single {

        @Override
        public Operated cancel(TaskId id) {
            return operate(List.of(new Operation.Cancel(id))).getFirst();
        }

        @Override
        public Submitted.Signalled signal(SubmitRequest.Signal signal) {
            return database.writer().ask(1, tx -> FlowRows.signal(tx, signal));
        }

        @Override
        public Submitted start(SubmitRequest.SignalWithStart start) {
            List<NewTask> task = List.of(start.task());
            Submitted answer = database.writer().ask(1, tx -> started(tx, start));
            duplicates.count(task, List.of(answer));
            return answer;
        }

        private static Submitted started(Transaction tx, SubmitRequest.SignalWithStart start) throws SQLException {
            Submitted answer = new Submissions(tx).submit(List.of(start.task())).getFirst();
            Optional<SubmitRequest.Signal> signal = start.signal(answer);
            return signal.isPresent() && FlowRows.signal(tx, signal.get()) == Submitted.Signalled.FULL
                    ? Submitted.Signalled.FULL
                    : answer;
        }
    }

    private void count(List<DuplicateCounts.Count> counts) {
        int unused = database.writer().ask(counts.size(), tx -> KeyRecords.count(tx, counts));
    }

    private static <T> List<T> checked(List<? extends T> batch) {
        if (batch.size() > MAX_BATCH) {
            throw new InvalidInput("A batch has at most " + MAX_BATCH + " submissions, but got " + batch.size()
                    + ". Send it in parts.");
        }
        return List.copyOf(batch);
    }

    @Override
    public Claims claim(ClaimRequest request) {
        duplicates.writeIfDue();
        return database.writer().ask(request.limit(), tx -> claims.claim(tx, tx.again() ? request.again() : request));
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        List<Settlement> items = List.copyOf(batch);
        if (items.isEmpty()) {
            return List.of();
        }
        boolean heartbeat = items.stream().allMatch(item -> item instanceof Settlement.Extend);
        return heartbeat
                ? database.writer().heartbeat(items.size(), tx -> new Settlements(tx).settle(items))
                : database.writer().ask(items.size(), tx -> new Settlements(tx).settle(items));
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operation> items = List.copyOf(batch);
        return items.isEmpty()
                ? List.of()
                : database.writer().ask(items.size(), tx -> new Operations(tx).operate(items));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return database.readers().ask(catalog -> new TaskLookups(catalog).find(wanted));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return database.readers().ask(catalog -> new TaskLookups(catalog).attempts(wanted));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        List<TaskId> wanted = List.copyOf(lineages);
        return database.readers().ask(catalog -> new EffectLookups(catalog.session(), now(catalog)).of(wanted));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return database.readers()
                .ask(catalog -> new EffectLookups(catalog.session(), now(catalog)).list(query, catalog.names()));
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        List<History.Query> wanted = List.copyOf(queries);
        return database.readers().ask(catalog -> FlowRows.read(catalog.session(), wanted, now(catalog)));
    }

    @Override
    public Page list(TaskQuery query) {
        if (query.parent() != null) {
            return StepPages.list(this, query);
        }
        return database.readers().ask(catalog -> new TaskLookups(catalog).list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        List<Identity> wanted = List.copyOf(identities);
        duplicates.write();
        return database.readers().ask(catalog -> new TaskLookups(catalog).records(wanted, now(catalog)));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return database.readers().ask(catalog -> {
            catalog.queues().refresh();
            return catalog.queues().all();
        });
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return database.readers().ask(catalog -> new DepthCounter(catalog, now(catalog), tenant).count());
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        return database.readers().ask(catalog -> ScheduleRows.due(catalog.session(), limit, now(catalog)));
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        List<ScheduleId> wanted = List.copyOf(ids);
        return database.readers().ask(catalog -> ScheduleRows.find(catalog.session(), wanted));
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        return database.readers().ask(catalog -> ScheduleRows.list(catalog.session(), query));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        duplicates.write();
        while (database.writer().ask(1, tx -> OverdueTasks.endAll(tx, MOST_OVERDUE)) == MOST_OVERDUE) {
            // There may be more.
        }
        database.writer().ask(1, tx -> OverdueTasks.endAllVanished(tx, request.vanishedLimit()));
        if (request.removesNothing()) {
            return Swept.NOTHING;
        }
        Sweeper.Old old = database.readers().ask(catalog -> sweeps.walk(catalog, request, now(catalog)));
        return database.writer().ask(request.limit(), tx -> sweeps.remove(tx, old));
    }

    @Override
    public Registration listen(StoreListener listener) {
        return database.hints().listen(listener);
    }

    @Override
    public Optional<Joining> joining() {
        return Optional.of(connection -> {
            database.requireOpen();
            Joining.Joined joined = joining.with(connection);
            return batch -> {
                database.requireOpen();
                List<Submitted> answers = joined.submit(checked(batch));
                duplicates.count(batch, answers);
                return answers;
            };
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>From the beginning of the work to its end no other connection can write to the file: keep it short. It waits for the
     * lock as long as any other operation, {@link SqliteSettings#lockLimit}. The lease is read before the work begins, and
     * holds then until the end. A store that is closed meanwhile rolls back.
     */
    @Override
    public Optional<Transacting> transacting() {
        return Optional.of(transacting::complete);
    }

    @Override
    public void close() {
        transacting.close();
        duplicates.write();
        database.close();
    }

    private long now(Catalog catalog) throws SQLException {
        return database.clock().read(catalog.session());
    }

    /** For tests that wait for the writer, or make it fail. */
    Writer writer() {
        return database.writer();
    }
}
