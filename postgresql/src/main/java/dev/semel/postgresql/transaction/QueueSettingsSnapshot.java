package dev.semel.postgresql.transaction;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
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
 * The settings of queues in one state of the database. Immutable. Every transaction reads the stamp of that state, with the
 * time, and the settings themselves only if the stamp is not the one that the process knows.
 */
public final class QueueSettingsSnapshot {

    /** The two layers of settings. */
    public enum Layer {
        DECLARED("declared"),
        SET("set");

        private final String word;

        Layer(String word) {
            this.word = word;
        }
    }

    /** The settings before they were read for the first time. */
    static final QueueSettingsSnapshot UNREAD = new QueueSettingsSnapshot(-1, Map.of());

    // One statement, so that the stamp belongs to the settings. The row without a name is there also if there are none.
    private static final String ALL = """
            SELECT c.stamp, q.name, q.layer, q.paused, q.rate_limit, q.concurrency, q.retention, q.idempotency_ttl,
              q.reuse, q.dead_letter_queue
            FROM semel.change c LEFT JOIN semel.queue q ON true
            """;

    // Changes are made one at a time: a transaction that holds this row knows all settings.
    private static final String STAMP = "UPDATE semel.change SET stamp = stamp + 1";

    private static final String SAVE = """
            INSERT INTO semel.queue (name, layer, paused, rate_limit, concurrency, retention, idempotency_ttl, reuse,
              dead_letter_queue)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name, layer) DO UPDATE SET paused = excluded.paused, rate_limit = excluded.rate_limit,
              concurrency = excluded.concurrency, retention = excluded.retention,
              idempotency_ttl = excluded.idempotency_ttl, reuse = excluded.reuse,
              dead_letter_queue = excluded.dead_letter_queue
            """;

    private static final String ADD_MARK =
            "INSERT INTO semel.mark (queue, mark) VALUES (?, 0) ON CONFLICT (queue) DO NOTHING";

    private final long stamp;
    private final Map<String, QueueSetUp> setUps;
    private final Map<String, QueueSettings> effective;
    private final boolean endsMatter;

    private QueueSettingsSnapshot(long stamp, Map<String, QueueSetUp> setUps) {
        this.stamp = stamp;
        // A queue of which no setting is left is forgotten.
        Map<String, QueueSetUp> any = new HashMap<>(setUps);
        any.values().removeIf(QueueSetUp.NONE::equals);
        this.setUps = Map.copyOf(any);
        Map<String, QueueSettings> holding = new HashMap<>();
        setUps.forEach((name, setUp) -> holding.put(name, setUp.effective()));
        this.effective = holding;
        this.endsMatter =
                holding.values().stream().anyMatch(settings -> settings.keepsNothing() || settings.isLimited());
    }

    public static QueueSettingsSnapshot read(Session session) throws SQLException {
        Map<String, QueueSetUp> found = new HashMap<>();
        Long stamp = null;
        for (Row each : session.sql(ALL).list(QueueSettingsSnapshot::row)) {
            stamp = each.stamp;
            if (each.name != null) {
                QueueSetUp one = Layer.SET.word.equals(each.layer)
                        ? new QueueSetUp(QueueSettings.NONE, each.settings)
                        : new QueueSetUp(each.settings, QueueSettings.NONE);
                found.merge(
                        each.name,
                        one,
                        (a, b) -> new QueueSetUp(
                                a.declared().or(b.declared()), a.set().or(b.set())));
            }
        }
        if (stamp == null) {
            throw new IllegalStateException("The table \"change\" has no row; restore the one that the schema makes");
        }
        return new QueueSettingsSnapshot(stamp, found);
    }

    private record Row(
            long stamp, @Nullable String name, @Nullable String layer, QueueSettings settings) {}

    private static Row row(ResultSet row) throws SQLException {
        String rateLimit = row.getString("rate_limit");
        Long retention = SqlStatement.longOrNull(row, "retention");
        Long ttl = SqlStatement.longOrNull(row, "idempotency_ttl");
        String reuse = row.getString("reuse");
        QueueSettings settings = new QueueSettings(
                row.getObject("paused", Boolean.class),
                rateLimit == null ? null : RateLimit.parse(rateLimit),
                row.getObject("concurrency", Integer.class),
                retention == null ? null : Duration.ofMillis(retention),
                ttl == null ? null : Duration.ofMillis(ttl),
                reuse == null ? null : ReusePolicy.parse(reuse),
                row.getString("dead_letter_queue"));
        return new Row(row.getLong("stamp"), row.getString("name"), row.getString("layer"), settings);
    }

    /** Waits until no other transaction changes queues, and keeps others from it until this one ends. */
    public static void lock(Session session) throws SQLException {
        session.sql(STAMP).updateOne();
    }

    /** Writes one layer of a queue; the lock must be held. */
    public static void save(Session session, String queue, Layer layer, QueueSettings settings) throws SQLException {
        RateLimit rateLimit = settings.rateLimit();
        ReusePolicy reuse = settings.reuse();
        session.sql(SAVE)
                .withText(queue)
                .withText(layer.word)
                .withFlag(settings.paused())
                .withText(rateLimit == null ? null : rateLimit.text())
                .withInt(settings.concurrency())
                .withLong(millis(settings.retention()))
                .withLong(millis(settings.idempotencyTtl()))
                .withText(reuse == null ? null : reuse.text())
                .withText(settings.deadLetterQueue())
                .updateOne();
        session.sql(ADD_MARK).withText(queue).update();
    }

    long stamp() {
        return stamp;
    }

    /** The queues of which anything was ever said. */
    public Map<String, QueueSetUp> all() {
        return setUps;
    }

    QueueSetUp setUp(String queue) {
        return setUps.getOrDefault(queue, QueueSetUp.NONE);
    }

    /** The settings of a queue that hold. */
    public QueueSettings of(String queue) {
        return effective.getOrDefault(queue, QueueSettings.NONE);
    }

    public boolean isEmpty() {
        return effective.isEmpty();
    }

    /** Whether there is any queue in which the end of a task needs more than the end of the task. */
    public boolean endsMatter() {
        return endsMatter;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : (Long) duration.toMillis();
    }
}
