package dev.semel.postgresql;

import com.zaxxer.hikari.HikariConfig;
import dev.semel.postgresql.claim.Claimer;
import dev.semel.postgresql.claim.OverdueTasks;
import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.connection.Connections;
import dev.semel.postgresql.connection.OwnPool;
import dev.semel.postgresql.hint.HintChannel;
import dev.semel.postgresql.hint.Hints;
import dev.semel.postgresql.operate.Operations;
import dev.semel.postgresql.operate.Sweeper;
import dev.semel.postgresql.read.DepthCounter;
import dev.semel.postgresql.read.TaskLookups;
import dev.semel.postgresql.schema.TaskSchema;
import dev.semel.postgresql.settle.HandlerTransactions;
import dev.semel.postgresql.settle.SettlementBatch;
import dev.semel.postgresql.settle.WorkflowAdvancer;
import dev.semel.postgresql.sql.AutoCommit;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.submit.JoinedSubmissions;
import dev.semel.postgresql.submit.Submitter;
import dev.semel.postgresql.table.EffectRows;
import dev.semel.postgresql.table.HistoryRows;
import dev.semel.postgresql.table.InboxRows;
import dev.semel.postgresql.table.ScheduleRows;
import dev.semel.postgresql.transaction.BatchHalver;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.NumberedTask;
import dev.semel.postgresql.transaction.QueueSettingsSnapshot;
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
import dev.semel.store.StoreNews;
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
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks in PostgreSQL, version 14 or newer: durable, shared by any number of threads, processes and machines.
 *
 * <p>The tables lie in a schema of their own, {@code semel} unless it is set otherwise, and may share a database with the
 * user's. The clock of the database decides what is due and what has expired.
 *
 * <p>It needs the PostgreSQL driver on the class path, and HikariCP if it is opened by a URL.
 */
public final class PostgresTaskStore implements TaskStore {

    private static final Logger LOG = LoggerFactory.getLogger(PostgresTaskStore.class);

    private static final int PROBE_SECONDS = 5;

    // While the server commits one batch, it can read the next.
    private static final int CONCURRENT_SUBMISSIONS = 2;

    private static final long VALIDATION_MILLIS = 2_000;

    private final Database database;
    private final Hints hints;
    private final @Nullable HintChannel listening;
    private final Submitter submitter;
    private final SettlementBatch settlements;
    private final JoinedSubmissions joining;
    private final HandlerTransactions transacting;
    private final @Nullable AutoCloseable pool;
    private final Claimer claims;
    private final DuplicateCounts duplicates = new DuplicateCounts(System::nanoTime, this::count);
    private final Single single = new Single();

    private PostgresTaskStore(
            DataSource source,
            @Nullable DataSource hintSource,
            String shown,
            PostgresSettings settings,
            @Nullable AutoCloseable pool)
            throws SQLException {
        this.pool = pool;
        AnswerLimit answerLimit = pool == null
                ? AnswerLimit.withGivenConnections(settings.answerLimit())
                : AnswerLimit.withOwnConnections(settings.answerLimit());
        Connections connections = new Connections(source, ErrorTranslator.storeAt(shown), answerLimit);
        long stamp;
        String place;
        try (Connection connection = connections.get();
                AnswerLimit.Restored limited = answerLimit.thoroughly(connection, 0);
                AutoCommit automatic = AutoCommit.on(connection)) {
            connections.checkServer(connection);
            TaskSchema.migrate(connection, shown, settings.schema(), settings.migration());
            stamp = TaskSchema.stamp(connection, settings.schema());
            place = TaskSchema.place(connection, settings.schema());
            connections.servers().note(connection);
        }
        this.listening =
                hintSource == null ? null : new HintChannel(hintSource, connections, settings.schema(), answerLimit);
        this.hints = new Hints(listening == null ? null : listening::send);
        this.database = new Database(connections, shown, settings.forOperations(), answerLimit, stamp, hints::tell);
        this.submitter = new Submitter(database);
        this.settlements = new SettlementBatch(database, new WorkflowAdvancer(database, duplicates::count));
        this.joining = new JoinedSubmissions(database, place);
        this.transacting = new HandlerTransactions(database);
        this.claims = new Claimer(settings.sharedFrom());
        if (listening != null) {
            listening.start(hints::heard);
        }
    }

    /**
     * Opens a store with the standard settings, on a pool of its own; makes its tables if they are not there.
     *
     * @param url where the database is: {@code postgresql://user:password@host:5432/database}, with {@code jdbc:} before it
     *     or without, and with {@code ?schema=jobs} if the tables are not in the schema {@code semel}
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to fix
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(String url) {
        return open(url, PostgresSettings.standard());
    }

    /**
     * Checks the form of a URL without opening anything.
     *
     * @param url where the database is
     * @throws InvalidInput if it has another form
     */
    public static void check(String url) {
        PostgresUrl unused = PostgresUrl.parse(url);
    }

    /**
     * Opens a store on a pool of its own.
     *
     * @param url where the database is; a schema that it names overrides that of the settings
     * @param given how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to fix
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(String url, PostgresSettings given) {
        PostgresUrl parsed = PostgresUrl.parse(url);
        PostgresSettings settings = parsed.applied(Limits.notNull("settings", given));
        HikariConfig config = emptyConfig();
        refused(parsed);
        config.setPoolName("semel");
        config.setMaximumPoolSize(settings.connections());
        // Several dead connections are detected within that time, so that a call can still get a live one.
        config.setValidationTimeout(VALIDATION_MILLIS);
        // Semel's own failures say more than the pool's.
        config.setInitializationFailTimeout(-1);
        OwnPool pool = OwnPool.of(config, parsed.pooled(AnswerLimit.seconds(settings.answerLimit())));
        try {
            // The connection that listens stays open, so it does not come from the pool.
            return open(
                    pool,
                    settings.listen() ? parsed.single(AnswerLimit.seconds(settings.answerLimit())) : null,
                    parsed.shown(),
                    settings,
                    pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private static HikariConfig emptyConfig() {
        try {
            return new HikariConfig();
        } catch (NoClassDefFoundError e) {
            throw new StoreUnusable(
                    "A PostgreSQL store that is opened by a URL needs HikariCP for its pool, which is not on the class path."
                            + " Add the dependency \"com.zaxxer:HikariCP\", or open the store on a DataSource of your own.",
                    e);
        }
    }

    /** Reports a rejected user at once and with the reason: a pool would retry, and then report only that it has waited. */
    private static void refused(PostgresUrl url) {
        try (Connection connection = url.single(PROBE_SECONDS).getConnection()) {
            connection.clearWarnings();
        } catch (SQLException e) {
            SemelException translated = ErrorTranslator.translated(ErrorTranslator.storeAt(url.shown()), e);
            if (translated instanceof StoreUnusable || ErrorTranslator.isNoServer(e)) {
                throw translated;
            }
            // A server that does not answer may be busy starting: the pool waits for it, though not for long.
        }
    }

    /**
     * Opens a store on a data source of the user's, with the standard settings; makes its tables if they are not there. It
     * keeps one connection for itself, to hear hints of other processes: a pool needs two at the least.
     *
     * @param source where connections come from: a pool. The store does not close it
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to fix
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(DataSource source) {
        return open(source, PostgresSettings.standard());
    }

    /**
     * Opens a store on a data source of the user's. Unless the settings say otherwise it keeps one connection for itself, to
     * hear hints of other processes: then a pool needs two at the least.
     *
     * @param source where connections come from: a pool. The store does not close it
     * @param settings how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to fix
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(DataSource source, PostgresSettings settings) {
        Limits.notNull("data source", source);
        Limits.notNull("settings", settings);
        return open(source, settings.listen() ? source : null, "of the given data source", settings, null);
    }

    private static PostgresTaskStore open(
            DataSource source,
            @Nullable DataSource hintSource,
            String shown,
            PostgresSettings settings,
            @Nullable AutoCloseable pool) {
        try {
            return new PostgresTaskStore(source, hintSource, shown, settings, pool);
        } catch (SQLException e) {
            throw ErrorTranslator.translated(ErrorTranslator.storeAt(shown), e);
        }
    }

    @Override
    public List<Submitted> submit(List<? extends SubmitRequest> batch) {
        return SubmitRequest.inOrder(checked(batch), this::submitTasks, single);
    }

    private List<Submitted> submitTasks(List<NewTask> items) {
        List<Submitted> answers = submitter.submit(items);
        duplicates.count(items, answers);
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
            return database.write(tx -> InboxRows.signal(tx, signal));
        }

        @Override
        public Submitted start(SubmitRequest.SignalWithStart start) {
            Submitted answer = submitter.start(start);
            duplicates.count(List.of(start.task()), List.of(answer));
            return answer;
        }
    }

    private void count(List<DuplicateCounts.Count> counts) {
        database.write(tx -> {
            new Operations(tx).count(counts);
            return counts.size();
        });
    }

    @Override
    public int concurrentSubmissions() {
        return CONCURRENT_SUBMISSIONS;
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
        return claims.claim(database, request);
    }

    @Override
    public List<Settled> settle(List<? extends Settlement> batch) {
        return settlements.settle(List.copyOf(batch));
    }

    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operation> operations = List.copyOf(batch);
        // All new names together, before the transaction that needs them.
        List<NumberedTask> unused = database.numbered(ScheduleRows.tasks(operations));
        return BatchHalver.run(
                database,
                Operations.together(operations),
                part -> database.writeOrThrow(tx -> new Operations(tx).operate(part)));
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return wanted.isEmpty()
                ? Map.of()
                : database.read(session -> new TaskLookups(session, database.names()).find(wanted));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return database.read(session -> new TaskLookups(session, database.names()).attempts(wanted));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        List<TaskId> wanted = List.copyOf(lineages);
        return wanted.isEmpty()
                ? Map.of()
                : database.read(session -> EffectRows.of(session, wanted, database.clockMillis()));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return database.readThoroughly(session -> EffectRows.list(session, query, database.clockMillis()));
    }

    @Override
    public Map<TaskId, History> histories(Collection<History.Query> queries) {
        List<History.Query> wanted = List.copyOf(queries);
        return database.readThoroughly(session -> HistoryRows.read(session, wanted, database.clockMillis()));
    }

    @Override
    public Page list(TaskQuery query) {
        if (query.parent() != null) {
            return StepPages.list(this, query);
        }
        if (query.tag() != null) {
            // In a transaction, whose settings make the server walk the index: without statistics it would sort all
            // tasks of a tag.
            return database.writeThoroughly(tx -> new TaskLookups(tx.session(), database.names()).list(query));
        }
        return database.readThoroughly(session -> new TaskLookups(session, database.names()).list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        List<Identity> wanted = List.copyOf(identities);
        duplicates.write();
        return database.read(
                session -> new TaskLookups(session, database.names()).records(wanted, database.clockMillis()));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return database.read(session -> QueueSettingsSnapshot.read(session).all());
    }

    @Override
    public Map<String, QueueDepth> depths(@Nullable String tenant) {
        return database.readThoroughly(session -> DepthCounter.count(session, tenant, database.clockMillis()));
    }

    @Override
    public DueSchedules dueSchedules(int limit) {
        return database.read(session -> ScheduleRows.due(session, limit, database.clockMillis()));
    }

    @Override
    public Map<ScheduleId, ScheduleRecord> schedules(Collection<ScheduleId> ids) {
        List<ScheduleId> wanted = List.copyOf(ids);
        return database.read(session -> ScheduleRows.find(session, wanted));
    }

    @Override
    public List<ScheduleRecord> schedules(ScheduleQuery query) {
        return database.read(session -> ScheduleRows.list(session, query));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        duplicates.write();
        OverdueTasks.endAll(database);
        return database.writeThoroughly(tx -> Sweeper.sweep(tx, request));
    }

    @Override
    public Registration listen(StoreListener listener) {
        return hints.listen(listener);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The commit of a caller's transaction is not visible to the store, so it wakes no worker: workers find the task when
     * they poll, at least every second or so, unless the caller reports its commit ({@link Joining.Joined#committed}). With
     * {@link PostgresSettings#withJoinedHints} the transaction itself notifies them.
     */
    @Override
    public Optional<Joining> joining() {
        return Optional.of(connection -> new CountingJoined(joining.with(connection)));
    }

    /** A caller's transaction whose duplicates are counted, and whose new tasks are announced after the commit. */
    private final class CountingJoined implements Joining.Joined {

        private final Joining.Joined joined;
        private StoreNews news = new StoreNews();

        CountingJoined(Joining.Joined joined) {
            this.joined = joined;
        }

        @Override
        public synchronized List<Submitted> submit(List<NewTask> batch) {
            List<Submitted> answers = joined.submit(checked(batch));
            duplicates.count(batch, answers);
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) instanceof Submitted.Created) {
                    news.due(batch.get(i).queue());
                }
            }
            return answers;
        }

        @Override
        public synchronized void committed() {
            hints.tell(news);
            news = new StoreNews();
        }
    }

    @Override
    public Optional<Transacting> transacting() {
        return Optional.of(transacting::complete);
    }

    @Override
    public void close() {
        duplicates.write();
        if (listening != null) {
            listening.close();
        }
        hints.close();
        if (pool != null) {
            try {
                pool.close();
            } catch (Exception e) {
                LOG.debug("The pool of the PostgreSQL store {} did not close", shown(), e);
            }
        }
        database.close();
    }

    private String shown() {
        return Limits.shown(database.shown());
    }
}
