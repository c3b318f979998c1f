package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments as the shell passes them: bytes, which need not be text. */
class ArgumentBytesTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"C", "C.UTF-8"})
    void aKeyThatIsNotInUtf8IsRefusedSoThatTwoKeysNeverBecomeOne(String locale) throws Exception {
        // 0xFC, an ü in Latin-1: not valid UTF-8, and replaced by the same character as any other such byte.
        assertThat(submit(locale, "inv-M\\374ller")).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(directory.resolve("semel.db")).doesNotExist();
    }

    @Test
    void aKeyInUtf8IsTaken() throws Exception {
        assertThat(submit("C.UTF-8", "inv-M\\303\\274ller")).isZero();
    }

    private int submit(String locale, String octal) throws Exception {
        Path log = directory.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        "sh",
                        "-c",
                        "exec \"$0\" -Dorg.sqlite.tmpdir=. -cp \"$1\" dev.semel.cli.Main submit pay 1 --key \"$(printf '"
                                + octal + "')\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("java.class.path")))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("LC_ALL", locale);
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as(Files.readString(log, StandardCharsets.UTF_8))
                .isTrue();
        return process.exitValue();
    }
}
