package dev.semel.postgresql.hint;

import dev.semel.postgresql.connection.AnswerLimit;
import dev.semel.postgresql.connection.Connections;
import dev.semel.postgresql.sql.AutoCommit;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel on which the processes of one schema send hints to each other. It listens on one connection of its own, and sends
 * on connections of the pool. Where that is not possible, behind a pooler for example, workers find new tasks by polling.
 */
public final class HintChannel implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HintChannel.class);

    // A commit with a notification forces the log to the disk like any other. A hint may be lost, so nobody has to wait
    // for that, least of all the submissions whose own commits come behind it.
    private static final String NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    // How long one wait lasts: the longest that closing takes.
    private static final int WAIT_MILLIS = 250;
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

    private final DataSource hearing;
    private final Connections sending;
    private final String channel;
    private final AnswerLimit answerLimit;
    private final Thread thread;
    private volatile boolean closed;
    // The sender of a message: this store has notified its own listeners already.
    private final String own = UUID.randomUUID().toString();
    private volatile @Nullable Consumer<String> hearer;
    private boolean failed;

    public HintChannel(DataSource hearing, Connections sending, String schema, AnswerLimit answerLimit) {
        this.answerLimit = answerLimit;
        this.hearing = hearing;
        this.sending = sending;
        this.channel = channel(schema);
        this.thread = Thread.ofPlatform().daemon().name("semel-postgres-listen").unstarted(this::listen);
    }

    /** Returns the name of the channel of a schema. */
    public static String channel(String schema) {
        return schema + "_hints";
    }

    public void start(Consumer<String> heard) {
        hearer = heard;
        thread.start();
    }

    /** Sends a message to the other processes, in a transaction of its own. */
    public void send(String message) {
        try (Connection connection = sending.get();
                AnswerLimit.Restored limited = answerLimit.with(connection, 0);
                AutoCommit automatic = AutoCommit.on(connection);
                PreparedStatement notify = connection.prepareStatement(NOTIFY)) {
            notify.setString(1, channel);
            notify.setString(2, own + " " + message);
            notify.execute();
        } catch (SQLException | StoreUnusable e) {
            LOG.debug("Other processes get no hint of new work", e);
        }
    }

    private void listen() {
        long pause = FIRST_PAUSE;
        while (!closed) {
            try (Connection connection = hearing.getConnection();
                    AnswerLimit.Restored limited = answerLimit.with(connection, 0);
                    AutoCommit automatic = AutoCommit.on(connection)) {
                PGConnection postgres = connection.unwrap(PGConnection.class);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN " + channel);
                    pause = FIRST_PAUSE;
                    failed = false;
                    long heardAt = System.nanoTime();
                    while (!closed) {
                        if (heard(postgres.getNotifications(WAIT_MILLIS))) {
                            heardAt = System.nanoTime();
                        } else if (System.nanoTime() - heardAt > answerLimit.quietNanos()) {
                            // A connection that died without a word looks like a quiet one.
                            statement.execute("SELECT 1");
                            heardAt = System.nanoTime();
                        }
                    }
                    statement.execute("UNLISTEN " + channel);
                }
            } catch (Throwable e) {
                // Also a full heap: the thread continues, because without it no hint would be heard any more.
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
                LOG.debug("Hints of other processes are not heard; workers look by themselves", because);
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
