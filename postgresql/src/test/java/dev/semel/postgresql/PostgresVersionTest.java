package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnusable;
import dev.semel.testservers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Tasks and guard need the same version of PostgreSQL. */
class PostgresVersionTest {

    @Test
    void anOlderServerIsRejectedByTasksAndGuardAlike() {
        DataSource old = reporting(PostgresSchema.OLDEST_SERVER - 1);
        assertThatThrownBy(() -> PostgresTaskStore.open(old))
                .isInstanceOf(StoreUnusable.class)
                .hasMessage(
                        "The PostgreSQL store of the given data source is on a server of version 13, but Semel needs"
                                + " PostgreSQL 14 or newer. Upgrade the server.");
        assertThatThrownBy(() -> PostgresGuardStore.on(old))
                .isInstanceOf(StoreUnusable.class)
                .hasMessage("The PostgreSQL database of the guard is on a server of version 13, but Semel needs"
                        + " PostgreSQL 14 or newer. Upgrade the server.");
    }

    @Test
    void theOldestVersionIsAccepted() {
        DataSource oldest = reporting(PostgresSchema.OLDEST_SERVER);
        PostgresTaskStore.open(oldest).close();
        PostgresGuardStore.on(oldest).close();
    }

    /** A server that reports another version than it has. */
    private static DataSource reporting(int version) {
        return new FewConnections(PostgresServer.freshDatabase(), 2) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                DatabaseMetaData data =
                        proxy(DatabaseMetaData.class, real.getMetaData(), "getDatabaseMajorVersion", version);
                return proxy(Connection.class, real, "getMetaData", data);
            }
        };
    }

    private static <T> T proxy(Class<T> type, T real, String name, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                PostgresVersionTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        return answer;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
