package dev.semel.sqlite;

import dev.semel.guard.GuardStore;
import dev.semel.storetests.JoinedGuardContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;

/** Effects and their records in one transaction, on a real file. */
class SqliteJoinedGuardTest extends JoinedGuardContract {

    @TempDir
    Path directory;

    @Override
    protected GuardStore open() {
        return SqliteGuardStore.open(directory.resolve("guard.db"));
    }

    @Override
    protected Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("guard.db") + "?busy_timeout=20000");
    }
}
