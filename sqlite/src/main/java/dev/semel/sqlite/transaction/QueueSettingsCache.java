package dev.semel.sqlite.transaction;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.sql.SqlStatement;
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
 * The settings of queues, as one session knows them. They are read again only when some were changed, so a transaction
 * pays for them with one read of the newest stamp.
 */
public final class QueueSettingsCache {

    /** The two layers of settings. */
    public enum Layer {
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
            RETURNING stamp
            """;

    private static final long NEVER_READ = -1;

    private final Session session;
    private long stamp = NEVER_READ;
    private final Map<String, QueueSetUp> setUps = new HashMap<>();
    private final Map<String, QueueSettings> effective = new HashMap<>();
    private @Nullable Boolean endsMatter;

    QueueSettingsCache(Session session) {
        this.session = session;
    }

    /** Reads the settings again if they were changed since. */
    public void refresh() throws SQLException {
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
        setUps.clear();
        effective.clear();
        endsMatter = null;
        found.forEach(this::know);
    }

    private void know(String queue, QueueSetUp setUp) {
        // A row without any setting stays, because its stamp says that something changed; the queue is forgotten.
        if (setUp.equals(QueueSetUp.NONE)) {
            setUps.remove(queue);
            effective.remove(queue);
        } else {
            setUps.put(queue, setUp);
            effective.put(queue, setUp.effective());
        }
    }

    private static QueueSettings settings(ResultSet row) throws SQLException {
        Long paused = ColumnValues.longOrNull(row, 3);
        String rateLimit = row.getString(4);
        Long concurrency = ColumnValues.longOrNull(row, 5);
        Long retention = ColumnValues.longOrNull(row, 6);
        Long ttl = ColumnValues.longOrNull(row, 7);
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

    /** The queues that have settings. */
    public Map<String, QueueSetUp> all() {
        return Map.copyOf(setUps);
    }

    public QueueSetUp setUp(String queue) {
        return setUps.getOrDefault(queue, QueueSetUp.NONE);
    }

    /** The settings of a queue that hold. */
    public QueueSettings of(String queue) {
        return effective.getOrDefault(queue, QueueSettings.NONE);
    }

    public boolean isEmpty() {
        return effective.isEmpty();
    }

    /** Whether any queue has settings that apply when a task ends. */
    public boolean endsMatter() {
        Boolean known = endsMatter;
        if (known == null) {
            known = effective.values().stream()
                    .anyMatch(settings -> settings.keepsNothing() || settings.mostRunning() != Integer.MAX_VALUE);
            endsMatter = known;
        }
        return known;
    }

    /**
     * Writes one layer of a queue. The known settings are changed with it instead of being read again: declaring thousands of
     * queues would otherwise take time with the square of their number (4,000 queues 24 s).
     */
    public void save(String queue, Layer layer, QueueSettings settings) throws SQLException {
        refresh();
        RateLimit rateLimit = settings.rateLimit();
        ReusePolicy reuse = settings.reuse();
        SqlStatement statement = session.sql(SAVE)
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
                .with(settings.deadLetterQueue());
        try (ResultSet row = statement.query()) {
            row.next();
            stamp = row.getLong(1);
        }
        QueueSetUp before = setUp(queue);
        know(
                queue,
                layer == Layer.SET
                        ? new QueueSetUp(before.declared(), settings)
                        : new QueueSetUp(settings, before.set()));
        endsMatter = null;
    }

    /** Forgets everything, because a transaction was rolled back that may have changed settings. */
    void forget() {
        stamp = NEVER_READ;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : (Long) duration.toMillis();
    }
}
