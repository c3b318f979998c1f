package dev.semel.server.store;

import dev.semel.Semel;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Scanner;

/** A store behind a port that is maintained as a server does it: ticks, vanished attempts and cleaning. */
public final class MaintainedHost implements AutoCloseable {

    private final Semel semel;
    private final StoreHost host;

    private MaintainedHost(TaskStore store, int port) {
        this.semel = Semel.on(store).withoutShutdownHook().build();
        semel.startMaintenance();
        this.host = StoreHost.on(store, port);
    }

    static MaintainedHost on(TaskStore store, int port) {
        return new MaintainedHost(store, port);
    }

    String url() {
        return host.url();
    }

    int port() {
        return host.port();
    }

    @Override
    public void close() {
        host.close();
        semel.close();
    }

    /**
     * Serves a file until its input ends.
     *
     * @param arguments the file and the port; 0 chooses one
     */
    public static void main(String[] arguments) {
        SqliteTaskStore store = SqliteTaskStore.open(Path.of(arguments[0]));
        try (MaintainedHost host = on(store, Integer.parseInt(arguments[1]));
                Scanner input = new Scanner(System.in, StandardCharsets.UTF_8)) {
            System.out.println(host.port());
            while (input.hasNextLine()) {
                input.nextLine();
            }
        }
    }
}
