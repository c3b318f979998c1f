package dev.semel.postgresql.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The limit for answers of the server, after which a connection is taken for dead. Without it an operation on a connection
 * whose other end has vanished without notice would wait for as long as the network's own rules say: a quarter of an hour, or
 * for ever.
 */
public final class AnswerLimit {

    // What may read a whole table, or wait until another program has made one.
    private static final Duration THOROUGH = Duration.ofMinutes(5);

    private static final Restored AS_IT_WAS = () -> {};

    /** Gives a connection back its usual limit. */
    public interface Restored extends AutoCloseable {
        @Override
        void close();
    }

    private final long limit;
    private final int usual;

    private AnswerLimit(Duration limit, int usual) {
        this.limit = limit.toMillis();
        this.usual = usual;
    }

    /** The limit for connections of a pool of the user's. */
    public static AnswerLimit withGivenConnections(Duration limit) {
        return new AnswerLimit(limit, 0);
    }

    /** The limit for connections that the store makes, which have it from the beginning. */
    public static AnswerLimit withOwnConnections(Duration limit) {
        return new AnswerLimit(limit, 1_000 * seconds(limit));
    }

    /** The limit as the driver wants it: in whole seconds. */
    public static int seconds(Duration limit) {
        return (int) limit.plusMillis(999).toSeconds();
    }

    /** How long a connection that only listens may be quiet until it is tried. */
    public long quietNanos() {
        return TimeUnit.MILLISECONDS.toNanos(2 * limit);
    }

    /** Limits the answers of one operation, beyond what its statements may wait for locks. */
    public Restored with(Connection connection, long lockMillis) throws SQLException {
        return limited(connection, limit + lockMillis);
    }

    /** The same for an operation that may have much to read. */
    public Restored thoroughly(Connection connection, long lockMillis) throws SQLException {
        return limited(connection, Math.max(limit, THOROUGH.toMillis()) + lockMillis);
    }

    private Restored limited(Connection connection, long millis) throws SQLException {
        try {
            if (connection.getNetworkTimeout() != usual) {
                return AS_IT_WAS; // somebody has thought about it
            }
            connection.setNetworkTimeout(Runnable::run, (int) Math.min(millis, Integer.MAX_VALUE));
        } catch (SQLFeatureNotSupportedException e) {
            return AS_IT_WAS; // a wrapper that does not know of it
        }
        return () -> restore(connection);
    }

    private void restore(Connection connection) {
        try {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, usual);
            }
        } catch (SQLException e) {
            // The connection is broken, and closing it is all that is left to do.
            return;
        }
    }
}
