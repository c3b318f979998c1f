package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.Handler;
import dev.semel.store.Attempt;
import dev.semel.store.Claims;
import dev.semel.store.EffectOutcome;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.Submitted;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.store.Transacting.Work;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.Lease;
import dev.semel.task.RetryPolicy;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of {@link Transacting}: completing a task in one transaction with writes of its handler. */
public abstract class TransactingContract extends CallersTransactionContract {

    private static final TaskType<String, String> WORK = TaskType.builder("work", String.class, String.class)
            .retry(RetryPolicy.attempts(1))
            .build();

    // About as fast as real time, at the rate at which a test polls: a returned task becomes due again.
    private static final Duration TICK = Duration.ofMillis(100);

    /** For subclasses. */
    protected TransactingContract() {}

    private Transacting transacting() {
        return store.transacting().orElseThrow();
    }

    private Lease begun() {
        return begun(Tasks.plain());
    }

    private Lease begun(NewTask task) {
        assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
        Claims.Claimed claimed = store.claim(Tasks.request(1)).tasks().getFirst();
        assertThat(claimed.task().id()).isEqualTo(task.id());
        return claimed.lease();
    }

    private Task task(TaskId id) {
        return Objects.requireNonNull(store.find(List.of(id)).get(id));
    }

    private TaskState state(Lease lease) {
        return task(lease.taskId()).state();
    }

    private void assertUntouched(Lease lease) throws SQLException {
        assertThat(orders()).isEmpty();
        assertThat(state(lease)).isEqualTo(TaskState.RUNNING);
        assertThat(store.settle(List.of(new Settlement.Complete(lease, null)))).containsExactly(Settled.APPLIED);
    }

    @Test
    @DisplayName("The writes and the completion are there together after the commit, and not before")
    void theWritesAndTheCompletionAreThereTogetherAfterTheCommitAndNotBefore() throws Exception {
        Lease lease = begun();
        Settled answer = transacting().complete(lease, connection -> {
            order(connection, "a");
            assertThat(orders()).isEmpty();
            assertThat(state(lease)).isEqualTo(TaskState.RUNNING);
            return "{\"paid\":true}";
        });
        assertThat(answer).isEqualTo(Settled.APPLIED);
        assertThat(orders()).containsExactly("a");
        assertThat(state(lease)).isEqualTo(TaskState.COMPLETED);
        assertThat(task(lease.taskId()).progress().result()).isEqualTo("{\"paid\":true}");
        assertThat(store.attempts(lease.taskId())).hasSize(1);
    }

    @Test
    @DisplayName("What the handler throws is thrown as it is, and nothing is written")
    void whatTheHandlerThrowsIsThrownAsItIsAndNothingIsWritten() throws Exception {
        Lease lease = begun();
        Exception own = new Exception("out of stock");
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    order(connection, "a");
                    throw own;
                }))
                .isSameAs(own);
        Error error = new AssertionError("an error too");
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    order(connection, "a");
                    throw error;
                }))
                .isSameAs(error);
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    order(connection, "a");
                    order(connection, "a");
                    return null;
                }))
                .isInstanceOf(SQLException.class);
        assertUntouched(lease);
    }

    @Test
    @DisplayName("A lost lease completes nothing; an expired lease completes as long as no other attempt has begun")
    void aLeaseThatWasLostCompletesNothing() throws Exception {
        Lease first = begun();
        clock.advance(Tasks.LEASE.plusSeconds(1));
        Lease second = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        Work work = connection -> {
            order(connection, "a");
            return null;
        };
        assertThat(transacting().complete(first, work)).isEqualTo(Settled.STALE);
        assertThat(transacting().complete(new Lease(Tasks.id(), 1, 1), work)).isEqualTo(Settled.NOT_FOUND);
        assertThat(orders()).isEmpty();
        clock.advance(Tasks.LEASE.plusSeconds(1));
        assertThat(transacting().complete(second, work)).isEqualTo(Settled.APPLIED);
        assertThat(orders()).containsExactly("a");
    }

    @Test
    @DisplayName("A completion that was committed is not done twice")
    void aCompletionThatWasCommittedIsNotDoneTwice() throws Exception {
        Lease lease = begun();
        Work work = connection -> {
            order(connection, "a" + orders().size());
            return null;
        };
        assertThat(transacting().complete(lease, work)).isEqualTo(Settled.APPLIED);
        assertThat(transacting().complete(lease, work)).isEqualTo(Settled.STALE);
        assertThat(orders()).containsExactly("a0");
    }

    @Test
    @DisplayName("A task that was asked to cancel completes if its transaction does")
    void aTaskThatWasAskedToCancelCompletesIfItsTransactionDoes() throws Exception {
        Lease lease = begun();
        assertThat(store.operate(List.of(new Operation.Cancel(lease.taskId()))))
                .containsExactly(Operated.CANCEL_REQUESTED);
        assertThat(transacting().complete(lease, connection -> null)).isEqualTo(Settled.APPLIED);
        assertThat(state(lease)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName(
            "Everything that a completion does is done: listeners are notified, data without retention is deleted, effects too")
    void allThatAnyCompletionDoesIsDone() throws Exception {
        store.operate(List.of(new Operation.SetQueue(
                Tasks.QUEUE, QueueSettings.builder().retention(Duration.ZERO).build())));
        LinkedBlockingQueue<TaskId> ended = new LinkedBlockingQueue<>();
        try (TaskStore.Registration registration = store.listen(new StoreListener() {
            @Override
            public void tasksMayBeDue(Collection<String> queues) {}

            @Override
            public void tasksMayHaveEnded(Collection<TaskId> ids) {
                ended.addAll(ids);
            }
        })) {
            Lease lease = begun(Tasks.keyed("key", "{}"));
            EffectId charge = new EffectId(lease.taskId(), "charge", 0);
            EffectOutcome done = new EffectOutcome.Done("1", EffectOutcome.How.RAN);
            store.settle(
                    List.of(new Settlement.Intend(lease, charge, null), new Settlement.Conclude(lease, charge, done)));
            assertThat(store.effects(List.of(lease.taskId()))).hasSize(1);
            assertThat(transacting().complete(lease, connection -> {
                        assertThat(ended).isEmpty();
                        return "\"result\"";
                    }))
                    .isEqualTo(Settled.APPLIED);
            assertThat(ended.poll(30, TimeUnit.SECONDS)).isEqualTo(lease.taskId());
            assertThat(task(lease.taskId()).dataGone()).isTrue();
            assertThat(task(lease.taskId()).progress().result()).isNull();
            assertThat(store.record(Tasks.identity("key")).orElseThrow().dataGone())
                    .isTrue();
            assertThat(store.effects(List.of(lease.taskId()))).isEmpty();
        }
    }

    @Test
    @DisplayName("Tasks that are submitted inside exist if and only if it commits")
    void tasksThatAreSubmittedInsideExistIfAndOnlyIfItCommits() throws Exception {
        Lease lease = begun();
        NewTask dropped = Tasks.keyed("next", "{}");
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    assertThat(store.joining().orElseThrow().join(connection).submit(List.of(dropped)))
                            .singleElement()
                            .isInstanceOf(Submitted.Created.class);
                    throw new IllegalStateException("after the submission");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(store.find(List.of(dropped.id()))).isEmpty();

        NewTask kept = Tasks.keyed("next", "{}");
        assertThat(transacting().complete(lease, connection -> {
                    order(connection, "a");
                    assertThat(store.joining().orElseThrow().join(connection).submit(List.of(kept)))
                            .singleElement()
                            .isInstanceOf(Submitted.Created.class);
                    assertThat(store.find(List.of(kept.id()))).isEmpty();
                    return null;
                }))
                .isEqualTo(Settled.APPLIED);
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(kept.id());
    }

    @FunctionalInterface
    private interface SqlAction {
        void on(Connection connection) throws SQLException;
    }

    @Test
    @DisplayName(
            "A handler that ends its transaction itself is rejected, and can continue; a savepoint can undo a part")
    void aHandlerThatEndsItsTransactionItselfIsRejectedAndCanContinue() throws Exception {
        Lease lease = begun();
        assertThat(transacting().complete(lease, connection -> {
                    order(connection, "a");
                    List<SqlAction> refused = List.of(
                            Connection::commit,
                            Connection::rollback,
                            Connection::close,
                            any -> any.setAutoCommit(true),
                            any -> any.abort(Runnable::run));
                    for (SqlAction action : refused) {
                        assertThatThrownBy(() -> action.on(connection))
                                .isInstanceOf(InvalidInput.class)
                                .hasMessageContaining("ends with its task")
                                .hasMessageContaining("Return to commit, throw to roll back");
                    }
                    connection.setAutoCommit(false);
                    assertThat(connection.getAutoCommit()).isFalse();
                    Savepoint savepoint = connection.setSavepoint();
                    order(connection, "b");
                    connection.rollback(savepoint);
                    return null;
                }))
                .isEqualTo(Settled.APPLIED);
        assertThat(orders()).containsExactly("a");
        assertThat(state(lease)).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    @DisplayName("A transaction that the handler ends by SQL completes nothing")
    void aTransactionThatTheHandlerEndsBySqlCompletesNothing() throws Exception {
        Lease lease = begun();
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("ROLLBACK");
                    }
                    return null;
                }))
                .isInstanceOf(InvalidInput.class);
        assertUntouched(lease);
    }

    @Test
    @DisplayName("Statements that are left open are closed, and the connection is of no use afterwards")
    void statementsThatAreLeftOpenAreClosed() throws Exception {
        Lease lease = begun();
        List<Statement> left = new ArrayList<>();
        AtomicReference<Connection> kept = new AtomicReference<>();
        assertThat(transacting().complete(lease, connection -> {
                    kept.set(connection);
                    for (int i = 0; i < 200; i++) {
                        // Half read: some databases reject to commit while one like this is open.
                        PreparedStatement insert =
                                connection.prepareStatement("INSERT INTO " + TABLE + " VALUES (?) RETURNING id");
                        insert.setString(1, "order-" + i);
                        assertThat(insert.executeQuery().next()).isTrue();
                        left.add(insert);
                    }
                    return null;
                }))
                .isEqualTo(Settled.APPLIED);
        assertThat(orders()).hasSize(200);
        assertThat(kept.get().isClosed()).isTrue();
        assertThatThrownBy(() -> kept.get().createStatement())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("is over");
        for (Statement statement : left) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).isInstanceOf(SQLException.class);
            statement.close();
        }
    }

    @Test
    @DisplayName("A completion that fails rolls the writes back")
    void aCompletionThatFailsRollsTheWritesBack() throws Exception {
        Lease lease = begun();
        poison("\"poison\"");
        assertThatThrownBy(() -> transacting().complete(lease, connection -> {
                    order(connection, "a");
                    return "\"poison\"";
                }))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("poison");
        assertUntouched(lease);
    }

    @Test
    @DisplayName("An error of the handler's own statement is its task's failure")
    void anErrorOfTheHandlersOwnStatementIsItsTasksFailure() {
        Task failed = worked(
                (context, input) -> context.transaction(connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO there_is_no_such_table VALUES (1)");
                    }
                    return "done";
                }),
                TaskState.FAILED);
        assertThat(failed.progress().failures()).isEqualTo(1);
    }

    /**
     * Runs a handler that may fail once, until its task has ended.
     *
     * @param handler the handler
     * @param expected how it has to end; a completed task was returned once before, without a failure of its own
     * @return the task
     */
    protected final Task worked(Handler<String, String> handler, TaskState expected) {
        try (Semel semel = Semel.on(new Unclosed(store)).withoutShutdownHook().build()) {
            TaskId id = semel.submit(WORK, "x").send().taskId();
            semel.worker("default").handle(WORK, handler).start();
            await().atMost(Duration.ofSeconds(90)).until(() -> {
                clock.advance(TICK);
                return task(id).state() == expected;
            });
            if (expected == TaskState.COMPLETED) {
                assertThat(store.attempts(id))
                        .extracting(Attempt::outcome)
                        .containsExactly(Attempt.Outcome.PUT_BACK, Attempt.Outcome.COMPLETED);
                assertThat(task(id).progress().failures()).isZero();
            }
            return task(id);
        }
    }

    /** The store stays open when the instance closes: tests continue with it. */
    private static final class Unclosed extends ForwardingTaskStore {

        Unclosed(TaskStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }
}
