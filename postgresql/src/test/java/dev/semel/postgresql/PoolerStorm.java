package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.guard.Guard;
import dev.semel.guard.WhenBusy;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/**
 * Many threads that submit, claim, complete and run guarded effects at the same time, each on one connection after the other;
 * then every task must have been accepted once for its key and completed once, with its effect.
 */
final class PoolerStorm {

    private static final int THREADS = 6;
    private static final int KEYS = 30;
    private static final int CLAIMED = 5;
    private static final int IN_TRANSACTIONS = 2;

    private final PostgresTaskStore store;
    private final PostgresGuardStore guards;
    private final DataSource direct;
    private final Set<TaskId> accepted = ConcurrentHashMap.newKeySet();
    private final Set<TaskId> completed = ConcurrentHashMap.newKeySet();
    private final Set<TaskId> inTransactions = ConcurrentHashMap.newKeySet();
    private final Queue<String> guarded = new ConcurrentLinkedQueue<>();

    private PoolerStorm(PostgresTaskStore store, PostgresGuardStore guards, DataSource direct) {
        this.store = store;
        this.guards = guards;
        this.direct = direct;
    }

    /** Runs a storm and checks what it leaves. */
    static void rage(PostgresTaskStore store, PostgresGuardStore guards, DataSource direct) throws Exception {
        new PoolerStorm(store, guards, direct).rage();
    }

    /** A pool as a program has one. */
    static HikariDataSource pool(DataSource database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(THREADS + 2);
        return new HikariDataSource(config);
    }

    private void rage() throws Exception {
        try (Connection connection = direct.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (task uuid)");
        }
        try (Guard guard = Guard.on(guards).whenBusy(WhenBusy.WAIT).remember(0).build()) {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        work(number, guard);
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
        }
        check();
    }

    private void work(int number, Guard guard) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            submit("key " + key, "own " + number + " " + key);
            List<Claimed> claimed = new ArrayList<>(claim());
            for (int i = 0; i < IN_TRANSACTIONS && !claimed.isEmpty(); i++) {
                completeInTransaction(claimed.removeFirst());
            }
            apply(claimed);
            String name = "guarded " + key;
            guard.run(name, token -> guarded.add(name));
        }
    }

    private List<Claimed> claim() {
        return store.claim(Tasks.request(CLAIMED)).tasks();
    }

    private void submit(String shared, String own) {
        List<NewTask> batch = List.of(Tasks.keyed(shared, "{}"), Tasks.keyed(own, "{}"), Tasks.plain());
        List<Submitted> answers = store.submit(batch);
        for (int i = 0; i < batch.size(); i++) {
            if (answers.get(i) instanceof Submitted.Created) {
                accepted.add(batch.get(i).id());
            }
        }
    }

    private void completeInTransaction(Claimed claimed) throws Exception {
        TaskId id = claimed.task().id();
        Settled answer = store.transacting().orElseThrow().complete(claimed.lease(), connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
                insert.setObject(1, id.value());
                insert.executeUpdate();
            }
            return "1";
        });
        noteCompleted(id, answer);
        inTransactions.add(id);
    }

    private void noteCompleted(TaskId id, Settled answer) {
        assertThat(answer).as("completion of " + id).isEqualTo(Settled.APPLIED);
        assertThat(completed.add(id)).as("completed once: " + id).isTrue();
    }

    private void apply(List<Claimed> claimed) {
        List<Settlement> moves = new ArrayList<>();
        claimed.forEach(each -> moves.add(new Settlement.Complete(each.lease(), "1")));
        List<Settled> answers = store.settle(moves);
        for (int i = 0; i < moves.size(); i++) {
            noteCompleted(claimed.get(i).task().id(), answers.get(i));
        }
    }

    private void check() throws SQLException {
        for (List<Claimed> rest = claim(); !rest.isEmpty(); rest = claim()) {
            apply(rest);
        }
        assertThat(accepted).as("one task for each key, and those without").hasSize(KEYS * (1 + 2 * THREADS));
        assertThat(completed).isEqualTo(accepted);
        assertThat(ids("SELECT task FROM semel.done WHERE state = 'completed'")).isEqualTo(sorted(accepted));
        assertThat(ids("SELECT task FROM effect")).isEqualTo(sorted(inTransactions));
        assertThat(guarded).hasSize(KEYS).doesNotHaveDuplicates();
    }

    private static List<UUID> sorted(Set<TaskId> ids) {
        return ids.stream().map(TaskId::value).sorted().toList();
    }

    private List<UUID> ids(String sql) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        try (Connection connection = direct.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                ids.add(row.getObject(1, UUID.class));
            }
        }
        return ids.stream().sorted().toList();
    }
}
