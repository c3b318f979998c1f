package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.store.EffectRecord;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.storetests.process.EffectCrashWorker.Point;
import dev.semel.storetests.process.EffectCrashWorker.Policy;
import dev.semel.task.EffectId;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is left of an effect when the process that runs it is killed, at every point and with every policy, on a durable store.
 * What happened is written as rows of a table, and has to be the table
 * {@code effects-under-crash.md} beside this class.
 */
@Timeout(300)
public abstract class EffectCrashContract {

    private static final String TABLE = "effects-under-crash.md";

    // Of the worker that is killed: as long as this takes until another one may take its tasks.
    private static final Duration LEASE = Duration.ofMillis(500);

    private EffectProvider provider;

    /** For subclasses. */
    protected EffectCrashContract() {}

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return a public class with a public constructor that takes nothing
     */
    protected abstract Class<? extends StoreOpener> opener();

    /**
     * Creates a store without tasks.
     *
     * @return where it is
     * @throws Exception if it cannot be created
     */
    protected abstract String freshAddress() throws Exception;

    /**
     * Connects to the database of a store.
     *
     * @param address where the store is
     * @return a connection
     * @throws SQLException if there is none
     */
    protected abstract Connection connect(String address) throws SQLException;

    private TaskStore open(String address) {
        return StoreOpener.open(opener().getName(), address);
    }

    @BeforeEach
    void begin() throws IOException {
        provider = new EffectProvider();
    }

    @AfterEach
    void end() throws IOException {
        provider.close();
    }

    @Test
    void theTableHasARowForEveryPointAndPolicy() throws IOException {
        List<String> expected = Stream.of(Point.values())
                .flatMap(
                        point -> Stream.of(Policy.values()).map(policy -> "| " + point.words() + " | " + policy + " |"))
                .toList();
        assertThat(rows(null))
                .extracting(row -> row.substring(0, row.indexOf('|', row.indexOf('|', 1) + 1) + 1))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void killedAt(Point point) throws Exception {
        List<String> happened = new ArrayList<>();
        if (point == Point.IN_TRANSACTION) {
            // A store may have but one transaction of a handler open at a time.
            for (Policy policy : Policy.values()) {
                happened.addAll(new Run(point, List.of(policy)).rows());
            }
        } else {
            happened.addAll(new Run(point, List.of(Policy.values())).rows());
        }
        assertThat(String.join("\n", happened))
                .as("the rows of \"%s\" in %s", point.words(), TABLE)
                .isEqualTo(String.join("\n", rows(point)));
    }

    /** The rows of the table; of one point, or all. */
    static List<String> rows(@Nullable Point point) throws IOException {
        try (InputStream in = Objects.requireNonNull(EffectCrashContract.class.getResourceAsStream(TABLE))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> point == null || line.startsWith("| " + point.words() + " | "))
                    .toList();
        }
    }

    /** One process that is killed, and all that follows. */
    private final class Run {

        private final Point point;
        private final List<Policy> policies;
        private final String address;
        private final Map<Policy, TaskId> ids = new EnumMap<>(Policy.class);
        private final Map<Policy, String> atDeath = new EnumMap<>(Policy.class);
        private final List<String> rows = new ArrayList<>();

        Run(Point point, List<Policy> policies) throws Exception {
            this.point = point;
            this.policies = policies;
            this.address = freshAddress();
        }

        List<String> rows() throws Exception {
            try (Connection connection = connect(address);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE paid (receipt VARCHAR(100))");
            }
            submit();
            killThere();
            try (TaskStore store = open(address)) {
                for (Policy policy : policies) {
                    atDeath.put(policy, ledger(store, policy));
                }
                goOn(store);
            }
            return rows;
        }

        private void submit() {
            try (Semel semel = Semel.on(open(address)).build()) {
                for (Policy policy : policies) {
                    ids.put(
                            policy,
                            semel.submit(EffectCrashWorker.TYPE, point.mode())
                                    .queue(policy.queue())
                                    .idempotencyKey(policy.queue())
                                    .send()
                                    .taskId());
                }
            }
        }

        private void killThere() throws Exception {
            List<Object> arguments =
                    new ArrayList<>(List.of(opener().getName(), address, provider.port(), point, LEASE.toMillis()));
            arguments.addAll(policies);
            try (Child child = Child.run(EffectCrashWorker.class, arguments.toArray())) {
                List<String> expected = new ArrayList<>();
                policies.forEach(policy -> expected.add("at " + policy));
                while (!expected.isEmpty()) {
                    String line = child.line();
                    assertThat(expected.remove(line)).as("printed \"%s\"", line).isTrue();
                }
                child.kill();
                child.exit();
            }
        }

        /** Lets other workers continue, and notes what they make of it. */
        private void goOn(TaskStore store) throws SQLException {
            EffectProvider.Client client = new EffectProvider.Client(provider.port());
            // Not closed before the store is done with: it would close that as well.
            EffectCrashWorker worker = new EffectCrashWorker(store, client, null, policies, Duration.ofSeconds(30));
            try (worker) {
                for (Policy policy : policies) {
                    await().atMost(Duration.ofMinutes(2))
                            .until(() -> !List.of(TaskState.PENDING, TaskState.RUNNING)
                                    .contains(task(store, policy).state()));
                    rows.add(row(store, policy));
                    resolved(store, policy);
                }
            }
        }

        private String row(TaskStore store, Policy policy) throws SQLException {
            Task task = task(store, policy);
            EffectRecord effect = effect(store, task);
            String token = new EffectId(task.id(), EffectCrashWorker.EFFECT, 0).token();
            assertThat(effect.id().token()).isEqualTo(token);
            List<String> cells = List.of(
                    point.words(),
                    policy.name(),
                    atDeath.getOrDefault(policy, ""),
                    task.state().word() + ", attempt " + task.progress().attempt(),
                    effect.state().word()
                            + (effect.how() == null ? "" : ", " + effect.how().word()),
                    Integer.toString(provider.calls(token)),
                    provider.receipt(token).isPresent() ? "1" : "0",
                    point.mode().equals(EffectCrashWorker.PLAIN) ? "–" : paid(policy));
            return "| " + String.join(" | ", cells) + " |";
        }

        /** How often the handler's own row of this policy is there. */
        private String paid(Policy policy) throws SQLException {
            String token = new EffectId(id(policy), EffectCrashWorker.EFFECT, 0).token();
            try (Connection connection = connect(address);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM paid WHERE receipt = '"
                            + provider.receipt(token).orElseThrow() + "'")) {
                row.next();
                return row.getString(1);
            }
        }

        /** A parked task ends when a person has looked: then it was charged once, as all others that may be charged. */
        private void resolved(TaskStore store, Policy policy) {
            Task task = task(store, policy);
            String token = new EffectId(task.id(), EffectCrashWorker.EFFECT, 0).token();
            if (task.state() == TaskState.WAITING) {
                EffectRecord effect = effect(store, task);
                Resolution word = provider.receipt(token)
                        .map(receipt -> new Resolution(Verdict.DONE, "\"" + receipt + "\"", "ada", "found there"))
                        .orElseGet(() -> new Resolution(Verdict.NOT_DONE, null, "ada", "not found there"));
                assertThat(store.operate(List.of(new Operation.Resolve(effect.id(), effect.by(), word))))
                        .containsExactly(Operated.APPLIED);
                await().atMost(Duration.ofMinutes(2))
                        .until(() -> task(store, policy).state() == TaskState.COMPLETED);
                assertThat(provider.calls(token)).isEqualTo(1);
            }
            assertThat(task(store, policy).state()).isEqualTo(TaskState.COMPLETED);
            String result = provider.receipt(token).orElse("assumed");
            assertThat(task(store, policy).progress().result())
                    .isIn("\"" + result + "\"", policy == Policy.ASSUME_DONE ? "\"assumed\"" : null);
        }

        private Task task(TaskStore store, Policy policy) {
            TaskId id = id(policy);
            return Objects.requireNonNull(store.find(List.of(id)).get(id));
        }

        private TaskId id(Policy policy) {
            return Objects.requireNonNull(ids.get(policy));
        }

        private static EffectRecord effect(TaskStore store, Task task) {
            return Objects.requireNonNull(store.effects(List.of(task.id())).get(task.id()))
                    .getFirst();
        }

        /** The ledger when the process is dead and its task is not taken over yet. */
        private String ledger(TaskStore store, Policy policy) {
            TaskId id = id(policy);
            return store.effects(List.of(id)).getOrDefault(id, List.of()).stream()
                    .map(effect -> effect.state().word())
                    .findFirst()
                    .orElse("nothing");
        }
    }
}
