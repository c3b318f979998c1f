package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.http.Route;
import dev.semel.sqlite.SqliteTaskStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests, nearly right ones and wild ones: no answer of status 5xx, the server goes on, and its memory does not grow. Short in the
 * build; the script {@code server/fuzz} sends a million. {@code -Dfuzz=N} sends N requests, {@code -Dseed=N} replays a seed.
 */
class FuzzTest {

    private static final int REQUESTS = Integer.getInteger("fuzz", 1_500);
    private static final long SEED = Long.getLong("seed", 4_711);
    private static final int SENDERS = 2;
    private static final int LAPS = 10;

    // Caches fill up; a leak of a hundred bytes for each request would be more than this in a million.
    private static final long MOST_GROWTH = 64 << 20;

    @TempDir
    private Path directory;

    @Test
    void noRequestBreaksTheServer() throws Exception {
        try (ServerFixture http = ServerFixture.on(SqliteTaskStore.open(directory.resolve("fuzz.db")));
                ExecutorService senders = Executors.newFixedThreadPool(SENDERS)) {
            List<Route> routes = http.server.routes().stream()
                    .filter(route ->
                            !route.path().equals("/v1/events") && !route.path().equals("/v1/store/hints"))
                    .toList();
            List<FuzzSender> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                all.add(new FuzzSender(http.server.port(), new RequestFuzzer(routes, SEED + i), SEED + i));
            }
            long first = 0;
            long last = 0;
            for (int lap = 0; lap < LAPS; lap++) {
                List<Future<?>> sent = new ArrayList<>();
                all.forEach(sender -> sent.add(senders.submit(() -> sender.send(REQUESTS / SENDERS / LAPS))));
                for (Future<?> one : sent) {
                    one.get();
                }
                last = heap();
                first = lap == 0 ? last : first;
                if (REQUESTS > 100_000) {
                    System.out.printf("fuzz: %,d requests, heap %,d kB%n", (lap + 1) * (REQUESTS / LAPS), last >> 10);
                }
            }
            for (FuzzSender sender : all) {
                sender.close();
            }
            assertThat(last - first).isLessThan(MOST_GROWTH);
            assertThat(http.get("/ready").status()).isEqualTo(200);
            System.out.println("fuzz: statuses " + FuzzSender.counts(all));
        }
    }

    private static long heap() throws IOException {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
