package dev.semel.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed in the middle of an effect, on real files. */
class SqliteEffectCrashTest extends EffectCrashContract {

    @TempDir
    Path directory;

    @Override
    String freshUrl() {
        return directory.resolve(UUID.randomUUID() + ".db").toString();
    }

    @Override
    Connection connect(String url) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + url);
    }
}
