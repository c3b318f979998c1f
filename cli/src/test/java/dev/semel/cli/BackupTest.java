package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A copy of a store's file, made while a program uses it: doctor accepts it, and it can take the place of the file. */
class BackupTest {

    @TempDir
    Path directory;

    @Test
    void aCopyHoldsWhatWasAcceptedAndIsHealthy() throws Exception {
        Cli cli = new Cli(directory);
        List<String> accepted = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            accepted.add(cli.submit("charge", "" + i, "--key", "k" + i));
        }
        Path copy = directory.resolve("copy.db");
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 30; i++) {
                cli.submit("later", "" + i);
            }
        });
        JsonNode answer = cli.json("backup", copy.toString());
        writer.join();
        assertThat(answer.path("bytes").asLong()).isEqualTo(Files.size(copy));
        assertThat(directory.resolve("copy.db.part")).doesNotExist();
        doctorAccepts(copy);

        // What was submitted later is not in the copy, and the keys of what was still answer.
        Files.delete(cli.file());
        Files.deleteIfExists(directory.resolve("semel.db-wal"));
        Files.deleteIfExists(directory.resolve("semel.db-shm"));
        Files.move(copy, cli.file());
        for (int i = 0; i < 20; i++) {
            assertThat(cli.submit("charge", "" + i, "--key", "k" + i)).isEqualTo(accepted.get(i));
        }
        cli.submit("after", "1");
    }

    private static void doctorAccepts(Path file) {
        JsonNode report = Cli.bare("", java.util.Map.of(), "doctor", "--json", "--store", "sqlite:" + file)
                .exits(0)
                .json();
        assertThat(report.path("ok").asBoolean()).isTrue();
    }

    @Test
    void aCopyMadeBySqliteItselfIsMadeUsableWhenItIsOpened() throws SQLException {
        Cli cli = new Cli(directory);
        cli.submit("charge", "1");
        Path copy = directory.resolve("plain.db");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + cli.file());
                var statement = connection.createStatement()) {
            statement.execute("VACUUM INTO '" + copy + "'");
        }
        doctorAccepts(copy);
    }

    @Test
    void whatExistsIsNotOverwrittenAndOtherStoresAreRefused() throws IOException {
        Cli cli = new Cli(directory);
        cli.submit("charge", "1");
        Path there = Files.writeString(directory.resolve("there.db"), "precious");
        cli.run("backup", there.toString()).exits(ExitCode.BAD_INPUT);
        assertThat(there).hasContent("precious");
        assertThat(Cli.bare("", java.util.Map.of(), "backup", "x.db", "--store", "postgresql://localhost/app")
                        .exits(ExitCode.BAD_INPUT)
                        .err())
                .contains("pg_dump");
    }
}
