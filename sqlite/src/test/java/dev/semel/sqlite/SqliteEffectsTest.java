package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.read.EffectLookups;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.storetests.Tasks;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What effects cost on SQLite, and how they are listed. The laws are those of every store. */
@Timeout(120)
class SqliteEffectsTest {

    private static final EffectOutcome DONE = new EffectOutcome.Done("\"receipt\"", EffectOutcome.How.RAN);

    @TempDir
    Path directory;

    private Path file;
    private SqliteTaskStore store;

    @BeforeEach
    void open() {
        file = directory.resolve("semel.db");
        store = SqliteTaskStore.open(file);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Lease begun(NewTask task) {
        Tasks.submit(store, task);
        return store.claim(Tasks.request(1)).tasks().getFirst().lease();
    }

    private void settle(Settlement... batch) {
        assertThat(store.settle(List.of(batch))).containsOnly(Settled.APPLIED);
    }

    private void operate(Operation... batch) {
        assertThat(store.operate(List.of(batch))).containsOnly(Operated.APPLIED);
    }

    private List<String> rows(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(row.getString(row.getMetaData().getColumnCount()));
            }
            return rows;
        }
    }

    @Test
    void tasksWithoutEffectsNeverTouchTheTableOfEffects() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE semel_effect");
        }
        Lease plain = begun(Tasks.plain());
        settle(new Settlement.Extend(plain, Tasks.LEASE), new Settlement.Complete(plain, "1"));
        Lease keyed = begun(Tasks.keyed("key", "{}"));
        Tasks.submit(store, Tasks.keyed("key", "{}"));
        settle(new Settlement.Retry(keyed, Duration.ZERO, "again"));
        Lease again = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        settle(new Settlement.PutBack(again, Duration.ZERO));
        Lease last = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        settle(new Settlement.Fail(last, false, "broken"));
        operate(new Operation.Redrive(keyed.taskId(), 3));
        Tasks.submit(store, Tasks.plain());
        operate(new Operation.Cancel(keyed.taskId()));
        assertThat(store.depths()).containsKey(Tasks.QUEUE);
        assertThat(Tasks.stored(store)).hasSize(3);
    }

    @Test
    void unknownEffectsAreFoundByAnIndexThatHoldsNothingElse() throws SQLException {
        Lease lease = begun(Tasks.plain());
        List<Settlement> moves = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            EffectId id = new EffectId(lease.taskId(), "charge", i);
            moves.add(new Settlement.Intend(lease, id, null));
            moves.add(new Settlement.Conclude(lease, id, DONE));
        }
        EffectId unknown = new EffectId(lease.taskId(), "mail", 0);
        moves.add(new Settlement.Intend(lease, unknown, null));
        moves.add(new Settlement.Retry(lease, Duration.ZERO, "died"));
        settle(moves.toArray(Settlement[]::new));
        assertThat(store.effects(EffectQuery.unknown(10)).effects())
                .extracting(EffectRecord::id)
                .containsExactly(unknown);
        assertThat(rows("SELECT count(*) FROM semel_effect INDEXED BY semel_effect_intended WHERE known = 'intended'"))
                .containsExactly("1");
        assertThat(rows("EXPLAIN QUERY PLAN SELECT 1 FROM semel_effect e INDEXED BY semel_effect_intended WHERE"
                        + " e.known = 'intended' AND (e.lineage, e.name, e.\"index\") > (x'', '', 0)"
                        + " ORDER BY e.lineage, e.name, e.\"index\" LIMIT 10"))
                .singleElement()
                .asString()
                .startsWith("SEARCH e USING COVERING INDEX semel_effect_intended");
    }

    @Test
    void theTenantOfAnEffectIsFoundByIndexes() throws SQLException {
        assertThat(rows("EXPLAIN QUERY PLAN "
                        + EffectLookups.LANE.replace("?1", "x'01'").replace("?2", "x'02'")))
                .filteredOn(step -> step.contains("semel_"))
                .hasSize(4)
                .allMatch(step -> step.startsWith("SEARCH ") && step.contains("USING"));
    }

    @Test
    void aFilterThatLetsLittlePassEndsItsPagesEarlyAndMissesNothing() {
        Lease lease = begun(Tasks.plain());
        int number = 25_000;
        List<Settlement> moves = new ArrayList<>();
        Set<Integer> failing = Set.of(0, 9_999, 10_000, 24_999);
        EffectOutcome refused = new EffectOutcome.NotDone("refused", EffectOutcome.How.RAN);
        for (int i = 0; i < number; i++) {
            EffectId id = new EffectId(lease.taskId(), "charge", i);
            moves.add(new Settlement.Intend(lease, id, null));
            moves.add(new Settlement.Conclude(lease, id, failing.contains(i) ? refused : DONE));
        }
        settle(moves.toArray(Settlement[]::new));
        List<Integer> found = new ArrayList<>();
        int pages = 0;
        EffectQuery query = new EffectQuery(null, Set.of(EffectState.NOT_DONE), null, 100);
        while (true) {
            EffectPage page = store.effects(query);
            page.effects().forEach(effect -> found.add(effect.id().index()));
            pages++;
            if (page.next() == null) {
                break;
            }
            query = query.after(page.next());
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(failing);
        assertThat(pages).isEqualTo(3);
        assertThat(store.effects(List.of(lease.taskId())).get(lease.taskId())).hasSize(number);
    }
}
