package dev.semel.sqlite;

import dev.semel.store.TaskStore;
import dev.semel.storetests.process.Child;
import dev.semel.storetests.storm.StoreProcess;
import dev.semel.storetests.storm.StormContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** A storm on a SQLite file that two stores and another process share. */
class SqliteStormTest extends StormContract {

    @TempDir
    Path directory;

    private ManualClock clock = new ManualClock();
    private Path file = Path.of("unopened");

    @Override
    public TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve(UUID.randomUUID() + ".db");
        return openAnother();
    }

    @Override
    public TaskStore openAnother() {
        return SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
    }

    @Override
    public StoreProcess openElsewhere() {
        return new StoreProcess(Child.command("256m", SqliteStormProcess.class, file), clock);
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }
}
