package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.NewTask;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is left after a sudden death. */
@Timeout(120)
class SqliteCrashTest {

    @TempDir
    Path directory;

    @Test
    void everySubmissionThatWasAnsweredSurvivesKillNine() throws Exception {
        Path file = directory.resolve("semel.db");
        List<TaskId> answered = new ArrayList<>();
        try (Child child = Child.run(Submitter.class, file)) {
            for (int i = 0; i < 300; i++) {
                answered.add(TaskId.parse(child.line()));
            }
            child.kill();
            // Lines that were on their way when it died; the last one may be cut.
            for (String line : child.rest()) {
                if (line.length() == 36) {
                    answered.add(TaskId.parse(line));
                }
            }
            child.exit();
        }
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            assertThat(store.find(answered)).hasSize(answered.size());
            assertSound(file);
            assertThat(Tasks.idsOf(store.claim(Tasks.request(1)))).hasSize(1);
        }
    }

    /** Submits for ever from several threads and prints each id after it was answered. */
    static final class Submitter {
        public static void main(String[] arguments) {
            SqliteTaskStore store = SqliteTaskStore.open(Path.of(arguments[0]));
            for (int i = 0; i < 4; i++) {
                int thread = i;
                Thread.ofPlatform().start(() -> {
                    for (int j = 0; ; j++) {
                        NewTask task = j % 2 == 0 ? Tasks.plain() : Tasks.keyed(thread + "-" + j, "{}");
                        Tasks.submit(store, task);
                        System.out.println(task.id());
                    }
                });
            }
        }
    }

    @Test
    void aLogThatWasCutAnywhereGivesAPrefixOfWhatHappened() throws Exception {
        Path file = directory.resolve("semel.db");
        List<TaskId> inOrder = new ArrayList<>();
        Path copy;
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            for (int i = 0; i < 120; i++) {
                NewTask task = i % 2 == 0 ? Tasks.plain() : Tasks.keyed("key-" + i, "{}");
                Tasks.submit(store, task);
                inOrder.add(task.id());
            }
            copy = copy(file, "whole");
        }
        long length = Files.size(log(copy));
        assertThat(length).isGreaterThan(100_000);

        Set<Integer> prefixes = new TreeSet<>();
        int number = 0;
        for (long cut : cuts(length)) {
            Path cutCopy = copy(copy, "cut-" + number++);
            try (RandomAccessFile log = new RandomAccessFile(log(cutCopy).toFile(), "rw")) {
                log.setLength(cut);
            }
            try (SqliteTaskStore store = SqliteTaskStore.open(cutCopy)) {
                Set<TaskId> left = new HashSet<>(Tasks.stored(store));
                assertThat(left)
                        .as("log cut at " + cut + " of " + length)
                        .containsExactlyInAnyOrderElementsOf(inOrder.subList(0, left.size()));
                assertThat(store.claim(Tasks.request(1_000)).tasks()).hasSize(left.size());
                prefixes.add(left.size());
            }
            assertSound(cutCopy);
        }
        assertThat(prefixes).contains(0, 120).hasSizeGreaterThan(10);
    }

    private static List<Long> cuts(long length) {
        List<Long> cuts = new ArrayList<>(List.of(0L, 10L, 32L, 32L + 24, 32L + 24 + 4096, length - 1, length));
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 25; i++) {
            cuts.add(random.nextLong(length));
        }
        return cuts;
    }

    private Path copy(Path file, String name) throws IOException {
        Path to = Files.createDirectory(directory.resolve(name)).resolve("semel.db");
        Files.copy(file, to);
        Files.copy(log(file), log(to));
        return to;
    }

    private static Path log(Path file) {
        return file.resolveSibling(file.getFileName() + "-wal");
    }

    private static void assertSound(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA integrity_check")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("ok");
        }
    }
}
