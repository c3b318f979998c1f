package dev.semel.jdbc;

import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.task.RateLimit;
import dev.semel.task.ReusePolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of queues, as one session knows them. They are read again only when somebody changed some, so a transaction
 * pays for them with one look at the newest stamp.
 */
final class SqliteQueues {

    /** The two layers of settings. */
    enum Layer {
        DECLARED("declared"),
        SET("set");

        private final String word;

        Layer(String word) {
            this.word = word;
        }
    }

    private static final String STAMP = "SELECT max(stamp) FROM semel_queue";

    private static final String ALL = """
            SELECT name, layer, paused, rate_limit, concurrency, retention, idempotency_ttl, reuse, dead_letter_queue
            FROM semel_queue
            """;

    private static final String SAVE = """
            INSERT INTO semel_queue (name, layer, stamp, paused, rate_limit, concurrency, retention, idempotency_ttl, reuse,
              dead_letter_queue)
            VALUES (?1, ?2, (SELECT coalesce(max(stamp), 0) + 1 FROM semel_queue), ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (name, layer) DO UPDATE SET stamp = excluded.stamp, paused = excluded.paused,
              rate_limit = excluded.rate_limit, concurrency = excluded.concurrency, retention = excluded.retention,
              idempotency_ttl = excluded.idempotency_ttl, reuse = excluded.reuse,
              dead_letter_queue = excluded.dead_letter_queue
            """;

    private static final long NEVER_READ = -1;

    private final SqliteSession session;
    private long stamp = NEVER_READ;
    private Map<String, QueueSetUp> setUps = Map.of();
    private Map<String, QueueSettings> effective = Map.of();
    private boolean endsMatter;

    SqliteQueues(SqliteSession session) {
        this.session = session;
    }

    /** Makes sure that what is known is what this transaction sees. */
    void refresh() throws SQLException {
        long newest;
        try (ResultSet row = session.sql(STAMP).query()) {
            row.next();
            newest = row.getLong(1);
        }
        if (newest != stamp) {
            read();
            stamp = newest;
        }
    }

    private void read() throws SQLException {
        Map<String, QueueSetUp> found = new HashMap<>();
        try (ResultSet row = session.sql(ALL).query()) {
            while (row.next()) {
                QueueSettings settings = settings(row);
                QueueSetUp one = row.getString(2).equals(Layer.SET.word)
                        ? new QueueSetUp(QueueSettings.NONE, settings)
                        : new QueueSetUp(settings, QueueSettings.NONE);
                found.merge(
                        row.getString(1),
                        one,
                        (a, b) -> new QueueSetUp(
                                a.declared().or(b.declared()), a.set().or(b.set())));
            }
        }
        setUps = Map.copyOf(found);
        Map<String, QueueSettings> holding = new HashMap<>();
        found.forEach((name, setUp) -> holding.put(name, setUp.effective()));
        effective = holding;
        endsMatter = holding.values().stream()
                .anyMatch(settings -> settings.keepsNothing() || settings.mostRunning() != Integer.MAX_VALUE);
    }

    private static QueueSettings settings(ResultSet row) throws SQLException {
        Long paused = SqliteValues.longOrNull(row, 3);
        String rateLimit = row.getString(4);
        Long concurrency = SqliteValues.longOrNull(row, 5);
        Long retention = SqliteValues.longOrNull(row, 6);
        Long ttl = SqliteValues.longOrNull(row, 7);
        String reuse = row.getString(8);
        return new QueueSettings(
                paused == null ? null : paused != 0,
                rateLimit == null ? null : RateLimit.parse(rateLimit),
                concurrency == null ? null : (Integer) concurrency.intValue(),
                retention == null ? null : Duration.ofMillis(retention),
                ttl == null ? null : Duration.ofMillis(ttl),
                reuse == null ? null : ReusePolicy.parse(reuse),
                row.getString(9));
    }

    /** The queues of which anything was ever said. */
    Map<String, QueueSetUp> all() {
        return setUps;
    }

    QueueSetUp setUp(String queue) {
        return setUps.getOrDefault(queue, QueueSetUp.NONE);
    }

    /** The settings of a queue that hold. */
    QueueSettings of(String queue) {
        return effective.getOrDefault(queue, QueueSettings.NONE);
    }

    boolean isEmpty() {
        return effective.isEmpty();
    }

    /** Whether there is any queue in which the end of a task needs more than the end of the task. */
    boolean endsMatter() {
        return endsMatter;
    }

    /** Writes one layer of a queue. */
    void save(String queue, Layer layer, QueueSettings settings) throws SQLException {
        RateLimit rateLimit = settings.rateLimit();
        ReusePolicy reuse = settings.reuse();
        session.sql(SAVE)
                .with(queue)
                .with(layer.word)
                .with(settings.paused() == null ? null : (Long) (settings.paused() ? 1L : 0L))
                .with(rateLimit == null ? null : rateLimit.text())
                .with(
                        settings.concurrency() == null
                                ? null
                                : (Long) settings.concurrency().longValue())
                .with(millis(settings.retention()))
                .with(millis(settings.idempotencyTtl()))
                .with(reuse == null ? null : reuse.text())
                .with(settings.deadLetterQueue())
                .updateOne();
        refresh();
    }

    /** Forgets everything, because the transaction that made some of it did not commit. */
    void forget() {
        stamp = NEVER_READ;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : (Long) duration.toMillis();
    }
}
