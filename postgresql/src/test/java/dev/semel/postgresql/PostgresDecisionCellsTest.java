package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.submit.SingleRoundTripSubmit;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.storetests.Tasks;
import dev.semel.task.Decision;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The part of the reuse policies that {@link SingleRoundTripSubmit} has in its SQL, compared with {@link Decision} cell by cell.
 *
 * <p>The statement adds the new tasks of a batch unless a key of the batch may change hands, because then tasks have to be
 * created in the order of the batch. So each batch here has a task that meets another one, and behind it a task that is new: if
 * the decision creates the first one too, it has to be older than the second.
 */
@Timeout(300)
class PostgresDecisionCellsTest {

    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofDays(30);
    private static final String INPUT = "{\"order\":1}";
    private static final String OTHER = "{\"order\":2}";

    private static final List<TaskState> OPEN = List.of(TaskState.PENDING, TaskState.RUNNING, TaskState.WAITING);
    private static final List<TaskState> UNSUCCESSFUL =
            List.of(TaskState.FAILED, TaskState.CANCELLED, TaskState.TIMED_OUT);

    private final ManualClock clock = new ManualClock();

    /** One cell: what is there, and what comes. */
    private record Cell(int number, TaskState state, ReusePolicy policy, boolean otherInput, boolean windowPassed) {

        NewTask first(ReusePolicy itsPolicy) {
            return task("cell " + number, state.word(), INPUT, windowPassed ? SHORT : LONG, itsPolicy);
        }

        NewTask second() {
            return task("cell " + number, state.word(), otherInput ? OTHER : INPUT, LONG, policy);
        }
    }

    @Test
    void everyCellIsDecidedAsTheFunctionDecides() throws SQLException {
        DataSource database = PostgresServer.freshDatabase();
        try (PostgresTaskStore store = PostgresTaskStore.open(
                database, PostgresSettings.standard().withHints(false).withClock(clock))) {
            List<Cell> cells = cells();
            setUp(store, cells);
            clock.advance(SHORT);
            Map<TaskId, TaskId> older = new HashMap<>();
            for (Cell cell : cells) {
                NewTask again = cell.second();
                NewTask fresh = task("fresh " + cell.number(), "fresh", INPUT, LONG, ReusePolicy.never());
                List<Submitted> answers = store.submit(List.of(again, fresh));
                assertThat(kind(answers.getFirst())).as("%s", cell).isEqualTo(expected(cell, again));
                assertThat(answers.getLast()).as("%s", cell).isInstanceOf(Submitted.Created.class);
                if (answers.getFirst() instanceof Submitted.Created) {
                    older.put(again.id(), fresh.id());
                }
            }
            assertOlder(database, older);
        }
    }

    private static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (WhileOpen pending : WhileOpen.values()) {
            for (WhileOpen running : WhileOpen.values()) {
                for (WhileOpen waiting : WhileOpen.values()) {
                    for (OtherInput other : OtherInput.values()) {
                        AfterEnd rule = AfterEnd.RETURN;
                        ReusePolicy policy = new ReusePolicy(pending, running, waiting, rule, rule, rule, rule, other);
                        OPEN.forEach(state -> add(cells, state, policy));
                    }
                }
            }
        }
        WhileOpen open = WhileOpen.RETURN;
        for (AfterEnd completed : AfterEnd.values()) {
            for (OtherInput other : OtherInput.values()) {
                for (AfterEnd rule : AfterEnd.values()) {
                    ReusePolicy policy = new ReusePolicy(open, open, open, completed, rule, rule, rule, other);
                    UNSUCCESSFUL.forEach(state -> add(cells, state, policy));
                    add(cells, TaskState.COMPLETED, policy);
                }
            }
        }
        return cells;
    }

    private static void add(List<Cell> cells, TaskState state, ReusePolicy policy) {
        for (boolean windowPassed : new boolean[] {false, true}) {
            cells.add(new Cell(cells.size(), state, policy, true, windowPassed));
            if (policy.otherInput() == OtherInput.CONFLICT) { // of no meaning for the same input
                cells.add(new Cell(cells.size(), state, policy, false, windowPassed));
            }
        }
    }

    /** Brings a task of each cell into the cell's state. */
    private static void setUp(PostgresTaskStore store, List<Cell> cells) {
        create(
                store,
                cells.stream().map(cell -> cell.first(ReusePolicy.never())).toList());
        List<Settlement> settlements = new ArrayList<>();
        for (TaskState state : TaskState.values()) {
            if (state != TaskState.PENDING) {
                for (Claimed claimed : store.claim(claim(state)).tasks()) {
                    Settlement settlement = settlement(state, claimed.lease());
                    if (settlement != null) {
                        settlements.add(settlement);
                    }
                }
            }
        }
        assertThat(store.settle(settlements)).allMatch(Settled.APPLIED::equals);
        ReusePolicy replacing = ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RETURN, AfterEnd.RETURN);
        create(
                store,
                cells.stream()
                        .filter(cell -> cell.state() == TaskState.WAITING)
                        .map(cell -> cell.first(replacing))
                        .toList());
    }

    private static void create(PostgresTaskStore store, List<NewTask> tasks) {
        assertThat(store.submit(tasks)).allMatch(Submitted.Created.class::isInstance);
    }

    private static ClaimRequest claim(TaskState state) {
        return new ClaimRequest(
                1 + state.word().hashCode(), // another number for each queue
                false,
                Set.of(state.word()),
                null,
                ClaimRequest.MAX_LIMIT,
                ClaimRequest.MAX_LIMIT,
                ClaimRequest.MAX_LIMIT,
                ClaimRequest.ANY_BYTES,
                Duration.ofDays(1),
                "worker");
    }

    private static @Nullable Settlement settlement(TaskState state, Lease lease) {
        return switch (state) {
            case COMPLETED -> new Settlement.Complete(lease, null);
            case FAILED -> new Settlement.Fail(lease, false, "broken");
            case TIMED_OUT -> new Settlement.Fail(lease, true, "too slow");
            case CANCELLED -> new Settlement.Cancelled(lease);
            case PENDING, RUNNING, WAITING -> null;
        };
    }

    private static String expected(Cell cell, NewTask again) {
        Decision decision = Decision.decide(
                new Decision.Existing(
                        Tasks.TYPE,
                        hash(INPUT),
                        cell.state(),
                        cell.state() == TaskState.WAITING ? 2 : 1,
                        cell.windowPassed()),
                new Decision.Request(
                        again.type(), Objects.requireNonNull(again.key()).inputHash()),
                cell.policy());
        return switch (decision) {
            case Decision.Create create -> "created 1";
            case Decision.Rerun(int run, boolean sameLineage) -> "created " + run;
            case Decision.Replace(int run) -> "created " + run;
            case Decision.Return(boolean differs) -> "returned " + differs;
            case Decision.Reject(boolean differs) -> "rejected " + differs;
            case Decision.Conflict conflict -> "conflicted";
        };
    }

    private static String kind(Submitted answer) {
        return switch (answer) {
            case Submitted.Created created -> "created " + created.run();
            case Submitted.Returned returned -> "returned " + returned.inputDiffers();
            case Submitted.Rejected rejected -> "rejected " + rejected.inputDiffers();
            case Submitted.Conflicted conflicted -> "conflicted";
            case Submitted.Busy busy -> "busy";
            case Submitted.Cancellation cancellation -> "cancelled";
            case Submitted.Signalled signalled -> "signalled";
        };
    }

    private static void assertOlder(DataSource database, Map<TaskId, TaskId> older) throws SQLException {
        Map<String, Long> created = new HashMap<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id::text, seq FROM semel.task")) {
            while (row.next()) {
                created.put(row.getString(1), row.getLong(2));
            }
        }
        assertThat(older).isNotEmpty();
        older.forEach((first, second) -> assertThat(created.get(first.value().toString()))
                .as("%s is created before %s", first, second)
                .isLessThan(created.get(second.value().toString())));
    }

    private static NewTask task(String key, String queue, String input, Duration window, ReusePolicy policy) {
        return new NewTask(
                Tasks.id(),
                Identity.DEFAULT_TENANT,
                queue,
                Tasks.TYPE,
                input,
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(Tasks.identity(key), hash(input), window, policy));
    }

    private static InputHash hash(String input) {
        return InputHash.of(Json.parse(input), List.of());
    }
}
