package dev.semel.storetests.storm;

import dev.semel.store.NewTask;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Everything that was asked and answered in a round that broke a law, as a file: a violation shows only its last operations. */
final class StormReport {

    private StormReport() {}

    /**
     * Writes all calls of a round in order of their questions.
     *
     * @param seed the seed of the round
     * @param histories what was recorded
     * @return a sentence with its place, or the reason why there is none
     */
    static String write(long seed, Collection<StormHistory> histories) {
        Path build = Path.of("target");
        try {
            Path file = Files.isDirectory(build)
                    ? build.resolve("storm-" + seed + ".txt")
                    : Files.createTempFile("storm-" + seed + "-", ".txt");
            Files.write(file, lines(histories));
            return "All calls of the round are in " + file.toAbsolutePath();
        } catch (IOException e) {
            return "The calls of the round could not be written: " + e;
        }
    }

    static List<String> lines(Collection<StormHistory> histories) {
        Map<TaskId, Identity> identities = new HashMap<>();
        TreeMap<Long, List<String>> lines = new TreeMap<>();
        long since = histories.stream()
                .flatMap(history -> history.operations().stream())
                .mapToLong(operation -> operation.span().asked())
                .min()
                .orElse(0);
        for (StormHistory history : histories) {
            for (StormOperation operation : history.operations()) {
                if (operation.action() instanceof StormOperation.Submit(NewTask item, var answer)
                        && item.key() != null) {
                    identities.put(item.id(), item.key().identity());
                }
                at(lines, operation.span().asked(), operation.line(since));
            }
            history.sweeps()
                    .forEach(sweep -> at(
                            lines,
                            sweep.asked(),
                            "%9.3f ms  sweep until clock %d"
                                    .formatted(
                                            (sweep.asked() - since) / 1e6,
                                            sweep.clockAnswered() % StormOperation.SHORT_CLOCK)));
            history.lostClaims()
                    .forEach(span -> at(
                            lines,
                            span.asked(),
                            "%9.3f..%9.3f ms  LOST claim"
                                    .formatted((span.asked() - since) / 1e6, (span.answered() - since) / 1e6)));
        }
        List<String> all = new ArrayList<>();
        identities.forEach((id, identity) -> all.add(String.format(Locale.ROOT, "%s is of %s", id, identity)));
        lines.values().forEach(all::addAll);
        return all;
    }

    private static void at(Map<Long, List<String>> lines, long nanos, String line) {
        lines.computeIfAbsent(nanos, any -> new ArrayList<>()).add(line);
    }
}
