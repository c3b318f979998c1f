package dev.semel.jdbc;

import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.store.NewTask;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/** One transaction: its time, the settings of queues that it sees, and what it has to tell once it has committed. */
final class PostgresTransaction {

    private static final String CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    private final PostgresDatabase database;
    private final PostgresSession session;
    private final StoreNews news = new StoreNews();
    private long now;
    private PostgresQueues queues;
    private boolean joined;
    private boolean ended;

    PostgresTransaction(PostgresDatabase database, PostgresSession session, long now, PostgresQueues queues) {
        this.database = database;
        this.session = session;
        this.now = now;
        this.queues = queues;
    }

    /** The same for a transaction of a caller's own, which may stay open. */
    PostgresTransaction joined() {
        joined = true;
        return this;
    }

    /**
     * Does what changes nothing for anybody, but locks what others need: in this transaction if it ends soon, otherwise in
     * one of its own.
     */
    <T> T apart(PostgresDatabase.Operation<T> operation) throws SQLException {
        return joined ? database.write(operation) : operation.run(this);
    }

    PostgresLeases leases() {
        return database.leases();
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
    PostgresDatabase.Asked asked(NewTask task) {
        return database.asked(task);
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
