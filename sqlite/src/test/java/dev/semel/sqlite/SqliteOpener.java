package dev.semel.sqlite;

import dev.semel.store.TaskStore;
import dev.semel.storetests.process.StoreOpener;
import java.nio.file.Path;

/** Opens the file of a path. */
public final class SqliteOpener implements StoreOpener {

    @Override
    public TaskStore open(String address) {
        return SqliteTaskStore.open(Path.of(address));
    }
}
