package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnusable;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of {@link Joining}: submissions inside a transaction of the caller's own. */
public abstract class JoiningContract extends CallersTransactionContract {

    /** For subclasses. */
    protected JoiningContract() {}

    private Joining joining() {
        return store.joining().orElseThrow();
    }

    private Submitted joined(Connection connection, NewTask task) {
        return joining().join(connection).submit(List.of(task)).getFirst();
    }

    private Connection begin() throws Exception {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    @Test
    @DisplayName("L3: a store that was closed joins no transaction")
    void aClosedStoreJoinsNoTransaction() throws Exception {
        try (Connection connection = begin()) {
            Joining.Joined before = joining().join(connection);
            List<Submitted> unused = before.submit(List.of(Tasks.keyed("before", "{}")));
            store.close();
            assertThatThrownBy(() -> before.submit(List.of(Tasks.keyed("after", "{}"))))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is closed");
            assertThatThrownBy(() -> joined(connection, Tasks.plain()))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("is closed");
        }
    }

    @Test
    @DisplayName("A task exists if and only if the transaction commits")
    void aTaskExistsIfAndOnlyIfTheTransactionCommits() throws Exception {
        NewTask kept = Tasks.keyed("kept", "{}");
        NewTask dropped = Tasks.keyed("dropped", "{}");
        try (Connection connection = begin()) {
            order(connection, "kept");
            assertThat(joined(connection, kept)).isInstanceOf(Submitted.Created.class);
            assertThat(store.find(List.of(kept.id()))).isEmpty();
            connection.commit();
            assertThat(store.find(List.of(kept.id()))).containsKey(kept.id());

            order(connection, "dropped");
            assertThat(joined(connection, dropped)).isInstanceOf(Submitted.Created.class);
            connection.rollback();
        }
        assertThat(store.find(List.of(dropped.id()))).isEmpty();
        assertThat(store.record(Tasks.identity("dropped"))).isEmpty();
        assertThat(orders()).containsExactly("kept");
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(kept.id());
    }

    @Test
    @DisplayName("L2: listeners are notified of due tasks when the caller reports its commit")
    void listenersAreNotifiedWhenTheCallerReportsItsCommit() throws Exception {
        Ear ear = new Ear();
        store.listen(ear);
        try (Connection connection = begin()) {
            Joining.Joined joined = joining().join(connection);
            joined.submit(List.of(Tasks.plain()));
            assertThat(ear.heard()).isEmpty();
            connection.commit();
            joined.committed();
        }
        ear.awaitDue("payments");
    }

    @Test
    @DisplayName("A duplicate or a conflict leaves the transaction as it was")
    void aDuplicateOrAConflictLeavesTheTransactionAsItWas() throws Exception {
        NewTask first = Tasks.keyed("key", "{\"a\":1}");
        Tasks.submit(store, first);
        try (Connection connection = begin()) {
            order(connection, "1 before");
            assertThat(joined(connection, Tasks.keyed("key", "{\"a\":1}")))
                    .isInstanceOfSatisfying(
                            Submitted.Returned.class,
                            returned -> assertThat(returned.existing().taskId()).isEqualTo(first.id()));
            assertThat(joined(connection, Tasks.keyed("key", "{\"a\":2}"))).isInstanceOf(Submitted.Conflicted.class);
            assertThat(joined(connection, first)).isInstanceOf(Submitted.Created.class);
            order(connection, "2 after");
            connection.commit();
        }
        assertThat(orders()).containsExactly("1 before", "2 after");
        assertThat(Tasks.stored(store)).containsExactly(first.id());
    }

    @Test
    @DisplayName("A batch that fails leaves the transaction as it was")
    void aBatchThatFailsLeavesTheTransactionAsItWas() throws Exception {
        poison("\"poison\"");
        try (Connection connection = begin()) {
            order(connection, "1 before");
            assertThatThrownBy(() ->
                            joining().join(connection).submit(List.of(Tasks.plain(), Tasks.withInput("\"poison\""))))
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("poison");
            order(connection, "2 after");
            connection.commit();
        }
        assertThat(Tasks.stored(store)).isEmpty();
        assertThat(orders()).containsExactly("1 before", "2 after");
    }

    @Test
    @DisplayName("Names that were new in a transaction that was rolled back are new again")
    void namesThatWereNewInATransactionThatWasRolledBackAreNewAgain() throws Exception {
        try (Connection connection = begin()) {
            assertThat(joined(connection, Tasks.of("tenant", Tasks.QUEUE, "type")))
                    .isInstanceOf(Submitted.Created.class);
            connection.rollback();
        }
        NewTask task = Tasks.of("tenant", Tasks.QUEUE, "type");
        Tasks.submit(store, task);
        assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactly(task.id());
    }

    @Test
    @DisplayName("A connection without a transaction is rejected, when it joins and at each submission")
    void aConnectionWithoutATransactionIsRejected() throws Exception {
        try (Connection connection = begin()) {
            Joining.Joined joined = joining().join(connection);
            connection.commit();
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> joining().join(connection))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThatThrownBy(() -> joined.submit(List.of(Tasks.plain()))).isInstanceOf(InvalidInput.class);
        }
        assertThat(Tasks.stored(store)).isEmpty();
    }
}
