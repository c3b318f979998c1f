package dev.semel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How often data was forced to the disk for a piece of work: the calls of {@code fsync} and {@code fdatasync} of a child
 * process, counted by {@code strace}, less those of a child that opens and closes the store and does nothing else.
 *
 * @param work what was done
 * @param tasks how many tasks it was about
 * @param calls how often data was forced; -1 if that could not be counted
 */
public record Forced(String work, int tasks, int calls) {

    private static final int SINGLY = 500;
    private static final int BATCHED = 20_000;

    static List<Forced> count(StoreUnderTest storage) throws IOException {
        if (!isTraceable()) {
            return List.of(new Forced("not counted: there is no strace that may trace", 0, -1));
        }
        List<Forced> counts = new ArrayList<>();
        int idle = traced(storage, "submit-singly", 0);
        counts.add(new Forced(
                "submitted one at a time by one caller", SINGLY, traced(storage, "submit-singly", SINGLY) - idle));
        counts.add(new Forced(
                "submitted in batches of 1,000", BATCHED, traced(storage, "submit-batches", BATCHED) - idle));
        counts.add(new Forced("whole life in batches", BATCHED, traced(storage, "life", BATCHED) - idle));
        return counts;
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

    private static int traced(StoreUnderTest storage, String role, int tasks) throws IOException {
        Path log = Files.createTempFile("semel-bench", ".strace");
        try (StoreUnderTest.Place place = storage.fresh()) {
            List<String> tracer = List.of("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", log.toString());
            Child.start(tracer, role, place.url(), tasks).close();
            try (Stream<String> lines = Files.lines(log)) {
                // A call that is interrupted by another thread's line is told in two; only the first has the bracket.
                return (int) lines.filter(line -> line.contains("fsync(") || line.contains("fdatasync("))
                        .count();
            }
        } finally {
            Files.delete(log);
        }
    }
}
