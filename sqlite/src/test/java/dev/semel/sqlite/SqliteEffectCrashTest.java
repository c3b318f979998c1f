package dev.semel.sqlite;

import dev.semel.storetests.process.EffectCrashContract;
import dev.semel.storetests.process.StoreOpener;
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
    protected Class<? extends StoreOpener> opener() {
        return SqliteOpener.class;
    }

    @Override
    protected String freshAddress() {
        return directory.resolve(UUID.randomUUID() + ".db").toString();
    }

    @Override
    protected Connection connect(String address) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + address);
    }
}
