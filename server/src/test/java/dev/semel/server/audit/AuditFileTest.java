package dev.semel.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.server.http.Audit;
import dev.semel.server.http.Problem;
import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of the audit log. */
class AuditFileTest {

    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-31T09:00:00Z"));

    @TempDir
    private Path directory;

    private static Audit.Action action(int number) {
        return new Audit.Action("r" + number, "alice", "acme", "POST /v1/tasks/{id}/redrive", "id=" + number);
    }

    @Test
    void filesAreBoundedAndTheNewestEntriesAreKept() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        int maxBytes = 2_000;
        try (AuditFile audit = AuditFile.open(file, CLOCK, maxBytes)) {
            for (int i = 0; i < 500; i++) {
                audit.started(action(i));
                audit.ended(action(i), 200, "");
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> logs =
                    files.filter(one -> !one.toString().endsWith(".lock")).toList();
            assertThat(logs).hasSize(AuditFile.KEPT_FILES + 1);
            assertThat(logs).allSatisfy(one -> assertThat(Files.size(one)).isLessThanOrEqualTo(maxBytes));
        }
        List<AuditEntry> newest = AuditFile.read(file, 20).entries();
        assertThat(newest).hasSize(20);
        assertThat(newest.getLast()).isEqualTo(new AuditEntry(CLOCK.instant(), action(499), 200, ""));
        assertThat(newest.getFirst().action()).isEqualTo(action(490));
    }

    @Test
    void aFileIsContinuedAndLongTextsAreCut() {
        Path file = directory.resolve("audit.jsonl");
        for (int i = 0; i < 2; i++) {
            try (AuditFile audit = AuditFile.open(file, CLOCK)) {
                audit.ended(action(i), 409, "\n\"x\"".repeat(10_000));
            }
        }
        List<AuditEntry> entries = AuditFile.read(file, 10).entries();
        assertThat(entries).hasSize(2);
        assertThat(entries.getFirst().details()).hasSize(Audit.MAX_TEXT + 1).startsWith("\n\"x\"");
        assertThat(entries.getFirst().outcome()).isEqualTo("rejected");
    }

    @Test
    void halfALineHidesNeitherItsNeighboursNorItself() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        try (AuditFile audit = AuditFile.open(file, CLOCK)) {
            audit.started(action(1));
        }
        Files.write(file, new byte[] {'{', '"', (byte) 0xff}, StandardOpenOption.APPEND); // then the power failed
        try (AuditFile audit = AuditFile.open(file, CLOCK)) {
            audit.started(action(2));
        }
        AuditFile.Contents contents = AuditFile.read(file, 10);
        assertThat(contents.entries()).extracting(AuditEntry::action).containsExactly(action(1), action(2));
        assertThat(contents.unreadable()).isEqualTo(1);
    }

    @Test
    void aRotationThatFailsIsOverWhenItsCauseIs() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        Path taken = directory.resolve("audit.jsonl.1");
        try (AuditFile audit = AuditFile.open(file, CLOCK, 300)) {
            audit.started(action(1));
            // A directory that is not empty cannot be replaced by a file.
            Files.createDirectories(
                    directory.resolve("audit.jsonl." + AuditFile.KEPT_FILES).resolve("x"));
            Files.createFile(directory.resolve("audit.jsonl." + (AuditFile.KEPT_FILES - 1)));
            assertThatThrownBy(() -> audit.started(action(2))).isInstanceOf(Problem.class);
            Files.delete(
                    directory.resolve("audit.jsonl." + AuditFile.KEPT_FILES).resolve("x"));
            audit.started(action(3));
            assertThat(taken).exists();
            assertThat(AuditFile.read(file, 10).entries())
                    .extracting(AuditEntry::action)
                    .containsExactly(action(1), action(3));
        }
    }

    @Test
    void theNamesInItAreNotForEverybodyOnTheMachine() throws IOException {
        Path file = directory.resolve("audit.jsonl");
        AuditFile.open(file, CLOCK).close();
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    void aFileThatCannotBeWrittenOrReadIsAClearError() {
        assertThatThrownBy(() -> AuditFile.open(directory.resolve("no/such/audit.jsonl"), CLOCK))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("may write to");
        assertThatThrownBy(() -> AuditFile.read(directory.resolve("nothing"), 1))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("There is no audit log");
    }
}
