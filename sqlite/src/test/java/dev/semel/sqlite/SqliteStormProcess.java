package dev.semel.sqlite;

import dev.semel.storetests.storm.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;

/** Another process at work on the file of a storm. */
final class SqliteStormProcess {

    private SqliteStormProcess() {}

    public static void main(String[] arguments) throws IOException {
        StoreProcess.serve(clock -> SqliteTaskStore.open(
                Path.of(arguments[0]),
                SqliteSettings.standard().withClock(clock).withElapsed(clock)));
    }
}
