package dev.semel.postgresql.transaction;

import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.connection.Connections;
import dev.semel.postgresql.schema.TaskSchema;
import dev.semel.postgresql.sql.AutoCommit;
import dev.semel.postgresql.sql.Backoff;
import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.Transaction.Work;
import dev.semel.store.NewTask;
import dev.semel.store.StoreNews;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The access to the database: transactions, which are run again after a lost race, and single reads. */
public final class Database {

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
     * itself the server makes another for almost every execution, which takes longer than the execution. This statement comes
     * before that setting: without its LIMIT the server would expect many rows of a table without statistics, and would make a
     * plan for each execution too, which takes 50 µs.
     *
     * <p>The server ends a session that is idle inside of a transaction of the store's for half a minute. A process whose heap is full may be
     * unable to end its transaction or to close the connection, and lives on: without this limit nobody would get past its locks.
     */
    public static final String BEGIN = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, stamp,
              set_config('lock_timeout', (?::bigint)::text, true), current_setting('transaction_isolation'),
              current_setting('synchronous_commit'),
              CASE WHEN current_setting('idle_in_transaction_session_timeout') = '0'
                THEN set_config('idle_in_transaction_session_timeout', '30s', true) END,
              set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
              set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
              set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
            FROM (SELECT stamp FROM semel.change LIMIT 1) c
            """;

    private static final String DURABLE = "SET LOCAL synchronous_commit = on";

    // For this transaction alone.
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** What is asked in the same round trip that begins a transaction. */
    public interface Opening {

        /** {@link #BEGIN} and statements behind it. */
        String sql();

        /**
         * Binds what the statements behind need, and runs all of them.
         *
         * @param start reads what {@link #BEGIN} answers
         */
        void run(SqlStatement statement, SqlStatement.RowReader start) throws SQLException;
    }

    /** The beginning of a transaction that asks for nothing else. */
    public static final Opening PLAIN = new Opening() {
        @Override
        public String sql() {
            return BEGIN;
        }

        @Override
        public void run(SqlStatement statement, SqlStatement.RowReader start) throws SQLException {
            statement.results(start);
        }
    };

    private record Start(long now, long stamp, String isolation, String durability) {}

    private static Start start(ResultSet row) throws SQLException {
        return new Start(row.getLong(1), row.getLong(2), row.getString(4), row.getString(5));
    }

    /** What is read in one state, without a transaction of its own. */
    public interface Look<T> {
        T look(Session session) throws SQLException;
    }

    private final Connections connections;
    private final String shown;
    private final StoreSettings settings;
    private final AnswerLimit answerLimit;
    private final Session.Texts texts;
    private final Names names = new Names();
    private final Consumer<StoreNews> told;
    private volatile QueueSettingsSnapshot queues = QueueSettingsSnapshot.UNREAD;

    // The stamp under which the schema was last seen to be one that this program can work on.
    private volatile long checkedStamp;

    public Database(
            Connections connections,
            String shown,
            StoreSettings settings,
            AnswerLimit answerLimit,
            long checkedStamp,
            Consumer<StoreNews> told) {
        this.checkedStamp = checkedStamp;
        this.connections = connections;
        this.shown = shown;
        this.settings = settings;
        this.answerLimit = answerLimit;
        this.told = told;
        this.texts = new Session.Texts(settings.schema());
    }

    public Names names() {
        return names;
    }

    /** The test's clock for a statement, or null to let it ask the database's. */
    @Nullable
    public Long clockMillis() {
        return settings.clock().given();
    }

    /** How long a statement waits for a lock that a caller's own transaction may hold. */
    public long lockMillis() {
        return settings.lockLimit().toMillis();
    }

    public StoreSettings settings() {
        return settings;
    }

    public String shown() {
        return shown;
    }

    public Session session(Connection connection) {
        return new Session(connection, texts, true);
    }

    public SemelException translated(SQLException e) {
        return connections.translated(e);
    }

    /** Translates an error in a transaction of a caller's. */
    public SemelException translatedWhileJoined(SQLException e) {
        return connections.translatedWhileJoined(e);
    }

    /** Returns a connection for a transaction that the caller ends. */
    public Connection connection() throws SQLException {
        return connections.get();
    }

    /** Notes that the store is closed. */
    public void close() {
        connections.close();
    }

    /** Checks a connection that is not the store's before its first use. */
    public void check(Connection connection) throws SQLException {
        connections.check(connection);
    }

    /** Whether a caller's connection, to a server that started then, leads to the store's own server. */
    public boolean isOfStore(Connection connection, String started) throws SQLException {
        return connections.servers().isOfStore(connection, started);
    }

    /** Gives a connection time for statements that are not the store's. */
    public AnswerLimit.Restored thoroughly(Connection connection) throws SQLException {
        return answerLimit.thoroughly(connection, 0);
    }

    /** Begins the store's own part of a transaction that is open already. */
    public Transaction beginHere(Connection connection, Opening opening) throws SQLException {
        Session session = session(connection);
        return transaction(session, started(session, OWN_LOCKS_MILLIS, opening));
    }

    /**
     * Begins the store's own part of a caller's transaction, which may stay open after it.
     *
     * @param now the time of the database
     */
    public Transaction joined(Session session, long now) throws SQLException {
        // The settings are not remembered: in an older state of the database they may be older too.
        return new Transaction(session, names, settings.clock(), now, QueueSettingsSnapshot.read(session))
                .joined(this::write);
    }

    /** Reports what a committed transaction has made due or ended. */
    public void tell(StoreNews news) {
        told.accept(news);
    }

    /**
     * Runs a transaction, again if it lost a race ({@link Backoff}), and reports what it brought about. The connection
     * is returned to its pool before each pause.
     */
    public <T> T write(Work<T> work) {
        return write(PLAIN, work);
    }

    /** The same with something that is asked at the beginning. */
    public <T> T write(Opening opening, Work<T> work) {
        try {
            return writeOrThrow(OWN_LOCKS_MILLIS, answerLimit::with, opening, work);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Runs a transaction that waits for locks no longer than the limit of the settings, because callers' own transactions may hold them. */
    public <T> T writeOrThrow(Work<T> work) throws SQLException {
        return writeOrThrow(PLAIN, work);
    }

    /** The same with something that is asked at the beginning. */
    public <T> T writeOrThrow(Opening opening, Work<T> work) throws SQLException {
        return writeOrThrow(lockMillis(), answerLimit::with, opening, work);
    }

    /** Runs a transaction that may have much to read. */
    public <T> T writeThoroughly(Work<T> work) {
        try {
            return writeOrThrow(OWN_LOCKS_MILLIS, answerLimit::thoroughly, PLAIN, work);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Says how long answers may take. */
    private interface Limit {
        AnswerLimit.Restored of(Connection connection, long lockMillis) throws SQLException;
    }

    private <T> T writeOrThrow(long lockMillis, Limit limit, Opening opening, Work<T> work) throws SQLException {
        Backoff backoff = new Backoff();
        for (int newNames = 0; ; ) {
            try {
                return once(lockMillis, limit, opening, work);
            } catch (UnknownNames e) {
                if (++newNames > MOST_NEW_NAMES) {
                    throw new StoreUnavailable(
                            ErrorTranslator.storeAt(shown) + " was given " + MOST_NEW_NAMES
                                    + " new queues, tenants or types in one call, or forgets those that it was given."
                                    + " Try again.",
                            e);
                }
                // Made outside of the transaction, because the names would be held until its end. Each repetition
                // knows one more, so there is nothing to pause for.
                List<NumberedTask> unused = numbered(List.of(e.task()));
            } catch (SQLException e) {
                if (!ErrorTranslator.isWorthAnotherTry(e) || !backoff.pauseForAnotherTry()) {
                    throw e;
                }
            }
        }
    }

    private <T> T once(long lockMillis, Limit limit, Opening opening, Work<T> work) throws SQLException {
        T answer;
        StoreNews news;
        try (Connection connection = connections.get();
                AnswerLimit.Restored limited = limit.of(connection, lockMillis);
                AutoCommit manual = AutoCommit.off(connection)) {
            try {
                Transaction tx = begin(connection, lockMillis, opening);
                answer = work.run(tx);
                tx.finish();
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
    public <T> T single(Look<T> look) throws SQLException {
        Backoff backoff = new Backoff();
        while (true) {
            try (Connection connection = connections.get();
                    AnswerLimit.Restored limited = answerLimit.with(connection, lockMillis());
                    AutoCommit automatic = AutoCommit.on(connection)) {
                return looked(connection, session(connection), look);
            } catch (SQLException e) {
                if (!ErrorTranslator.isWorthAnotherTry(e) || !backoff.pauseForAnotherTry()) {
                    throw e;
                }
            }
        }
    }

    /** Begins: the time, the queues and the limits that hold in this transaction. */
    private Transaction begin(Connection connection, long lockMillis, Opening opening) throws SQLException {
        Session session = session(connection);
        Start start = started(session, lockMillis, opening);
        if (!start.isolation().equals("read committed")) {
            // A pool of the user's with another default. Whoever waits for a lock has to see what the holder did.
            connection.rollback();
            execute(connection, READ_COMMITTED);
            start = started(session, lockMillis, opening);
        }
        return transaction(session, start);
    }

    private static Start started(Session session, long lockMillis, Opening opening) throws SQLException {
        List<Start> starts = new ArrayList<>();
        opening.run(session.sql(opening.sql()).with(lockMillis), row -> starts.add(start(row)));
        if (starts.isEmpty()) {
            throw noChangeRow();
        }
        return starts.getFirst();
    }

    private Transaction transaction(Session session, Start start) throws SQLException {
        if (start.durability().equals("off")) {
            execute(session.connection(), DURABLE);
        }
        return new Transaction(session, names, settings.clock(), start.now(), queues(session, start.stamp()));
    }

    /** The settings of queues in the state with this stamp. */
    private QueueSettingsSnapshot queues(Session session, long stamp) throws SQLException {
        QueueSettingsSnapshot known = queues;
        checkSchema(session, stamp);
        if (known.stamp() != stamp) {
            known = QueueSettingsSnapshot.read(session);
            queues = known;
        }
        return known;
    }

    /**
     * Refuses to work on a schema that was raised while this program runs, to a version that it does not know. The stamp changes
     * with the version, so nothing is read as long as it stays the same.
     */
    public void checkSchema(Session session, long stamp) throws SQLException {
        if (checkedStamp != stamp) {
            TaskSchema.check(session, shown);
            checkedStamp = stamp;
        }
    }

    /** Checks the schema by the stamp that a statement has read. */
    public void checkStamp(Session session, List<Long> stamps) throws SQLException {
        if (stamps.isEmpty()) {
            throw noChangeRow();
        }
        checkSchema(session, stamps.getFirst());
    }

    public static IllegalStateException noChangeRow() {
        return new IllegalStateException("The table \"change\" has no row; restore the one that the schema makes");
    }

    /** Reads something. */
    public <T> T read(Look<T> look) {
        return read(answerLimit::with, look);
    }

    /** Reads something that may be much, or among much. */
    public <T> T readThoroughly(Look<T> look) {
        return read(answerLimit::thoroughly, look);
    }

    private <T> T read(Limit limit, Look<T> look) {
        try (Connection connection = connections.get();
                AnswerLimit.Restored limited = limit.of(connection, 0);
                AutoCommit automatic = AutoCommit.on(connection)) {
            return looked(connection, new Session(connection, texts, false), look);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    private static <T> T looked(Connection connection, Session session, Look<T> look) throws SQLException {
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
    public static void giveUp(Connection connection) {
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
    public List<NumberedTask> numbered(List<NewTask> batch) {
        List<NumberedTask> numbered = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            Optional<NumberedTask> known = names.known(task);
            if (known.isEmpty()) {
                return read(session -> numberedAnew(session, batch));
            }
            numbered.add(known.get());
        }
        return numbered;
    }

    private List<NumberedTask> numberedAnew(Session session, List<NewTask> batch) throws SQLException {
        List<NumberedTask> numbered = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            numbered.add(names.numbered(session, task));
        }
        return numbered;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Rolls back what has failed. What cannot be rolled back is broken: given back to its pool it would be committed. */
    public static void rollBack(Connection connection, Exception because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        } catch (Error e) {
            giveUp(connection);
            throw e;
        }
    }
}
