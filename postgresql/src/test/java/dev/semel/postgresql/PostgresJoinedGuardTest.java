package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.GuardStore;
import dev.semel.guard.InProgress;
import dev.semel.storetests.JoinedGuardContract;
import dev.semel.task.InvalidInput;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Effects and their records in one transaction, on a real server. */
class PostgresJoinedGuardTest extends JoinedGuardContract {

    private final DataSource database = PostgresServer.freshDatabase();

    @Override
    protected GuardStore open() {
        return PostgresGuardStore.on(database);
    }

    @Override
    protected Connection connect() throws SQLException {
        return database.getConnection();
    }

    @Test
    void aGuardOutsideDoesNotWaitForeverForAnOpenTransaction() throws SQLException {
        guard().joining(connection()).once("k", String.class, token -> "1");
        assertThatThrownBy(() -> guard().once("k", String.class, token -> "2")).isInstanceOf(InProgress.class);
        connection().commit();
        assertThat(guard().once("k", String.class, token -> "2")).isEqualTo("1");
    }

    @Test
    void aConnectionToAnotherDatabaseIsRefused() throws SQLException {
        DataSource other = PostgresServer.freshDatabase();
        PostgresGuardStore.on(other).close();
        try (Connection wrong = other.getConnection()) {
            wrong.setAutoCommit(false);
            assertThatThrownBy(() -> guard().joining(wrong))
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("another database");
            wrong.commit();
        }
        try (Connection empty = PostgresServer.freshDatabase().getConnection()) {
            empty.setAutoCommit(false);
            assertThatThrownBy(() -> guard().joining(empty)).isInstanceOf(InvalidInput.class);
            empty.commit();
        }
    }
}
