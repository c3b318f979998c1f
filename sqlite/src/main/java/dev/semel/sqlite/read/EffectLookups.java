package dev.semel.sqlite.read;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.table.EffectRows;
import dev.semel.sqlite.transaction.Names;
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
import org.jspecify.annotations.Nullable;

/** Reads of effects, in one state of the database. */
public final class EffectLookups {

    // Rows that one page reads at most: some milliseconds. A page that the filter leaves empty still says where to
    // continue.
    private static final int MOST_ROWS = 10_000;

    private static final String OF_LINEAGE = """
            SELECT e.lineage, e.name, e."index", e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how,
              e.verdict, e.resolved_by, e.reason, e.note, e.result,
              EXISTS (
                SELECT 1 FROM semel_task t WHERE t.id = e.task AND t.attempt = e.attempt AND t.state = 'running')
            FROM semel_effect e
            WHERE e.lineage = ? ORDER BY e.name, e."index"
            """;

    private static final String LIST = """
            SELECT e.lineage, e.name, e."index", e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how,
              e.verdict, e.resolved_by, e.reason, e.note, e.result,
              EXISTS (
                SELECT 1 FROM semel_task t WHERE t.id = e.task AND t.attempt = e.attempt AND t.state = 'running')
            FROM semel_effect e
            WHERE (e.lineage, e.name, e."index") > (?1, ?2, ?3) ORDER BY e.lineage, e.name, e."index" LIMIT ?4
            """;

    private static final String LIST_INTENDED = """
            SELECT e.lineage, e.name, e."index", e.task, e.attempt, e.known, e.intended_at, e.window_end, e.settled_at, e.how,
              e.verdict, e.resolved_by, e.reason, e.note, e.result,
              EXISTS (
                SELECT 1 FROM semel_task t WHERE t.id = e.task AND t.attempt = e.attempt AND t.state = 'running')
            FROM semel_effect e INDEXED BY semel_effect_intended
            WHERE e.known = 'intended' AND (e.lineage, e.name, e."index") > (?1, ?2, ?3)
            ORDER BY e.lineage, e.name, e."index" LIMIT ?4
            """;

    // All tasks of a lineage are of one tenant. One of them is stored, or a tombstone that can make another (E10).
    public static final String LANE = """
            SELECT coalesce(
              (SELECT lane FROM semel_task WHERE id = ?1),
              (SELECT lane FROM semel_task WHERE id = ?2),
              (SELECT lane FROM semel_task INDEXED BY semel_task_lineage WHERE lineage = ?2 LIMIT 1),
              (SELECT lane FROM semel_record INDEXED BY semel_record_lineage
                WHERE coalesce(lineage, task_id) = ?2 AND state IS NOT NULL AND state <> 'completed' LIMIT 1))
            """;

    private static final int RUNNING = 16;

    // Less than every id, which has 16 bytes.
    private static final byte[] BEFORE_ALL = new byte[0];

    private final Session session;
    private final Instant now;

    public EffectLookups(Session session, long now) {
        this.session = session;
        this.now = Instant.ofEpochMilli(now);
    }

    public Map<TaskId, List<EffectRecord>> of(Collection<TaskId> lineages) throws SQLException {
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

    public EffectPage list(EffectQuery query, Names names) throws SQLException {
        Set<Known> wanted = known(query.states());
        boolean intended = wanted.equals(Set.of(Known.INTENDED));
        EffectId after = query.after();
        List<EffectRecord> page = new ArrayList<>();
        EffectId last = null;
        int rows = 0;
        try (ResultSet row = session.sql(intended ? LIST_INTENDED : LIST)
                .with(after == null ? BEFORE_ALL : ColumnValues.bytes(after.lineage()))
                .with(after == null ? "" : after.name())
                .with(after == null ? 0 : after.index())
                .with(MOST_ROWS)
                .query()) {
            while (page.size() < query.limit() && row.next()) {
                rows++;
                last = EffectRows.id(row);
                // Checked before the result is read, which may be large.
                EffectRecord effect =
                        wanted.contains(EffectRows.known(row)) && isOf(query.tenant(), row, names) ? seen(row) : null;
                if (effect != null
                        && (query.states().isEmpty() || query.states().contains(effect.state()))) {
                    page.add(effect);
                }
            }
        }
        return new EffectPage(page, page.size() == query.limit() || rows == MOST_ROWS ? last : null);
    }

    private boolean isOf(@Nullable String tenant, ResultSet effect, Names names) throws SQLException {
        if (tenant == null) {
            return true;
        }
        try (ResultSet row = session.sql(LANE)
                .with(EffectRows.task(effect))
                .with(EffectRows.id(effect).lineage())
                .query()) {
            row.next();
            int lane = row.getInt(1);
            return !row.wasNull() && tenant.equals(names.lane(lane).tenant());
        }
    }

    /** What is stored of effects in these states. */
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
        return EffectRows.stored(row).seen(row.getBoolean(RUNNING), now);
    }
}
