package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputTest {

    @TempDir
    Path directory;

    /** A disk that is full. */
    private static final class Full extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    private int run(OutputStream err, String... arguments) {
        Console console = Console.of(
                InputStream.nullInputStream(),
                new PrintStream(new Full(), true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Map.of());
        return Main.run(arguments, console);
    }

    @Test
    void anAnswerThatCannotBeWrittenIsNoSuccess() {
        Cli cli = new Cli(directory);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(run(err, "submit", "t", "{}", "--key", "k", "--json", "--store", cli.url()))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("could not be written");
        // it was done all the same, and saying it again does no harm
        assertThat(cli.json("submit", "t", "{}", "--key", "k").path("created").asBoolean())
                .isFalse();
        assertThat(run(new ByteArrayOutputStream(), "--help")).isEqualTo(1);
        assertThat(run(new ByteArrayOutputStream(), "task", "list", "--store", cli.url()))
                .isEqualTo(1);
    }

    @Test
    void anErrorThatCannotBeWrittenKeepsItsCode() {
        assertThat(run(new ByteArrayOutputStream(), "task", "show", "17", "--json"))
                .isEqualTo(2);
    }
}
