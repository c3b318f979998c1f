package dev.semel.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.jdbc.PostgresDatabase.Asked;
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
import dev.semel.task.Limits;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Tasks in PostgreSQL, version 13 or newer: durable, shared by any number of threads, processes and machines.
 *
 * <p>The tables lie in a schema of their own, {@code semel} unless it is set otherwise, and may share a database with the
 * user's. The clock of the database decides what is due and what has expired.
 *
 * <p>It needs the PostgreSQL driver on the class path, and HikariCP if it is opened by a URL.
 */
public final class PostgresTaskStore implements TaskStore, JoiningStore, TransactingStore {

    private static final long CONNECT_MILLIS = 10_000;
    private static final int PROBE_SECONDS = 5;

    // While the server commits one batch, it can read the next.
    private static final int CONCURRENT_SUBMISSIONS = 2;

    private static final long VALIDATION_MILLIS = 2_000;

    private final PostgresDatabase database;
    private final PostgresHints hints;
    private final @Nullable PostgresListening listening;
    private final PostgresJoining joining;
    private final PostgresTransacting transacting;
    private final @Nullable AutoCloseable pool;
    private final PostgresClaims claims;

    private PostgresTaskStore(
            DataSource source,
            @Nullable DataSource hintSource,
            String shown,
            PostgresSettings settings,
            @Nullable AutoCloseable pool)
            throws SQLException {
        this.pool = pool;
        PostgresPatience patience = pool == null
                ? PostgresPatience.withGivenConnections(settings)
                : PostgresPatience.withOwnConnections(settings);
        PostgresConnections connections = new PostgresConnections(source, "The PostgreSQL store " + shown, patience);
        try (Connection connection = connections.get();
                PostgresPatience.Restored limited = patience.thoroughly(connection, 0);
                PostgresAutoCommit automatic = PostgresAutoCommit.on(connection)) {
            PostgresSchema.migrate(connection, shown, settings);
        }
        this.listening =
                hintSource == null ? null : new PostgresListening(hintSource, connections, settings.schema(), patience);
        this.hints = new PostgresHints(listening == null ? null : listening::send);
        this.database = new PostgresDatabase(connections, shown, settings, patience, hints::tell);
        this.joining = new PostgresJoining(database);
        this.transacting = new PostgresTransacting(database);
        this.claims = new PostgresClaims(settings.sharedFrom());
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
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to mend
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
     * @param url where the database is; a schema that it names goes before the one of the settings
     * @param given how the store behaves
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to mend
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(String url, PostgresSettings given) {
        PostgresUrl parsed = PostgresUrl.parse(url);
        PostgresSettings settings = parsed.applied(given);
        refused(parsed);
        HikariConfig config = new HikariConfig();
        config.setPoolName("semel");
        config.setJdbcUrl(parsed.jdbc());
        if (parsed.user() != null) {
            config.setUsername(parsed.user());
        }
        if (parsed.password() != null) {
            config.setPassword(parsed.password());
        }
        config.setMaximumPoolSize(settings.connections());
        // Whoever cannot connect is told so while somebody is still looking.
        config.setConnectionTimeout(CONNECT_MILLIS);
        // Several dead connections are found out within that time, so that a call can still get one that lives.
        config.setValidationTimeout(VALIDATION_MILLIS);
        // For the first words with the server too; what the URL says goes before it.
        config.addDataSourceProperty("socketTimeout", Integer.toString(PostgresPatience.seconds(settings)));
        config.addDataSourceProperty("tcpKeepAlive", "true");
        // Semel's own failures say more than the pool's.
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = new HikariDataSource(config);
        try {
            // A connection that listens does so for ever: it is none of the pool's.
            return open(
                    pool,
                    settings.listen() ? parsed.single(PostgresPatience.seconds(settings)) : null,
                    parsed.shown(),
                    settings,
                    pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    /** A pool tries again and again, and then says that it has waited: whoever is refused is told at once, and why. */
    private static void refused(PostgresUrl url) {
        try (Connection connection = url.single(PROBE_SECONDS).getConnection()) {
            connection.clearWarnings();
        } catch (SQLException e) {
            SemelException translated = PostgresFailures.translated(url.shown(), e);
            if (translated instanceof StoreUnusable) {
                throw translated;
            }
            // A server that does not answer may be about to start: the pool waits for it, though not for long.
        }
    }

    /**
     * Opens a store on a data source of the user's, with the standard settings; makes its tables if they are not there. It
     * keeps one connection for itself, to hear hints of other processes: a pool needs two at the least.
     *
     * @param source where connections come from: a pool. The store does not close it
     * @return the store
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to mend
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
     * @throws dev.semel.task.StoreUnusable if the database cannot be used; the message says what to mend
     * @throws dev.semel.task.StoreUnavailable if it did not answer
     */
    public static PostgresTaskStore open(DataSource source, PostgresSettings settings) {
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
            throw PostgresFailures.translated(shown, e);
        }
    }

    @Override
    public List<Submitted> submit(List<NewTask> batch) {
        List<NewTask> items = checked(batch);
        if (items.isEmpty()) {
            return List.of();
        }
        List<Asked> asked = database.named(items);
        PostgresFindings findings = PostgresFindings.expectingOnlyNew(asked.size() >= PostgresAtOnce.MOST_ADDED
                && database.duplicates().areNone());
        List<Submitted> answers = new PostgresAtOnce(database, findings).submit(asked);
        if (answers == null) {
            answers = stepByStep(asked, findings);
            long duplicates = answers.stream()
                    .filter(answer -> !(answer instanceof Submitted.Created))
                    .count();
            database.duplicates().note(duplicates, answers.size());
        }
        return answers;
    }

    private List<Submitted> stepByStep(List<Asked> batch, PostgresFindings findings) {
        long lockMillis = database.settings().lockLimit().toMillis();
        try {
            return PostgresBatchSplitter.submit(
                    batch,
                    findings,
                    part -> database.writeOrThrow(
                            lockMillis, tx -> new PostgresSubmissions(tx, findings).submit(part)));
        } catch (SQLException e) {
            throw database.translated(e);
        }
    }

    @Override
    public int concurrentSubmissions() {
        return CONCURRENT_SUBMISSIONS;
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
        return claims.claim(database, request);
    }

    @Override
    public List<Applied> apply(List<Transition> batch) {
        List<Transition> moves = List.copyOf(batch);
        if (moves.isEmpty()) {
            return List.of();
        }
        List<Applied> answers = new ArrayList<>(moves.size());
        SQLException held = null;
        for (List<Transition> together : PostgresMoves.together(moves)) {
            SQLException one = apply(together, answers);
            held = held == null ? one : held;
        }
        if (held != null) {
            throw database.translated(held);
        }
        return answers;
    }

    /**
     * Makes moves. A task that a caller's open transaction has locked, by replacing it, holds up nobody else: the batch is
     * halved until that one is alone. Then the others are done, and the whole is to be sent again.
     */
    private @Nullable SQLException apply(List<Transition> moves, List<Applied> answers) {
        Set<TaskId> searched = new HashSet<>();
        try {
            answers.addAll(database.writeOrThrow(
                    database.settings().lockLimit().toMillis(), tx -> new PostgresMoves(tx, searched).apply(moves)));
            return null;
        } catch (SQLException e) {
            if (!PostgresFailures.isLockTimeout(e)) {
                throw database.translated(e);
            }
            if (moves.size() == 1) {
                return e;
            }
            SQLException first = apply(moves.subList(0, moves.size() / 2), answers);
            SQLException second = apply(moves.subList(moves.size() / 2, moves.size()), answers);
            return first == null ? second : first;
        }
    }

    @Override
    public Map<TaskId, Task> find(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return wanted.isEmpty()
                ? Map.of()
                : database.read(session -> new PostgresLookups(session, database.names()).find(wanted));
    }

    @Override
    public Map<TaskId, List<Attempt>> attempts(Collection<TaskId> ids) {
        List<TaskId> wanted = List.copyOf(ids);
        return database.read(session -> new PostgresLookups(session, database.names()).attempts(wanted));
    }

    @Override
    public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
        List<TaskId> wanted = List.copyOf(lineages);
        return wanted.isEmpty()
                ? Map.of()
                : database.read(session -> PostgresEffectRows.of(session, wanted, database.clockMillis()));
    }

    @Override
    public EffectPage effects(EffectQuery query) {
        return database.readThoroughly(session -> PostgresEffectRows.list(session, query, database.clockMillis()));
    }

    @Override
    public Page list(TaskQuery query) {
        return database.readThoroughly(session -> new PostgresLookups(session, database.names()).list(query));
    }

    @Override
    public Map<Identity, KeyRecord> records(Collection<Identity> identities) {
        List<Identity> wanted = List.copyOf(identities);
        return database.read(
                session -> new PostgresLookups(session, database.names()).records(wanted, database.clockMillis()));
    }

    @Override
    public Map<String, QueueSetUp> queues() {
        return database.read(session -> PostgresQueues.read(session).all());
    }

    @Override
    public Map<String, QueueDepth> depths() {
        return database.readThoroughly(session -> PostgresDepths.count(session, database.clockMillis()));
    }

    @Override
    public Swept sweep(SweepRequest request) {
        return database.writeThoroughly(tx -> PostgresSweeps.sweep(tx, request));
    }

    @Override
    public Registration listen(StoreListener listener) {
        return hints.listen(listener);
    }

    /**
     * Binds submissions to the caller's transaction.
     *
     * <p>A connection cannot tell when its transaction commits, so nobody is woken by it: workers find the task when they
     * look the next time, which they do at least every second or so. With {@link PostgresSettings#withJoinedHints} the
     * transaction tells them itself.
     */
    @Override
    public Submitting joining(Connection connection) {
        return joining.with(connection);
    }

    @Override
    public Applied complete(Lease lease, Work work) throws Exception {
        return transacting.complete(lease, work);
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
        }
        hints.close();
        if (pool != null) {
            try {
                pool.close();
            } catch (Exception e) {
                PostgresHints.LOG.debug("The pool of the PostgreSQL store {} did not close", shown(), e);
            }
        }
    }

    private String shown() {
        return Limits.shown(database.shown());
    }
}
