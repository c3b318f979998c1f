package dev.semel.server;

import dev.semel.server.http.Route;
import dev.semel.sqlite.SqliteTaskStore;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Random requests to a server on a SQLite file, nearly right ones and wild ones: {@code Fuzz REQUESTS SEED}, which {@code server/fuzz} starts. */
public final class Fuzz {

    private static final int SENDERS = 4;
    private static final int LAPS = 50;

    // Caches fill up; a leak of a hundred bytes for each request would be more than this in a million.
    private static final long MOST_GROWTH = 64 << 20;

    private Fuzz() {}

    /**
     * Sends requests and prints the progress. Ends with status 1 if one is answered with 5xx, the server ends, or its memory grows.
     *
     * @param arguments how many requests, and the seed
     * @throws IOException if a directory for the file cannot be made
     */
    public static void main(String[] arguments) throws IOException {
        int requests = Integer.parseInt(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        Path directory = Files.createTempDirectory("semel-fuzz-");
        int status = 0;
        try {
            run(directory, requests, seed, System.out);
            System.out.printf(Locale.ROOT, "fuzz: passed, %,d requests, seed %d%n", requests, seed);
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.printf(Locale.ROOT, "fuzz: failed, seed %d%n", seed);
            status = 1;
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
        System.exit(status);
    }

    /** Sends requests, fails if the server does not bear them, and prints a line after each part of them. */
    static void run(Path directory, int requests, long seed, PrintStream progress) throws Exception {
        long begun = System.nanoTime();
        progress.printf(Locale.ROOT, "fuzz: %,d requests, seed %d%n", requests, seed);
        try (ServerFixture http = ServerFixture.on(SqliteTaskStore.open(directory.resolve("fuzz.db")));
                ExecutorService senders = Executors.newFixedThreadPool(SENDERS)) {
            // Streams have no end.
            List<Route> routes = http.server.routes().stream()
                    .filter(route ->
                            !route.path().equals("/v1/events") && !route.path().equals("/v1/store/hints"))
                    .toList();
            List<FuzzSender> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                all.add(new FuzzSender(http.server.port(), new RequestFuzzer(routes, seed + i), seed + i));
            }
            long first = 0;
            for (int lap = 1; lap <= LAPS; lap++) {
                int each = requests / SENDERS * lap / LAPS - requests / SENDERS * (lap - 1) / LAPS;
                List<Future<?>> sent = new ArrayList<>();
                all.forEach(sender -> sent.add(senders.submit(() -> sender.send(each))));
                for (Future<?> one : sent) {
                    one.get();
                }
                long heap = heap();
                Map<Integer, Integer> counts = FuzzSender.counts(all);
                progress.printf(
                        Locale.ROOT,
                        "fuzz: %,d sent in %d s, heap %,d kB, connections %d, statuses %s%n",
                        counts.values().stream().mapToInt(Integer::intValue).sum(),
                        (System.nanoTime() - begun) / 1_000_000_000,
                        heap >> 10,
                        http.server.connections(),
                        counts);
                // The first tenth fills the caches.
                first = lap <= LAPS / 10 ? heap : first;
                if (heap - first > MOST_GROWTH) {
                    throw new AssertionError("Expected a flat heap, but it grew from " + first + " to " + heap);
                }
            }
            all.forEach(FuzzSender::close);
            int ready = http.get("/ready").status();
            if (ready != 200) {
                throw new AssertionError("Expected a server that is ready, but got status " + ready);
            }
        }
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
