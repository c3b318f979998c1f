package dev.semel.benchmarks;

import dev.semel.store.TaskStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How often data was forced to the disk for a piece of work of a child process, minus the count of a child that only
 * opens and closes the store. For a file, {@code strace} counts the child's calls of {@code fsync} and {@code
 * fdatasync}; a server counts itself how often it forces its log.
 *
 * @param work the work
 * @param tasks the number of tasks
 * @param calls how often data was forced; -1 if it could not be counted
 * @param roundTrips how often the program waited for an answer of the server, or null without a server
 */
public record Forced(
        String work, int tasks, long calls, @Nullable Long roundTrips) {

    private static final int SINGLY = 500;
    private static final int BATCHED = 20_000;

    private record Piece(String work, String role, int tasks) {}

    private static List<Piece> pieces(Scale scale) {
        int singly = Math.min(SINGLY, scale.one());
        int batched = Math.min(BATCHED, scale.batch());
        return List.of(
                new Piece("submitted one at a time by one caller", ChildMain.SUBMIT_SINGLY, singly),
                new Piece("submitted in batches of 1,000", ChildMain.SUBMIT_BATCHES, batched),
                new Piece("whole life in batches", ChildMain.LIFE, batched));
    }

    static List<Forced> count(StoreUnderTest storage, Scale scale) throws IOException {
        if (!storage.isServer() && !isTraceable()) {
            return List.of(new Forced("not counted: strace is not installed or not permitted", 0, -1, null));
        }
        long idle = forced(storage, ChildMain.SUBMIT_SINGLY, 0);
        List<Forced> counts = new ArrayList<>();
        for (Piece piece : pieces(scale)) {
            long calls = idle < 0 ? -1 : forced(storage, piece.role(), piece.tasks()) - idle;
            counts.add(new Forced(piece.work(), piece.tasks(), calls, roundTrips(storage, piece)));
        }
        return counts;
    }

    private static long forced(StoreUnderTest storage, String role, int tasks) throws IOException {
        return storage.isServer() ? reported(storage, role, tasks) : traced(storage, role, tasks);
    }

    private static boolean isTraceable() {
        try {
            Process probe = new ProcessBuilder("strace", "-f", "-qq", "-e", "trace=fsync", "-o", "/dev/null", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return probe.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Reads the count of the storage, which includes all of its activity. */
    private static long reported(StoreUnderTest storage, String role, int tasks) throws IOException {
        try (StoreUnderTest.Place place = storage.fresh()) {
            long before = place.forced();
            if (before < 0) {
                return -1;
            }
            Child.start(role, place.url(), tasks).close();
            return place.forced() - before;
        }
    }

    private static int traced(StoreUnderTest storage, String role, int tasks) throws IOException {
        Path log = Files.createTempFile("semel-bench", ".strace");
        try (StoreUnderTest.Place place = storage.fresh()) {
            List<String> tracer = List.of("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", log.toString());
            Child.start(tracer, role, place.url(), tasks).close();
            try (Stream<String> lines = Files.lines(log)) {
                // strace splits a call that another thread's line interrupts into two lines; only the first has the
                // bracket.
                return (int) lines.filter(line -> line.contains("fsync(") || line.contains("fdatasync("))
                        .count();
            }
        } finally {
            Files.delete(log);
        }
    }

    /** Counts round trips in this process, between the store and its driver. */
    private static @Nullable Long roundTrips(StoreUnderTest storage, Piece piece) {
        AtomicLong count = new AtomicLong();
        try (StoreUnderTest.Place place = storage.fresh()) {
            TaskStore store = place.openCounting(count);
            if (store == null) {
                return null;
            }
            return ChildMain.count(store, piece.role(), piece.tasks(), count);
        }
    }
}
