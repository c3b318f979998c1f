package dev.semel.postgresql;

import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears what other processes send, on one connection of its own, and sends to them on connections out of the pool. Where that
 * is not possible, behind a pooler for example, workers find new tasks by looking.
 */
final class PostgresListening implements AutoCloseable {

    // How long one wait lasts: the longest that closing takes.
    private static final int WAIT_MILLIS = 250;
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

    private final DataSource hearing;
    private final PostgresConnections sending;
    private final String channel;
    private final PostgresPatience patience;
    private final Thread thread;
    private volatile boolean closed;
    // Says whose a message is: this store has told its own listeners already.
    private final String own = UUID.randomUUID().toString();
    private volatile @Nullable Consumer<String> hearer;
    private boolean failed;

    PostgresListening(DataSource hearing, PostgresConnections sending, String schema, PostgresPatience patience) {
        this.patience = patience;
        this.hearing = hearing;
        this.sending = sending;
        this.channel = channel(schema);
        this.thread = Thread.ofPlatform().daemon().name("semel-postgres-listen").unstarted(this::listen);
    }

    /** On which the stores of one schema tell each other. */
    static String channel(String schema) {
        return schema + "_hints";
    }

    void start(Consumer<String> heard) {
        hearer = heard;
        thread.start();
    }

    /** Tells the others, in a transaction of its own. */
    void send(String message) {
        try (Connection connection = sending.get();
                PostgresPatience.Restored limited = patience.with(connection, 0);
                PostgresAutoCommit automatic = PostgresAutoCommit.on(connection);
                PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, channel);
            notify.setString(2, own + " " + message);
            notify.execute();
        } catch (SQLException | StoreUnusable e) {
            PostgresHints.LOG.debug("Other processes are not told of new work", e);
        }
    }

    private void listen() {
        long pause = FIRST_PAUSE;
        while (!closed) {
            try (Connection connection = hearing.getConnection();
                    PostgresPatience.Restored limited = patience.with(connection, 0);
                    PostgresAutoCommit automatic = PostgresAutoCommit.on(connection)) {
                PGConnection postgres = connection.unwrap(PGConnection.class);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN " + channel);
                    pause = FIRST_PAUSE;
                    failed = false;
                    long heardAt = System.nanoTime();
                    while (!closed) {
                        if (heard(postgres.getNotifications(WAIT_MILLIS))) {
                            heardAt = System.nanoTime();
                        } else if (System.nanoTime() - heardAt > patience.quietNanos()) {
                            // A connection that died without a word looks like a quiet one.
                            statement.execute("SELECT 1");
                            heardAt = System.nanoTime();
                        }
                    }
                    statement.execute("UNLISTEN " + channel);
                }
            } catch (Throwable e) {
                // Also a full heap: the thread goes on, or nobody would ever hear anything again.
                tellOnce(e);
            }
            if (!closed) {
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
        }
    }

    private void tellOnce(Throwable because) {
        try {
            if (!failed && !closed) {
                PostgresHints.LOG.debug("Hints of other processes are not heard; workers look by themselves", because);
            }
            failed = true;
        } catch (Throwable e) {
            return; // the log has no memory either
        }
    }

    /** Tells what was heard, if anything was. */
    private boolean heard(PGNotification @Nullable [] notifications) {
        Consumer<String> told = hearer;
        if (notifications == null || notifications.length == 0 || told == null) {
            return false;
        }
        for (PGNotification notification : notifications) {
            String message = notification.getParameter();
            int blank = message.indexOf(' ');
            if (blank > 0 && !message.substring(0, blank).equals(own)) {
                told.accept(message.substring(blank + 1));
            }
        }
        return true;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
