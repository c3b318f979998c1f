package dev.semel.sqlite;

import dev.semel.storetests.process.HeapExhaustedContract;
import dev.semel.storetests.process.StoreOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Handlers that use up the heap of their process, on a real file. */
class SqliteHeapExhaustedTest extends HeapExhaustedContract {

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
