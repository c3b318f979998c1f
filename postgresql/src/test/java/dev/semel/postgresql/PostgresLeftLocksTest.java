package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server needs a moment to notice that a client has died, and keeps its locks until then. Claims pass over what is locked, so a
 * storm that works off everything right after a connection was cut has to try again.
 */
@Timeout(120)
class PostgresLeftLocksTest {

    @Test
    void aTaskToBeCancelledIsPassedOverWhileItIsLockedAndEndsAfterwards() throws Exception {
        DataSource database = PostgresServer.freshDatabase();
        ManualClock clock = new ManualClock();
        try (PostgresTaskStore store = PostgresTaskStore.open(
                        database, PostgresSettings.standard().withHints(false).withClock(clock));
                Connection dead = database.getConnection();
                Statement statement = dead.createStatement()) {
            NewTask task = Tasks.plain();
            Tasks.submit(store, task);
            assertThat(store.claim(Tasks.request(1)).tasks()).hasSize(1);
            store.operate(List.of(new Operation.Cancel(task.id())));
            dead.setAutoCommit(false);
            statement.execute("SELECT 1 FROM semel.running FOR UPDATE");

            assertThatThrownBy(() -> StoreInvariants.drain(store, clock))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(task.id().toString());

            dead.rollback();
            StoreInvariants.drain(store, clock);
            assertThat(store.find(List.of(task.id())).get(task.id()).state()).isEqualTo(TaskState.CANCELLED);
        }
    }
}
