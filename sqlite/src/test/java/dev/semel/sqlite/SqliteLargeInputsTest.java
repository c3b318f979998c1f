package dev.semel.sqlite;

import dev.semel.storetests.process.LargeInputsContract;
import dev.semel.storetests.process.StoreOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Inputs of the largest size, and a small heap, on a real file. */
class SqliteLargeInputsTest extends LargeInputsContract {

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
