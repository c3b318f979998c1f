package dev.semel.jdbc;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.StoredEffect.Known;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looking at effects, in one state of the database. */
final class SqliteEffectLookups {

    // Rows that one page walks past: some milliseconds. A page that the filter leaves empty still says where to go on.
    private static final int MOST_ROWS = 10_000;

    private static final String SELECT = "SELECT " + SqliteEffects.COLUMNS + """
            , EXISTS (
                SELECT 1 FROM semel_task t WHERE t.id = e.task AND t.attempt = e.attempt AND t.state = 'running')
            FROM semel_effect e\s""";

    private static final int RUNNING = 16;

    private static final String OF_LINEAGE = SELECT + "WHERE e.lineage = ? ORDER BY e.name, e.\"index\"";

    private static final String AFTER = """
            (e.lineage, e.name, e."index") > (?1, ?2, ?3) ORDER BY e.lineage, e.name, e."index" LIMIT ?4
            """;

    private static final String LIST = SELECT + "WHERE " + AFTER;

    private static final String LIST_INTENDED =
            SELECT + "INDEXED BY semel_effect_intended WHERE e.known = 'intended' AND " + AFTER;

    // Less than every id, which has 16 bytes.
    private static final byte[] BEFORE_ALL = new byte[0];

    private final SqliteSession session;
    private final Instant now;

    SqliteEffectLookups(SqliteSession session, long now) {
        this.session = session;
        this.now = Instant.ofEpochMilli(now);
    }

    Map<TaskId, List<EffectRecord>> of(Collection<TaskId> lineages) throws SQLException {
        Map<TaskId, List<EffectRecord>> found = new LinkedHashMap<>();
        for (TaskId lineage : lineages) {
            List<EffectRecord> effects = new ArrayList<>();
            try (ResultSet row = session.sql(OF_LINEAGE).with(lineage).query()) {
                while (row.next()) {
                    effects.add(seen(row));
                }
            }
            if (!effects.isEmpty()) {
                found.put(lineage, effects);
            }
        }
        return found;
    }

    EffectPage list(EffectQuery query) throws SQLException {
        Set<Known> wanted = known(query.states());
        boolean intended = wanted.equals(Set.of(Known.INTENDED));
        EffectId after = query.after();
        List<EffectRecord> page = new ArrayList<>();
        EffectId last = null;
        int rows = 0;
        try (ResultSet row = session.sql(intended ? LIST_INTENDED : LIST)
                .with(after == null ? BEFORE_ALL : SqliteValues.bytes(after.lineage()))
                .with(after == null ? "" : after.name())
                .with(after == null ? 0 : after.index())
                .with(MOST_ROWS)
                .query()) {
            while (page.size() < query.limit() && row.next()) {
                rows++;
                last = SqliteEffects.id(row);
                // Before its result is read, which may be large.
                EffectRecord effect = wanted.contains(SqliteEffects.known(row)) ? seen(row) : null;
                if (effect != null
                        && (query.states().isEmpty() || query.states().contains(effect.state()))) {
                    page.add(effect);
                }
            }
        }
        return new EffectPage(page, page.size() == query.limit() || rows == MOST_ROWS ? last : null);
    }

    /** What is kept of effects in these states. */
    private static Set<Known> known(Set<EffectState> states) {
        Set<Known> known = EnumSet.noneOf(Known.class);
        for (EffectState state : states.isEmpty() ? EnumSet.allOf(EffectState.class) : states) {
            known.add(
                    switch (state) {
                        case IN_PROGRESS, UNKNOWN -> Known.INTENDED;
                        case DONE -> Known.DONE;
                        case NOT_DONE -> Known.NOT_DONE;
                    });
        }
        return known;
    }

    private EffectRecord seen(ResultSet row) throws SQLException {
        return SqliteEffects.stored(row).seen(row.getBoolean(RUNNING), now);
    }
}
