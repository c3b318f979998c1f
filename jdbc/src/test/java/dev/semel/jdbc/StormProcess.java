package dev.semel.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.storetests.storm.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.postgresql.ds.PGSimpleDataSource;

/** Another process at work on the store of a storm. */
final class StormProcess {

    private StormProcess() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("sqlite")) {
            StoreProcess.serve(clock -> SqliteTaskStore.open(
                    Path.of(arguments[1]),
                    SqliteSettings.standard().withClock(clock).withElapsed(clock)));
            return;
        }
        StoreProcess.serve(clock -> PostgresTaskStore.open(
                pool(arguments[1], arguments[2]),
                PostgresSettings.standard()
                        .withSchema(arguments[3])
                        .withHints(false)
                        .withClock(clock)));
    }

    private static HikariDataSource pool(String url, String user) {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setURL(url);
        database.setUser(user);
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }
}
