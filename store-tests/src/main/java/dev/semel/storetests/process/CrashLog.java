package dev.semel.storetests.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * What the workers of {@link WorkflowCrashContract} did and what the store acknowledged, in a file that they all append to and that
 * outlives them; and a provider that honours tokens: a directory with one file for each effect. The checks use neither the store nor
 * the engine.
 */
final class CrashLog {

    /** What can be logged about a subject: the token of an effect, or the id of a step's task. */
    enum Event {
        /** The handler of a step was called. */
        BEGAN,
        /** The function of an effect was called. */
        RAN,
        /** The store acknowledged the outcome of an effect. */
        RECORDED,
        /** The store acknowledged the completion of a step's task. */
        COMPLETED;

        boolean isStart() {
            return this == BEGAN || this == RAN;
        }
    }

    /**
     * One line.
     *
     * @param subject the token or the id
     * @param attempt the attempt that did it
     * @param step the step's name, which is unique in a test
     */
    record Line(Event event, String subject, int attempt, String step) {

        static Line parse(String text) {
            String[] words = text.split(" ", -1);
            return new Line(Event.valueOf(words[0]), words[1], Integer.parseInt(words[2]), words[3]);
        }

        @Override
        public String toString() {
            return event + " " + subject + " " + attempt + " " + step;
        }
    }

    private final Path lines;
    private final Path effects;

    CrashLog(Path directory) {
        lines = directory.resolve("log");
        effects = directory.resolve("effects");
    }

    /** Appends a line: one write, so that lines of several processes do not mix and none is cut by a kill. */
    void add(Line line) {
        try {
            Files.writeString(lines, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does what an effect is for, once for each token. */
    void charge(String token, String step) {
        try {
            Files.createDirectories(effects);
            Files.createFile(effects.resolve(token + " " + step));
        } catch (FileAlreadyExistsException e) {
            // The provider knows the token.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Line> lines() throws IOException {
        return Files.exists(lines)
                ? Files.readAllLines(lines).stream().map(Line::parse).toList()
                : List.of();
    }

    boolean has(Event event, String step) throws IOException {
        return lines().stream()
                .anyMatch(line -> line.event() == event && line.step().equals(step));
    }

    /** Returns each effect of the provider: its token, a space, and the step. */
    private List<String> charged() throws IOException {
        try (Stream<Path> files = Files.list(effects)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /**
     * Returns what is wrong.
     *
     * @param steps the steps that had to be done, each once
     * @return sentences; none if all is well
     */
    List<String> problems(Set<String> steps) throws IOException {
        return problems(steps, step -> 1);
    }

    /**
     * Returns what is wrong.
     *
     * @param steps the steps that had to be done
     * @param most how often each of them may have been done, under another token each time: once for each generation that has not kept it
     * @return sentences; none if all is well
     */
    List<String> problems(Set<String> steps, ToIntFunction<String> most) throws IOException {
        List<String> problems = new ArrayList<>();
        List<Line> all = lines();
        repeats(all, problems);
        Map<String, Set<String>> tokens = subjects(all, Event.RAN, most, problems);
        subjects(all, Event.BEGAN, most, problems);
        if (!tokens.keySet().equals(steps)) {
            problems.add("Expected an effect of each of " + steps.size() + " steps, but " + tokens.size() + " ran one");
        }
        List<String> expected = tokens.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(token -> token + " " + entry.getKey()))
                .sorted()
                .toList();
        List<String> charged = charged();
        if (!charged.equals(expected)) {
            problems.add("Expected one effect for each token, " + expected.size() + ", but the provider has "
                    + charged.size() + ": " + difference(expected, charged));
        }
        return problems;
    }

    /**
     * Finds attempts that began what an earlier attempt had recorded. A later attempt makes the store refuse the earlier one, so the
     * order of the lines does not matter; an earlier attempt that goes on without its lease is no violation.
     */
    private static void repeats(List<Line> all, List<String> problems) {
        Map<String, Integer> done = new HashMap<>();
        for (Line line : all) {
            if (!line.event().isStart()) {
                Integer before = done.put(line.subject(), line.attempt());
                if (before != null && before != line.attempt()) {
                    problems.add(
                            "The outcome was recorded by attempts " + before + " and " + line.attempt() + ": " + line);
                }
            }
        }
        for (Line line : all) {
            Integer recorded = done.get(line.subject());
            if (line.event().isStart() && recorded != null && line.attempt() > recorded) {
                problems.add("Attempt " + recorded + " had recorded the outcome already: " + line);
            }
        }
    }

    /** Finds the subjects of each step, of which it may have so many. */
    private static Map<String, Set<String>> subjects(
            List<Line> all, Event event, ToIntFunction<String> most, List<String> problems) {
        Map<String, Set<String>> bySteps = new HashMap<>();
        Map<String, String> bySubjects = new HashMap<>();
        for (Line line : all) {
            if (line.event() == event) {
                Set<String> subjects = bySteps.computeIfAbsent(line.step(), step -> new HashSet<>());
                int allowed = most.applyAsInt(line.step());
                if (subjects.contains(line.subject()) || subjects.size() < allowed) {
                    subjects.add(line.subject());
                } else {
                    problems.add(
                            "Expected at most " + allowed + " tokens or tasks of the step, but got one more: " + line);
                }
                String step = bySubjects.putIfAbsent(line.subject(), line.step());
                if (step != null && !step.equals(line.step())) {
                    problems.add("The token or task belongs to two steps, " + step + " and another: " + line);
                }
            }
        }
        return bySteps;
    }

    private static Set<String> difference(List<String> expected, List<String> actual) {
        Set<String> all = new HashSet<>(expected);
        Set<String> both = new HashSet<>(expected);
        all.addAll(actual);
        both.retainAll(actual);
        all.removeAll(both);
        return all;
    }
}
