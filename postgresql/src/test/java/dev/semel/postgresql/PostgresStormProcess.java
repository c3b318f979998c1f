package dev.semel.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.storetests.storm.StoreProcess;
import java.io.IOException;
import org.postgresql.ds.PGSimpleDataSource;

/** Another process at work on the store of a storm. */
final class PostgresStormProcess {

    private PostgresStormProcess() {}

    public static void main(String[] arguments) throws IOException {
        StoreProcess.serve(clock -> PostgresTaskStore.open(
                pool(arguments[0], arguments[1]),
                PostgresSettings.standard()
                        .withSchema(arguments[2])
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
