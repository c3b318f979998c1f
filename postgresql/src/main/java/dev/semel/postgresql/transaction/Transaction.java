package dev.semel.postgresql.transaction;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One transaction: its time, the settings of queues that it sees, and what it has to report once it has committed. */
public final class Transaction {

    /** What is done in one transaction. */
    public interface Work<T> {
        T run(Transaction tx) throws SQLException;
    }

    /** What a transaction does last, because it takes the last locks in the order of {@link LockKind}. */
    public interface Ending {
        void run(Transaction tx) throws SQLException;
    }

    /** Does work in a transaction of its own. */
    interface Apart {
        <T> T write(Work<T> work);
    }

    private static final String CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    private final Session session;
    private final Names names;
    private final StoreClock clock;
    private final StoreNews news;
    private final Set<String> mutexes = new HashSet<>();
    private final Set<TaskId> running = new HashSet<>();
    private LockKind highest = LockKind.CHANGE;
    private long now;
    private QueueSettingsSnapshot queues;
    // Null in a transaction of the store, which ends soon.
    private @Nullable Apart apart;
    private @Nullable Ending ending;
    private boolean ended;

    /**
     * Begins a transaction of the store.
     *
     * @param read the time that was read from the database's clock
     */
    Transaction(Session session, Names names, StoreClock clock, long read, QueueSettingsSnapshot queues) {
        this(session, names, clock, queues, new StoreNews());
        this.now = clock.decide(read);
    }

    private Transaction(Session session, Names names, StoreClock clock, QueueSettingsSnapshot queues, StoreNews news) {
        this.session = session;
        this.names = names;
        this.clock = clock;
        this.queues = queues;
        this.news = news;
    }

    /**
     * Makes this the store's part of a caller's own transaction, which may stay open.
     *
     * @param separately does what locks something that others need
     */
    Transaction joined(Apart separately) {
        apart = separately;
        return this;
    }

    /** Notes that this transaction has taken a lock of this kind, and checks that it holds none of a later kind. */
    public void locked(LockKind kind) {
        assert kind.compareTo(highest) >= 0 : "A lock of kind " + kind + " was taken after one of kind " + highest;
        highest = kind;
    }

    /** Notes that this transaction has locked the row of a running task, unless it had it locked before. */
    public void lockedRunning(TaskId id) {
        if (running.add(id)) {
            locked(LockKind.RUNNING);
        }
    }

    /** Notes that this transaction has made the rows of running tasks: nobody else can have locked them. */
    public void madeRunning(Collection<TaskId> ids) {
        running.addAll(ids);
    }

    /** What this transaction does last; made if it has nothing to do so far. */
    public Ending ending(Supplier<? extends Ending> first) {
        Ending known = ending;
        if (known == null) {
            known = first.get();
            ending = known;
        }
        return known;
    }

    /** Does what this transaction does last. Called before the commit. */
    public void finish() throws SQLException {
        Ending last = ending;
        ending = null;
        if (last != null) {
            last.run(this);
        }
    }

    /** The same transaction for what takes its locks apart from the order: under a key that nobody else uses. */
    public Transaction unordered() {
        Transaction same = new Transaction(session, names, clock, queues, news);
        same.now = now;
        return same;
    }

    /** Those of these mutexes that this transaction has not locked yet; it has from now on. */
    public SortedSet<String> unlocked(Collection<String> wanted) {
        SortedSet<String> unlocked = new TreeSet<>(wanted);
        unlocked.removeAll(mutexes);
        mutexes.addAll(unlocked);
        return unlocked;
    }

    /**
     * Does what changes nothing for anybody, but locks what others need: in this transaction if it ends soon, otherwise in
     * one of its own.
     */
    public <T> T apart(Work<T> work) throws SQLException {
        return apart == null ? work.run(this) : apart.write(work);
    }

    public SqlStatement sql(String sql) throws SQLException {
        if (ended) {
            throw new IllegalStateException("The transaction has ended with the statement before");
        }
        return session.sql(sql);
    }

    /**
     * A statement, or several, that end with {@code COMMIT}: so the commit takes no round trip of its own. Its rows are read
     * when all is done; a name that has to be looked up for them is read in a transaction that ends with the call.
     */
    public SqlStatement last(String sql) throws SQLException {
        if (apart != null) {
            throw new IllegalStateException("A caller's own transaction is not the store's to end");
        }
        finish();
        SqlStatement last = sql(sql);
        ended = true;
        return last;
    }

    public Session session() {
        return session;
    }

    /** The transaction's one time, in milliseconds since 1970. */
    public long now() {
        return now;
    }

    public Instant nowInstant() {
        return Instant.ofEpochMilli(now);
    }

    /** Takes over a time that was read after the transaction had begun, and before anything was decided by it. */
    public void renewNow(long read) {
        now = Math.max(now, read);
    }

    /** Reads the clock again, after waiting for a lock and before anything was decided by the time. */
    public void renewNow() throws SQLException {
        if (clock.isOfDatabase()) {
            Long read = sql(CLOCK).first(row -> row.getLong(1));
            renewNow(read == null ? now : read);
        }
    }

    public long after(Duration duration) {
        return nowInstant().plus(duration).toEpochMilli();
    }

    public QueueSettingsSnapshot queues() {
        return queues;
    }

    /** Reads the settings again because this transaction changes them. */
    public void rereadQueues() throws SQLException {
        queues = QueueSettingsSnapshot.read(session);
    }

    /** A submission from within this transaction, which is run again if numbers of its names have to be made. */
    public NumberedTask numbered(NewTask task) {
        return names.known(task).orElseThrow(() -> new UnknownNames(task));
    }

    public Names names() {
        return names;
    }

    public Lane lane(int id) throws SQLException {
        return names.lane(session, id);
    }

    public StoreNews news() {
        return news;
    }
}
