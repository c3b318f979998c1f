package dev.semel.server.store;

import dev.semel.client.HttpTaskStore;
import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.storetests.FaultyWire;
import dev.semel.storetests.storm.StormContract;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A storm through two servers on one SQLite file, over wires that are cut again and again. */
class HttpStormTest extends StormContract {

    @TempDir
    Path directory;

    private final List<FaultyWire> wires = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private ManualClock clock = new ManualClock();
    private Path file = Path.of("unopened");

    @Override
    public TaskStore open(ManualClock newClock) {
        clock = newClock;
        file = directory.resolve(UUID.randomUUID() + ".db");
        wires.clear();
        return openAnother();
    }

    @Override
    public TaskStore openAnother() {
        TaskStore store = SqliteTaskStore.open(
                file, SqliteSettings.standard().withClock(clock).withElapsed(clock));
        StoreHost host = StoreHost.on(store);
        FaultyWire wire = FaultyWire.to(host.port());
        wires.add(wire);
        opened.add(store);
        opened.add(host);
        opened.add(wire);
        return HttpTaskStore.open("http://127.0.0.1:" + wire.port());
    }

    @Override
    public void disturb(RandomGenerator random) {
        List<FaultyWire> there = List.copyOf(wires);
        if (!there.isEmpty()) {
            there.get(random.nextInt(there.size())).cut();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }
}
