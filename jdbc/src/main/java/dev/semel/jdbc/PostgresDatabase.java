package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.store.NewTask;
import dev.semel.task.SemelException;
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

    // Deadlocks and lost races are rare, and each leaves the others further than before.
    private static final int MOST_TRIES = 30;

    // Locks of Semel's own are held for the length of a transaction; only callers' own transactions stay open longer.
    private static final long OWN_LOCKS_MILLIS = 10_000;

    // To break a connection needs a little memory: for ten seconds it is tried to get that.
    private static final int MOST_BREAKS = 1_000;
    private static final long BREAK_PAUSE = 10_000_000;

    // Plans are kept for long, and a table that was empty when a plan was made would be read as a whole for ever: so
    // plans go by indexes from the beginning, and in their order: by a bitmap a claim would read and sort all that is
    // due to take the first. One plan suits every array; left to itself the server makes another for almost every
    // execution, which takes longer than to carry it out.
    private static final String PLANNING = """
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('jit', 'off', true), set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)
            """;

    /** Everything that a transaction has to know before it begins, in one answer. */
    static final String BEGIN = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, stamp,
              set_config('lock_timeout', (?::bigint)::text, true), current_setting('transaction_isolation'),
              current_setting('synchronous_commit'),\s""" + PLANNING + " FROM semel.change";

    /**
     * The same settings for a statement that follows in the same round trip. Both are one transaction, which ends with the
     * second, because nothing says that it ends before. The limit is a number, because a driver that was told to leave the
     * types of texts to the server asks for them in between, and that would be an end.
     */
    static final String SETTINGS = "SELECT set_config('lock_timeout', (?::bigint)::text, true), " + PLANNING + """
            , CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END
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
    private final PostgresLeases leases = new PostgresLeases();
    private final DuplicateShare duplicates = new DuplicateShare();
    private final Consumer<StoreNews> told;
    private volatile PostgresQueues queues = PostgresQueues.UNREAD;

    PostgresDatabase(
            PostgresConnections connections,
            String shown,
            PostgresSettings settings,
            PostgresPatience patience,
            Consumer<StoreNews> told) {
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

    PostgresLeases leases() {
        return leases;
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
        return PostgresConnections.isMixedUp(e) ? connections.mixedUp(e) : PostgresFailures.translated(shown, e);
    }

    /** A connection for a transaction that somebody else ends. */
    Connection connection() throws SQLException {
        return connections.get();
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

    DuplicateShare duplicates() {
        return duplicates;
    }

    /** Tells what a transaction brought about that has committed. */
    void tell(StoreNews news) {
        told.accept(news);
    }

    /** Runs a transaction, again if it lost a race, and tells what it brought about. */
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
        for (int tries = 1; ; tries++) {
            try {
                return once(lockMillis, limit, opening, operation);
            } catch (Unnamed e) {
                // Made outside of the transaction, because the names would be held until its end.
                List<Asked> unused = named(List.of(e.task));
            } catch (SQLException e) {
                if (!PostgresFailures.isWorthAnotherTry(e) || tries == MOST_TRIES) {
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
    Asked asked(NewTask task) {
        Asked known = known(task);
        if (known == null) {
            throw new Unnamed(task);
        }
        return known;
    }

    private @Nullable Asked known(NewTask task) {
        Lane lane = names.known(task.tenant(), task.queue(), task.type());
        NewTask.KeyRequest key = task.key();
        Integer scope = key == null ? (Integer) 0 : names.knownScope(key.identity());
        return lane == null || scope == null ? null : new Asked(task, lane, scope);
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

    /** Runs a statement that is a transaction of its own, and again if it lost a race. */
    <T> T atOnce(Look<T> look) throws SQLException {
        for (int tries = 1; ; tries++) {
            try (Connection connection = connections.get();
                    PostgresPatience.Restored limited =
                            patience.with(connection, settings.lockLimit().toMillis());
                    PostgresAutoCommit automatic = PostgresAutoCommit.on(connection)) {
                return looked(connection, session(connection), look);
            } catch (SQLException e) {
                if (!PostgresFailures.isWorthAnotherTry(e) || tries == MOST_TRIES) {
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
            throw new IllegalStateException("The table \"change\" has no row; restore the one that the schema makes");
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
        if (known.stamp() != stamp) {
            known = PostgresQueues.read(session);
            queues = known;
        }
        return known;
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

    /**
     * A submission with the numbers that stand for its names.
     *
     * @param scope that of its key; 0 without one
     */
    record Asked(NewTask task, Lane lane, int scope) {

        NewTask.KeyRequest request() {
            NewTask.KeyRequest key = task.key();
            if (key == null) {
                throw new IllegalStateException("Task " + task.id() + " has no key");
            }
            return key;
        }
    }

    /** Finds the numbers of the names in a batch; those of new names are made in a transaction of their own. */
    List<Asked> named(List<NewTask> batch) {
        List<Asked> asked = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            Asked known = known(task);
            if (known == null) {
                return read(session -> namedAnew(session, batch));
            }
            asked.add(known);
        }
        return asked;
    }

    private List<Asked> namedAnew(PostgresSession session, List<NewTask> batch) throws SQLException {
        List<Asked> asked = new ArrayList<>(batch.size());
        for (NewTask task : batch) {
            NewTask.KeyRequest key = task.key();
            asked.add(new Asked(
                    task,
                    names.lane(session, task.tenant(), task.queue(), task.type()),
                    key == null ? 0 : names.scope(session, key.identity())));
        }
        return asked;
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
