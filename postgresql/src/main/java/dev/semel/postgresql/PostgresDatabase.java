package dev.semel.postgresql;

import dev.semel.postgresql.PostgresNames.Lane;
import dev.semel.store.NewTask;
import dev.semel.store.StoreNews;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to the database: transactions that are run again where that is what a failure asks for, and single reads. */
final class PostgresDatabase {

    // A transaction is run again for each pair of names that it is the first to meet. A batch has fewer items.
    private static final int MOST_NEW_NAMES = 10_000;

    // Locks of Semel's own are held for the length of a transaction; only callers' own transactions stay open longer.
    private static final long OWN_LOCKS_MILLIS = 10_000;

    // To break a connection needs a little memory: for ten seconds it is tried to get that.
    private static final int MOST_BREAKS = 1_000;
    private static final long BREAK_PAUSE = 10_000_000;

    /**
     * Everything that a transaction has to know before it begins, in one answer. Plans are kept for long, and a table that was
     * empty when a plan was made would be read as a whole for ever: so plans use indexes from the beginning, and in their order,
     * because by a bitmap a claim would read and sort all that is due to take the first. One plan suits every array; left to
     * itself the server makes another for almost every execution, which takes longer than the execution.
     */
    static final String BEGIN = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, stamp,
              set_config('lock_timeout', (?::bigint)::text, true), current_setting('transaction_isolation'),
              current_setting('synchronous_commit'),
              set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
              set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
            FROM semel.change
            """;

    private static final String DURABLE = "SET LOCAL synchronous_commit = on";

    // For this transaction alone.
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** What is done in one transaction. */
    interface Operation<T> {
        T run(PostgresTransaction tx) throws SQLException;
    }

    /** What is asked in the same round trip that begins a transaction. */
    interface Opening {

        /** {@link #BEGIN} and statements behind it. */
        String sql();

        /**
         * Binds what the statements behind need, and runs all of them.
         *
         * @param start reads what {@link #BEGIN} answers
         */
        void run(PostgresStatement statement, PostgresStatement.RowReader start) throws SQLException;
    }

    private record Start(long now, long stamp, String isolation, String durability) {}

    private static Start start(ResultSet row) throws SQLException {
        return new Start(row.getLong(1), row.getLong(2), row.getString(4), row.getString(5));
    }

    /** What is read in one state, without a transaction of its own. */
    interface Look<T> {
        T look(PostgresSession session) throws SQLException;
    }

    private final PostgresConnections connections;
    private final String shown;
    private final PostgresSettings settings;
    private final PostgresPatience patience;
    private final PostgresSession.Texts texts;
    private final PostgresNames names = new PostgresNames();
    private final Consumer<StoreNews> told;
    private volatile PostgresQueues queues = PostgresQueues.UNREAD;

    // The stamp under which the schema was last seen to be one that this program can work on.
    private volatile long checkedStamp;

    PostgresDatabase(
            PostgresConnections connections,
            String shown,
            PostgresSettings settings,
            PostgresPatience patience,
            long checkedStamp,
            Consumer<StoreNews> told) {
        this.checkedStamp = checkedStamp;
        this.connections = connections;
        this.shown = shown;
        this.settings = settings;
        this.patience = patience;
        this.told = told;
        this.texts = new PostgresSession.Texts(settings.schema());
    }

    PostgresNames names() {
        return names;
    }

    @Nullable
    InstantSource clock() {
        return settings.clock();
    }

    /** The test's clock for a statement, or null to let it ask the database's. */
    @Nullable
    Long clockMillis() {
        InstantSource clock = settings.clock();
        return clock == null ? null : (Long) clock.millis();
    }

    PostgresSettings settings() {
        return settings;
    }

    String shown() {
        return shown;
    }

    PostgresSession session(Connection connection) {
        return new PostgresSession(connection, texts, true);
    }

    SemelException translated(SQLException e) {
        return connections.translated(e);
    }

    /** Translates an error in a transaction of a caller's. */
    SemelException translatedWhileJoined(SQLException e) {
        return connections.translatedWhileJoined(e);
    }

    /** A connection for a transaction that somebody else ends. */
    Connection connection() throws SQLException {
        return connections.get();
    }

    /** Notes that the store is closed. */
    void close() {
        connections.close();
    }

    /** Checks a connection that is not the store's before its first use. */
    void check(Connection connection) throws SQLException {
        connections.check(connection);
    }

    /** Gives a connection time for statements that are not the store's. */
    PostgresPatience.Restored thoroughly(Connection connection) throws SQLException {
        return patience.thoroughly(connection, 0);
    }

    /** Begins the store's own part of a transaction that is open already. */
    PostgresTransaction beginHere(Connection connection) throws SQLException {
        return begin(connection, OWN_LOCKS_MILLIS, null, false);
    }

    /** The same with something that is asked at the beginning. */
    PostgresTransaction beginHere(Connection connection, Opening opening) throws SQLException {
        return begin(connection, OWN_LOCKS_MILLIS, opening, false);
    }

    /** Tells what a transaction brought about that has committed. */
    void tell(StoreNews news) {
        told.accept(news);
    }

    /**
     * Runs a transaction, again if it lost a race ({@link PostgresBackoff}), and tells what it brought about. The connection goes
     * back to its pool before each pause.
     */
    <T> T write(Operation<T> operation) {
        return write(OWN_LOCKS_MILLIS, operation);
    }

    /** The same with something that is asked at the beginning. */
    <T> T write(Opening opening, Operation<T> operation) {
        try {
            return writeOrThrow(OWN_LOCKS_MILLIS, patience::with, opening, operation);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** The same with a limit for waiting for locks. */
    <T> T write(long lockMillis, Operation<T> operation) {
        try {
            return writeOrThrow(lockMillis, operation);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    <T> T writeOrThrow(long lockMillis, Operation<T> operation) throws SQLException {
        return writeOrThrow(lockMillis, patience::with, null, operation);
    }

    <T> T writeOrThrow(long lockMillis, Opening opening, Operation<T> operation) throws SQLException {
        return writeOrThrow(lockMillis, patience::with, opening, operation);
    }

    /** Runs a transaction that may have much to read. */
    <T> T writeThoroughly(Operation<T> operation) {
        try {
            return writeOrThrow(OWN_LOCKS_MILLIS, patience::thoroughly, null, operation);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Says how long answers may take. */
    private interface Limit {
        PostgresPatience.Restored of(Connection connection, long lockMillis) throws SQLException;
    }

    private <T> T writeOrThrow(long lockMillis, Limit limit, @Nullable Opening opening, Operation<T> operation)
            throws SQLException {
        PostgresBackoff backoff = new PostgresBackoff();
        for (int newNames = 0; ; ) {
            try {
                return once(lockMillis, limit, opening, operation);
            } catch (Unnamed e) {
                if (++newNames > MOST_NEW_NAMES) {
                    throw new StoreUnavailable(
                            PostgresFailures.storeAt(shown) + " was given " + MOST_NEW_NAMES
                                    + " new queues, tenants or types in one call, or forgets those that it was given."
                                    + " Try again.",
                            e);
                }
                // Made outside of the transaction, because the names would be held until its end. Each repetition
                // knows one more, so there is nothing to pause for.
                List<PostgresNumberedTask> unused = numbered(List.of(e.task));
            } catch (SQLException e) {
                if (!PostgresFailures.isWorthAnotherTry(e) || !backoff.pauseForAnotherTry()) {
                    throw e;
                }
            }
        }
    }

    /** A task that is submitted from within a transaction has names that nobody has met yet. */
    static final class Unnamed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient NewTask task;

        private Unnamed(NewTask task) {
            super("new names", null, false, false);
            this.task = task;
        }
    }

    /** The numbers of a task's names inside of a transaction, which is run again if they have to be made. */
    PostgresNumberedTask numbered(NewTask task) {
        PostgresNumberedTask known = known(task);
        if (known == null) {
            throw new Unnamed(task);
        }
        return known;
    }

    private @Nullable PostgresNumberedTask known(NewTask task) {
        Lane lane = names.known(task.tenant(), task.queue(), task.type());
        NewTask.KeyRequest request = task.key();
        if (lane == null) {
            return null;
        }
        if (request == null) {
            return new PostgresNumberedTask(task, lane, null);
        }
        Integer scope = names.knownScope(request.identity());
        return scope == null
                ? null
                : new PostgresNumberedTask(
                        task,
                        lane,
                        new PostgresRecordKey(scope, request.identity().key()));
    }

    private <T> T once(long lockMillis, Limit limit, @Nullable Opening opening, Operation<T> operation)
            throws SQLException {
        T answer;
        StoreNews news;
        try (Connection connection = connections.get();
                PostgresPatience.Restored limited = limit.of(connection, lockMillis);
                PostgresAutoCommit manual = PostgresAutoCommit.off(connection)) {
            try {
                PostgresTransaction tx = begin(connection, lockMillis, opening, true);
                answer = operation.run(tx);
                connection.commit();
                news = tx.news();
            } catch (SQLException | RuntimeException e) {
                rollBack(connection, e);
                throw e;
            } catch (Error e) {
                giveUp(connection);
                throw e;
            }
        }
        told.accept(news);
        return answer;
    }

    /** Runs statements that are a transaction of their own each, and again if one lost a race. */
    <T> T single(Look<T> look) throws SQLException {
        PostgresBackoff backoff = new PostgresBackoff();
        while (true) {
            try (Connection connection = connections.get();
                    PostgresPatience.Restored limited =
                            patience.with(connection, settings.lockLimit().toMillis());
                    PostgresAutoCommit automatic = PostgresAutoCommit.on(connection)) {
                return looked(connection, session(connection), look);
            } catch (SQLException e) {
                if (!PostgresFailures.isWorthAnotherTry(e) || !backoff.pauseForAnotherTry()) {
                    throw e;
                }
            }
        }
    }

    /** Begins: the time, the queues and the limits that hold in this transaction. */
    private PostgresTransaction begin(
            Connection connection, long lockMillis, @Nullable Opening opening, boolean mayChange) throws SQLException {
        PostgresSession session = session(connection);
        List<Start> starts = new ArrayList<>();
        if (opening == null) {
            session.sql(BEGIN).with(lockMillis).results(row -> starts.add(start(row)));
        } else {
            opening.run(session.sql(opening.sql()).with(lockMillis), row -> starts.add(start(row)));
        }
        if (starts.isEmpty()) {
            throw noChangeRow();
        }
        Start start = starts.getFirst();
        if (mayChange && !start.isolation().equals("read committed")) {
            // A pool of the user's with another default. Whoever waits for a lock has to see what the holder did.
            connection.rollback();
            execute(connection, READ_COMMITTED);
            return begin(connection, lockMillis, opening, false);
        }
        if (start.durability().equals("off")) {
            execute(connection, DURABLE);
        }
        Long clock = clockMillis();
        return new PostgresTransaction(
                this, session, clock == null ? start.now() : clock, queues(session, start.stamp()));
    }

    /** The settings of queues in the state with this stamp. */
    PostgresQueues queues(PostgresSession session, long stamp) throws SQLException {
        PostgresQueues known = queues;
        checkSchema(session, stamp);
        if (known.stamp() != stamp) {
            known = PostgresQueues.read(session);
            queues = known;
        }
        return known;
    }

    /**
     * Refuses to work on a schema that was raised while this program runs, to a version that it does not know. The stamp changes
     * with the version, so nothing is read as long as it stays the same.
     */
    void checkSchema(PostgresSession session, long stamp) throws SQLException {
        if (checkedStamp != stamp) {
            PostgresSchema.check(session, shown);
            checkedStamp = stamp;
        }
    }

    /** Checks the schema by the stamp that a statement has read. */
    void checkStamp(PostgresSession session, List<Long> stamps) throws SQLException {
        if (stamps.isEmpty()) {
            throw noChangeRow();
        }
        checkSchema(session, stamps.getFirst());
    }

    static IllegalStateException noChangeRow() {
        return new IllegalStateException("The table \"change\" has no row; restore the one that the schema makes");
    }

    /** Reads something. */
    <T> T read(Look<T> look) {
        return read(patience::with, look);
    }

    /** Reads something that may be much, or among much. */
    <T> T readThoroughly(Look<T> look) {
        return read(patience::thoroughly, look);
    }

    private <T> T read(Limit limit, Look<T> look) {
        try (Connection connection = connections.get();
                PostgresPatience.Restored limited = limit.of(connection, 0);
                PostgresAutoCommit automatic = PostgresAutoCommit.on(connection)) {
            return looked(connection, new PostgresSession(connection, texts, false), look);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    private static <T> T looked(Connection connection, PostgresSession session, Look<T> look) throws SQLException {
        try {
            return look.look(session);
        } catch (Error e) {
            giveUp(connection);
            throw e;
        }
    }

    /**
     * Breaks a connection on which an error was met, for example for want of memory, perhaps in the middle of an answer: what
     * is read of it next may belong to another statement. And a transaction that is open on it would be committed half done
     * when the connection goes back to its pool.
     */
    static void giveUp(Connection connection) {
        for (int tries = 0; tries < MOST_BREAKS; tries++) {
            try {
                connection.abort(Runnable::run);
                return;
            } catch (SQLException e) {
                return; // it is broken already
            } catch (Throwable e) {
                LockSupport.parkNanos(BREAK_PAUSE); // there is no memory for that either
            }
        }
    }

    /** Looks up the numbers of the names in a batch; those of new names are made in a transaction of their own. */
    List<PostgresNumberedTask> numbered(List<NewTask> batch) {
        List<PostgresNumberedTask> numbered = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            PostgresNumberedTask known = known(task);
            if (known == null) {
                return read(session -> numberedAnew(session, batch));
            }
            numbered.add(known);
        }
        return numbered;
    }

    private List<PostgresNumberedTask> numberedAnew(PostgresSession session, List<NewTask> batch) throws SQLException {
        List<PostgresNumberedTask> numbered = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            NewTask.KeyRequest request = task.key();
            Lane lane = names.lane(session, task.tenant(), task.queue(), task.type());
            PostgresRecordKey key = request == null
                    ? null
                    : new PostgresRecordKey(
                            names.scope(session, request.identity()),
                            request.identity().key());
            numbered.add(new PostgresNumberedTask(task, lane, key));
        }
        return numbered;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void rollBack(Connection connection, Exception because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }
}
