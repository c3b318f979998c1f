package dev.semel.postgresql.table;

import dev.semel.postgresql.sql.Session;
import dev.semel.postgresql.sql.SqlStatement;
import dev.semel.postgresql.transaction.LockKind;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Known;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The rows of effects: locks and writes them, and reads them for operators and handlers. */
public final class EffectRows {

    private static final String LOCK = """
            SELECT e.lineage, e.name, e.ordinal, e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how, e.result,
              e.note, e.verdict, e.resolved_by, e.reason
            FROM unnest(?, ?, ?) AS m (lineage, name, ordinal)
            CROSS JOIN LATERAL (
              SELECT * FROM semel.effect x
              WHERE x.lineage = m.lineage AND x.name = m.name AND x.ordinal = m.ordinal LIMIT 1 FOR UPDATE) e
            """;

    private static final String SAVE = """
            INSERT INTO semel.effect AS e (lineage, name, ordinal, task, attempt, known, intended_at, window_end, settled_at,
              how, result, note, verdict, resolved_by, reason)
            SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (lineage, name, ordinal) DO UPDATE SET task = excluded.task, attempt = excluded.attempt,
              known = excluded.known, intended_at = excluded.intended_at, window_end = excluded.window_end,
              settled_at = excluded.settled_at, how = excluded.how, result = excluded.result, note = excluded.note,
              verdict = excluded.verdict, resolved_by = excluded.resolved_by, reason = excluded.reason
            """;

    // A task in a shared lease has no intent without an outcome, because its first intent takes it out. So it is enough
    // to look in running, here and below.
    private static final String OF_LINEAGES = """
            SELECT e.lineage, e.name, e.ordinal, e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how, e.result,
              e.note, e.verdict, e.resolved_by, e.reason,
              (SELECT 1 FROM semel.running r WHERE r.task = e.task AND r.attempt = e.attempt LIMIT 1) IS NOT NULL AS running,
              coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
            FROM semel.effect e
            WHERE e.lineage = ANY (?)
            ORDER BY e.lineage, e.name, e.ordinal
            """;

    // All tasks of a lineage belong to one tenant. One of them is stored, or a tombstone from which another can be made
    // (E10).
    private static final String LIST = """
            SELECT e.lineage, e.name, e.ordinal, e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how, e.result,
              e.note, e.verdict, e.resolved_by, e.reason,
              (SELECT 1 FROM semel.running r WHERE r.task = e.task AND r.attempt = e.attempt LIMIT 1) IS NOT NULL AS running,
              coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now,
              CASE WHEN ? THEN (
                SELECT l.tenant FROM semel.lane l WHERE l.id = coalesce(
                  (SELECT t.lane FROM semel.task t WHERE t.id = e.task LIMIT 1),
                  (SELECT t.lane FROM semel.task t WHERE t.id = e.lineage LIMIT 1),
                  (SELECT t.lane FROM semel.task t WHERE t.lineage = e.lineage LIMIT 1),
                  (SELECT r.lane FROM semel.record r
                    WHERE coalesce(r.lineage, r.task) = e.lineage AND r.state IS NOT NULL AND r.state <> 'completed'
                    LIMIT 1)) LIMIT 1) END AS tenant
            FROM semel.effect e
            WHERE (? OR (e.lineage, e.name, e.ordinal) > (?, ?, ?))
            ORDER BY e.lineage, e.name, e.ordinal LIMIT ?
            """;

    private static final String LIST_INTENDED = """
            SELECT e.lineage, e.name, e.ordinal, e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how, e.result,
              e.note, e.verdict, e.resolved_by, e.reason,
              (SELECT 1 FROM semel.running r WHERE r.task = e.task AND r.attempt = e.attempt LIMIT 1) IS NOT NULL AS running,
              coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now,
              CASE WHEN ? THEN (
                SELECT l.tenant FROM semel.lane l WHERE l.id = coalesce(
                  (SELECT t.lane FROM semel.task t WHERE t.id = e.task LIMIT 1),
                  (SELECT t.lane FROM semel.task t WHERE t.id = e.lineage LIMIT 1),
                  (SELECT t.lane FROM semel.task t WHERE t.lineage = e.lineage LIMIT 1),
                  (SELECT r.lane FROM semel.record r
                    WHERE coalesce(r.lineage, r.task) = e.lineage AND r.state IS NOT NULL AND r.state <> 'completed'
                    LIMIT 1)) LIMIT 1) END AS tenant
            FROM semel.effect e
            WHERE e.known = 'intended' AND (? OR (e.lineage, e.name, e.ordinal) > (?, ?, ?))
            ORDER BY e.lineage, e.name, e.ordinal LIMIT ?
            """;

    private static final TaskId BEFORE_ALL = new TaskId(new java.util.UUID(0, 0));

    private EffectRows() {}

    public static void save(Transaction tx, Collection<StoredEffect> effects) throws SQLException {
        if (effects.isEmpty()) {
            return;
        }
        List<StoredEffect> all = List.copyOf(effects);
        tx.sql(SAVE)
                .ids(all.stream().map(effect -> effect.id().lineage()).toList())
                .texts(all.stream().map(effect -> effect.id().name()).toList())
                .ints(all.stream().map(effect -> effect.id().index()).toList())
                .ids(all.stream().map(effect -> effect.by().taskId()).toList())
                .ints(all.stream().map(effect -> effect.by().attempt()).toList())
                .texts(all.stream().map(effect -> word(effect.known())).toList())
                .longs(all.stream()
                        .map(effect -> effect.intendedAt().toEpochMilli())
                        .toList())
                .longs(each(all, effect -> millis(effect.windowEnd())))
                .longs(each(all, effect -> millis(effect.settledAt())))
                .texts(each(
                        all,
                        effect -> effect.how() == null ? null : effect.how().word()))
                .texts(each(all, StoredEffect::result))
                .texts(each(all, effect -> TaskReader.storable(effect.note())))
                .texts(each(
                        all,
                        effect -> effect.resolution() == null
                                ? null
                                : effect.resolution().verdict().word()))
                .texts(each(
                        all,
                        effect -> effect.resolution() == null
                                ? null
                                : effect.resolution().by()))
                .texts(each(
                        all,
                        effect -> effect.resolution() == null
                                ? null
                                : effect.resolution().reason()))
                .update();
    }

    private interface Part<T> {
        @Nullable
        T of(StoredEffect effect);
    }

    private static <T> List<@Nullable T> each(List<StoredEffect> effects, Part<T> part) {
        List<@Nullable T> parts = new ArrayList<>();
        effects.forEach(effect -> parts.add(part.of(effect)));
        return parts;
    }

    /** Locks the existing ones of these effects, in order, and returns them. */
    public static Map<EffectId, StoredEffect> lock(Transaction tx, Collection<EffectId> ids) throws SQLException {
        Set<EffectId> sorted = new TreeSet<>(ids);
        Map<EffectId, StoredEffect> locked = new HashMap<>();
        for (StoredEffect effect : tx.sql(LOCK)
                .ids(sorted.stream().map(EffectId::lineage).toList())
                .texts(sorted.stream().map(EffectId::name).toList())
                .ints(sorted.stream().map(EffectId::index).toList())
                .list(EffectRows::read)) {
            tx.locked(LockKind.EFFECT);
            locked.put(effect.id(), effect);
        }
        return locked;
    }

    private static StoredEffect read(ResultSet row) throws SQLException {
        String how = row.getString("how");
        String verdict = row.getString("verdict");
        return new StoredEffect(
                new EffectId(SqlStatement.id(row, "lineage"), row.getString("name"), row.getInt("ordinal")),
                new AttemptId(SqlStatement.id(row, "task"), row.getInt("attempt")),
                Known.valueOf(row.getString("known").toUpperCase(Locale.ROOT)),
                Instant.ofEpochMilli(row.getLong("intended_at")),
                instant(SqlStatement.longOrNull(row, "window_end")),
                instant(SqlStatement.longOrNull(row, "settled_at")),
                how == null ? null : How.valueOf(how.toUpperCase(Locale.ROOT)),
                row.getString("result"),
                row.getString("note"),
                verdict == null
                        ? null
                        : new Resolution(
                                Verdict.valueOf(verdict.toUpperCase(Locale.ROOT)),
                                null,
                                row.getString("resolved_by"),
                                row.getString("reason")));
    }

    public static Map<TaskId, List<EffectRecord>> of(Session session, Collection<TaskId> lineages, @Nullable Long now)
            throws SQLException {
        Map<TaskId, List<EffectRecord>> found = new LinkedHashMap<>();
        for (EffectRecord effect :
                session.sql(OF_LINEAGES).withLong(now).ids(lineages).list(EffectRows::seen)) {
            found.computeIfAbsent(effect.id().lineage(), lineage -> new ArrayList<>())
                    .add(effect);
        }
        return found;
    }

    public static EffectPage list(Session session, EffectQuery query, @Nullable Long now) throws SQLException {
        EffectId after = query.after();
        boolean open = !query.states().isEmpty()
                && Set.of(EffectState.UNKNOWN, EffectState.IN_PROGRESS).containsAll(query.states());
        String tenant = query.tenant();
        // Rows of other tenants are read and left out: a page of one tenant may end early, and says where to continue.
        List<OfTenant> rows = session.sql(open ? LIST_INTENDED : LIST)
                .withLong(now)
                .with(tenant != null)
                .with(after == null)
                .with(after == null ? BEFORE_ALL : after.lineage())
                .withText(after == null ? "" : after.name())
                .with(after == null ? 0 : after.index())
                .with(query.limit())
                .list(row -> new OfTenant(seen(row), row.getString("tenant")));
        return new EffectPage(
                rows.stream()
                        .filter(row -> tenant == null || tenant.equals(row.tenant()))
                        .map(OfTenant::effect)
                        .filter(effect ->
                                query.states().isEmpty() || query.states().contains(effect.state()))
                        .toList(),
                rows.size() < query.limit() ? null : rows.getLast().effect().id());
    }

    /** An effect and its tenant, which is null if it was not asked for. */
    private record OfTenant(EffectRecord effect, @Nullable String tenant) {}

    private static EffectRecord seen(ResultSet row) throws SQLException {
        return read(row).seen(row.getBoolean("running"), Instant.ofEpochMilli(row.getLong("now")));
    }

    private static String word(Known known) {
        return known.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : (Long) time.toEpochMilli();
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }
}
