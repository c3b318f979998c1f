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
        // the submission was stored all the same, and repeating it does no harm
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

    @Test
    void charactersThatChangeHowOthersAreShownAreEscaped() {
        Cli cli = new Cli(directory);
        // Turns the direction of writing, ends a line without being a line feed, is invisible.
        String hostile = "\u202Ekey\u2028next\u2066\u200B\uDB40\uDC41";
        String escaped = "\\u202Ekey\\u2028next\\u2066\\u200B\\uDB40\\uDC41";
        String id = cli.submit("t", "{\"text\":\"" + hostile + "\"}", "--key", hostile);
        cli.run("worker", "default", "--once", "--exec", "printf 'a\u202Eb\\033[2Jc' >&2; exit 65")
                .exits(0);
        for (String[] command : new String[][] {
            {"task", "list"},
            {"task", "show", id},
            {"dead", "list"},
            {"dead", "show", id},
            {"key", "show", hostile, "--type", "t"},
            {"key", "show", "no" + hostile, "--type", "t"},
            {"task", "list", "--json"},
            {"task", "show", id, "--json"}
        }) {
            Cli.Ran ran = cli.run(command);
            assertThat(ran.out() + ran.err())
                    .as(String.join(" ", command))
                    .contains("\\u202E")
                    .doesNotContain("\u202E", "\u2028", "\u2066", "\u200B", "\uDB40\uDC41", "\u001b");
        }
        assertThat(cli.run("task", "list").out()).contains(escaped);
        assertThat(cli.run("task", "show", id, "--json").out()).contains(escaped);
        assertThat(cli.show(id).path("key").asString()).isEqualTo(hostile);
    }
}
