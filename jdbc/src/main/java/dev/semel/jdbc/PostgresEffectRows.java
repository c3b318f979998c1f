package dev.semel.jdbc;

import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.StoredEffect;
import dev.semel.store.StoredEffect.Known;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows of effects: written, and read for people and handlers. */
final class PostgresEffectRows {

    static final String COLUMNS =
            "e.lineage, e.name, e.ordinal, e.task, e.attempt, e.known, e.intended_at, e.window_end,"
                    + " e.settled_at, e.how, e.result, e.note, e.verdict, e.resolved_by, e.reason";

    private static final String SAVE = """
            INSERT INTO semel.effect AS e (lineage, name, ordinal, task, attempt, known, intended_at, window_end, settled_at,
              how, result, note, verdict, resolved_by, reason)
            SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (lineage, name, ordinal) DO UPDATE SET task = excluded.task, attempt = excluded.attempt,
              known = excluded.known, intended_at = excluded.intended_at, window_end = excluded.window_end,
              settled_at = excluded.settled_at, how = excluded.how, result = excluded.result, note = excluded.note,
              verdict = excluded.verdict, resolved_by = excluded.resolved_by, reason = excluded.reason
            """;

    // A task that is in a lease with others has no intent without an outcome: its first one takes it out.
    private static final String SEEN = ", (SELECT 1 FROM semel.running r WHERE r.task = e.task"
            + " AND r.attempt = e.attempt LIMIT 1) IS NOT NULL, coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
            + " FROM semel.effect e ";

    private static final String OF_LINEAGES =
            "SELECT " + COLUMNS + SEEN + "WHERE e.lineage = ANY (?) ORDER BY e.lineage, e.name, e.ordinal";

    private static final String ORDER =
            " AND (? OR (e.lineage, e.name, e.ordinal) > (?, ?, ?))" + " ORDER BY e.lineage, e.name, e.ordinal LIMIT ?";

    private static final String LIST = "SELECT " + COLUMNS + SEEN + "WHERE true" + ORDER;

    private static final String LIST_INTENDED = "SELECT " + COLUMNS + SEEN + "WHERE e.known = 'intended'" + ORDER;

    private static final TaskId BEFORE_ALL = new TaskId(new java.util.UUID(0, 0));

    private PostgresEffectRows() {}

    static void save(PostgresTransaction tx, Collection<StoredEffect> effects) throws SQLException {
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
                .texts(each(all, effect -> PostgresTasks.storable(effect.note())))
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

    static StoredEffect read(ResultSet row) throws SQLException {
        String how = row.getString(10);
        String verdict = row.getString(13);
        return new StoredEffect(
                new EffectId(PostgresStatement.id(row, 1), row.getString(2), row.getInt(3)),
                new Lease(PostgresStatement.id(row, 4), row.getInt(5)),
                Known.valueOf(row.getString(6).toUpperCase(Locale.ROOT)),
                Instant.ofEpochMilli(row.getLong(7)),
                instant(PostgresStatement.longOrNull(row, 8)),
                instant(PostgresStatement.longOrNull(row, 9)),
                how == null ? null : How.valueOf(how.toUpperCase(Locale.ROOT)),
                row.getString(11),
                row.getString(12),
                verdict == null
                        ? null
                        : new Resolution(
                                Verdict.valueOf(verdict.toUpperCase(Locale.ROOT)),
                                null,
                                row.getString(14),
                                row.getString(15)));
    }

    static Map<TaskId, List<EffectRecord>> of(PostgresSession session, Collection<TaskId> lineages, @Nullable Long now)
            throws SQLException {
        Map<TaskId, List<EffectRecord>> found = new LinkedHashMap<>();
        for (EffectRecord effect :
                session.sql(OF_LINEAGES).withLong(now).ids(lineages).list(PostgresEffectRows::seen)) {
            found.computeIfAbsent(effect.id().lineage(), lineage -> new ArrayList<>())
                    .add(effect);
        }
        return found;
    }

    static EffectPage list(PostgresSession session, EffectQuery query, @Nullable Long now) throws SQLException {
        EffectId after = query.after();
        boolean open = !query.states().isEmpty()
                && Set.of(EffectState.UNKNOWN, EffectState.IN_PROGRESS).containsAll(query.states());
        List<EffectRecord> rows = session.sql(open ? LIST_INTENDED : LIST)
                .withLong(now)
                .with(after == null)
                .with(after == null ? BEFORE_ALL : after.lineage())
                .withText(after == null ? "" : after.name())
                .with(after == null ? 0 : after.index())
                .with(query.limit())
                .list(PostgresEffectRows::seen);
        return new EffectPage(
                rows.stream()
                        .filter(effect ->
                                query.states().isEmpty() || query.states().contains(effect.state()))
                        .toList(),
                rows.size() < query.limit() ? null : rows.getLast().id());
    }

    private static EffectRecord seen(ResultSet row) throws SQLException {
        return read(row).seen(row.getBoolean(16), Instant.ofEpochMilli(row.getLong(17)));
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
