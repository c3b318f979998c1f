package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.audit.AuditFile;
import dev.semel.server.http.Audit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code semel audit} shows what a server recorded. */
class AuditCommandTest {

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void record() {
        file = directory.resolve("audit.jsonl");
        InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-31T09:00:00Z"));
        try (AuditFile audit = AuditFile.open(file, clock)) {
            Audit.Action done = new Audit.Action("r1", "alice", null, "POST /v1/tasks/{id}/redrive", "id=1");
            audit.started(done);
            audit.ended(done, 200, "");
            audit.started(new Audit.Action("r2", "bob", "acme", "DELETE /v1/tasks/{id}", "id=2"));
        }
    }

    private static Cli.Ran semel(String... arguments) {
        return Cli.bare("", Map.of(), arguments);
    }

    @Test
    void eachActionIsOneLineAndOneWithoutAnEndIsUnknown() {
        String out =
                semel("audit", "--audit", file.toString()).exits(ExitCode.DONE).out();
        assertThat(out.lines()).hasSize(3);
        assertThat(out).contains("alice", "done (200)", "bob", "acme", "unknown");
    }

    @Test
    void itCanBeNarrowedAndReadByPrograms() throws IOException {
        Path config = Files.writeString(directory.resolve("semel.toml"), "[server]\naudit = \"" + file + "\"\n");
        String out = semel("audit", "--config", config.toString(), "--caller", "alice", "--json")
                .exits(ExitCode.DONE)
                .out();
        assertThat(out.lines()).singleElement().asString().contains("\"outcome\":\"done\"", "\"target\":\"id=1\"");
        assertThat(semel("audit", "--audit", file.toString(), "--limit", "1")
                        .exits(ExitCode.DONE)
                        .out())
                .contains("bob")
                .doesNotContain("alice");
    }

    @Test
    void anActionOfUnknownOutcomeIsShownAlsoIfItsRequestIsSentAgain() {
        try (AuditFile audit = AuditFile.open(file, InstantSource.fixed(Instant.parse("2026-01-31T09:00:01Z")))) {
            Audit.Action again = new Audit.Action("r2", "bob", "acme", "DELETE /v1/tasks/{id}", "id=2");
            audit.started(again);
            audit.ended(again, 200, "");
        }
        String out = semel("audit", "--audit", file.toString(), "--caller", "bob")
                .exits(ExitCode.DONE)
                .out();
        assertThat(out.lines()).hasSize(3);
        assertThat(out).contains("unknown", "done (200)");
    }

    @Test
    void aFileThatIsMissingIsAClearError() {
        assertThat(semel("audit").exits(ExitCode.BAD_INPUT).err()).contains("--audit");
        assertThat(semel("audit", "--audit", directory.resolve("no").toString())
                        .exits(ExitCode.BAD_INPUT)
                        .err())
                .contains("There is no audit log");
    }
}
