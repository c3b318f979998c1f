package dev.semel.postgresql;

import dev.semel.postgresql.PostgresNames.Lane;
import dev.semel.store.NewTask;
import dev.semel.store.StoreNews;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** One transaction: its time, the settings of queues that it sees, and what it has to tell once it has committed. */
final class PostgresTransaction {

    private static final String CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    private final PostgresDatabase database;
    private final PostgresSession session;
    private final StoreNews news;
    private final Set<String> mutexes = new HashSet<>();
    private final Set<TaskId> running = new HashSet<>();
    private PostgresLock highest = PostgresLock.CHANGE;
    private long now;
    private PostgresQueues queues;
    private boolean joined;
    private boolean ended;

    PostgresTransaction(PostgresDatabase database, PostgresSession session, long now, PostgresQueues queues) {
        this(database, session, new StoreNews(), now, queues);
    }

    private PostgresTransaction(
            PostgresDatabase database, PostgresSession session, StoreNews news, long now, PostgresQueues queues) {
        this.database = database;
        this.session = session;
        this.news = news;
        this.now = now;
        this.queues = queues;
    }

    /** The same for a transaction of a caller's own, which may stay open. */
    PostgresTransaction joined() {
        joined = true;
        return this;
    }

    /** Notes that this transaction has taken a lock of this kind, and checks that it holds none of a later kind. */
    void locked(PostgresLock kind) {
        assert kind.compareTo(highest) >= 0 : "A lock of kind " + kind + " was taken after one of kind " + highest;
        highest = kind;
    }

    /** Notes that this transaction has locked the row of a running task, unless it had it locked before. */
    void lockedRunning(TaskId id) {
        if (running.add(id)) {
            locked(PostgresLock.RUNNING);
        }
    }

    /** Notes that this transaction has made the rows of running tasks: nobody else can have locked them. */
    void madeRunning(Collection<TaskId> ids) {
        running.addAll(ids);
    }

    /** The same transaction for what takes its locks apart from the order: under a key that nobody else uses. */
    PostgresTransaction unordered() {
        return new PostgresTransaction(database, session, news, now, queues);
    }

    /** Those of these mutexes that this transaction has not locked yet; it has from now on. */
    SortedSet<String> unlocked(Collection<String> wanted) {
        SortedSet<String> unlocked = new TreeSet<>(wanted);
        unlocked.removeAll(mutexes);
        mutexes.addAll(unlocked);
        return unlocked;
    }

    /**
     * Does what changes nothing for anybody, but locks what others need: in this transaction if it ends soon, otherwise in
     * one of its own.
     */
    <T> T apart(PostgresDatabase.Operation<T> operation) throws SQLException {
        return joined ? database.write(operation) : operation.run(this);
    }

    PostgresStatement sql(String sql) throws SQLException {
        if (ended) {
            throw new IllegalStateException("The transaction has ended with the statement before");
        }
        return session.sql(sql);
    }

    /**
     * A statement, or several, that end with {@code COMMIT}: so the commit takes no round trip of its own. Its rows are read
     * when all is done; a name that has to be looked up for them is read in a transaction that ends with the call.
     */
    PostgresStatement last(String sql) throws SQLException {
        if (joined) {
            throw new IllegalStateException("A caller's own transaction is not the store's to end");
        }
        PostgresStatement last = sql(sql);
        ended = true;
        return last;
    }

    PostgresSession session() {
        return session;
    }

    /** The transaction's one time, in milliseconds since 1970. */
    long now() {
        return now;
    }

    Instant nowInstant() {
        return Instant.ofEpochMilli(now);
    }

    /** Takes over a time that was read after the transaction had begun, and before anything was decided by it. */
    void renewNow(long read) {
        now = Math.max(now, read);
    }

    /** Reads the clock again, after waiting for a lock and before anything was decided by the time. */
    void renewNow() throws SQLException {
        if (database.clock() == null) {
            Long read = sql(CLOCK).first(row -> row.getLong(1));
            renewNow(read == null ? now : read);
        }
    }

    long after(Duration duration) {
        return nowInstant().plus(duration).toEpochMilli();
    }

    PostgresQueues queues() {
        return queues;
    }

    /** Reads the settings again because this transaction changes them. */
    void rereadQueues() throws SQLException {
        queues = PostgresQueues.read(session);
    }

    /** A submission from within this transaction. */
    PostgresNumberedTask numbered(NewTask task) {
        return database.numbered(task);
    }

    PostgresNames names() {
        return database.names();
    }

    Lane lane(int id) throws SQLException {
        return database.names().lane(session, id);
    }

    StoreNews news() {
        return news;
    }
}
