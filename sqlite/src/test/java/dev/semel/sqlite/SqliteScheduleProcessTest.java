package dev.semel.sqlite;

import dev.semel.storetests.process.ScheduleProcessContract;
import dev.semel.storetests.process.StoreOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Schedulers in several processes, on a real file. */
class SqliteScheduleProcessTest extends ScheduleProcessContract {

    @TempDir
    Path directory;

    @Override
    protected Class<? extends StoreOpener> opener() {
        return SqliteOpener.class;
    }

    @Override
    protected String freshAddress() {
        return directory.resolve("semel.db").toString();
    }
}
