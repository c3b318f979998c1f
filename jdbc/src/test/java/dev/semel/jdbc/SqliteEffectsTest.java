package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.NewTask;
import dev.semel.store.QueueDepth;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Transition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
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

    private void apply(Transition... moves) {
        assertThat(store.apply(List.of(moves))).containsOnly(Applied.APPLIED);
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
        apply(new Transition.Extend(plain, Tasks.LEASE), new Transition.Complete(plain, "1"));
        Lease keyed = begun(Tasks.keyed("key", "{}"));
        Tasks.submit(store, Tasks.keyed("key", "{}"));
        apply(new Transition.Retry(keyed, Duration.ZERO, "again"));
        Lease again = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        apply(new Transition.PutBack(again, Duration.ZERO));
        Lease last = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        apply(new Transition.Fail(last, false, "broken"), new Transition.Redrive(keyed.taskId(), 3));
        Tasks.submit(store, Tasks.plain());
        apply(new Transition.Cancel(keyed.taskId()));
        assertThat(store.depths()).containsKey(Tasks.QUEUE);
        assertThat(Tasks.stored(store)).hasSize(3);
    }

    @Test
    void unknownEffectsAreFoundByAnIndexThatHoldsNothingElse() throws SQLException {
        Lease lease = begun(Tasks.plain());
        List<Transition> moves = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            EffectId id = new EffectId(lease.taskId(), "charge", i);
            moves.add(new Transition.Intend(lease, id, null));
            moves.add(new Transition.Conclude(lease, id, DONE));
        }
        EffectId unknown = new EffectId(lease.taskId(), "mail", 0);
        moves.add(new Transition.Intend(lease, unknown, null));
        moves.add(new Transition.Retry(lease, Duration.ZERO, "died"));
        apply(moves.toArray(Transition[]::new));
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
    void aFilterThatLetsLittlePassEndsItsPagesEarlyAndMissesNothing() {
        Lease lease = begun(Tasks.plain());
        int number = 25_000;
        List<Transition> moves = new ArrayList<>();
        Set<Integer> failing = Set.of(0, 9_999, 10_000, 24_999);
        EffectOutcome refused = new EffectOutcome.NotDone("refused", EffectOutcome.How.RAN);
        for (int i = 0; i < number; i++) {
            EffectId id = new EffectId(lease.taskId(), "charge", i);
            moves.add(new Transition.Intend(lease, id, null));
            moves.add(new Transition.Conclude(lease, id, failing.contains(i) ? refused : DONE));
        }
        apply(moves.toArray(Transition[]::new));
        List<Integer> found = new ArrayList<>();
        int pages = 0;
        EffectQuery query = new EffectQuery(Set.of(EffectState.NOT_DONE), null, 100);
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

    @Test
    void aParkedTaskIsCountedAsWaitingAndNothingButAWordLetsItGo() {
        NewTask task = Tasks.keyed("key", "{}");
        Lease lease = begun(task);
        EffectId charge = new EffectId(lease.taskId(), "charge", 0);
        apply(new Transition.Intend(lease, charge, null), new Transition.Park(lease, charge, "nobody knows"));
        QueueDepth depth = store.depths().get(Tasks.QUEUE);
        assertThat(depth.waiting()).isEqualTo(1);
        assertThat(depth.due() + depth.delayed() + depth.running() + depth.dead())
                .isZero();

        Lease other = begun(Tasks.plain());
        apply(new Transition.Complete(other, null));
        assertThat(store.claim(Tasks.request(10)).tasks()).isEmpty();
        apply(new Transition.Resolve(charge, lease, new Resolution(Verdict.DONE, "1", "ada", "seen")));
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(task.id());
    }

    @Test
    void anAttemptThatParkedIsADeathOnlyIfItWasGivenUp() {
        Lease first = begun(Tasks.plain());
        TaskId id = first.taskId();
        EffectId charge = new EffectId(id, "charge", 0);
        Resolution seen = new Resolution(Verdict.NOT_DONE, null, "ada", "seen");
        Resolution givenUp = new Resolution(Verdict.GIVE_UP, null, "ada", "lost");
        apply(
                new Transition.Intend(first, charge, null),
                new Transition.Park(first, charge, "nobody knows"),
                new Transition.Resolve(charge, first, seen));
        Lease second = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        apply(
                new Transition.Intend(second, charge, null),
                new Transition.Park(second, charge, "nobody knows"),
                new Transition.Resolve(charge, second, givenUp));
        assertThat(store.find(List.of(id)).get(id).state()).isEqualTo(TaskState.FAILED);
        assertThat(store.apply(List.of(new Transition.Redrive(id, 1)))).containsExactly(Applied.STALE);
        apply(new Transition.Redrive(id, 2), new Transition.Redrive(id, 2));
        assertThat(store.apply(List.of(new Transition.Redrive(id, 1)))).containsExactly(Applied.STALE);
        assertThat(store.attempts(id)).hasSize(2);
    }
}
