package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code semel server} listens as the section [server] of the configuration says, and options override it. */
class ServerConfigurationTest {

    @TempDir
    Path directory;

    private Cli.Ran server(String section, String... options) throws IOException {
        Path config = Files.writeString(
                directory.resolve("semel.toml"),
                "store = \"sqlite:" + directory.resolve("semel.db") + "\"\n[server]\n" + section);
        String[] all = new String[options.length + 3];
        all[0] = "server";
        all[1] = "--config";
        all[2] = config.toString();
        System.arraycopy(options, 0, all, 3, options.length);
        return Cli.bare("", Map.of(), all);
    }

    @Test
    void theSectionIsUsedAndOptionsOverrideIt() throws IOException {
        String wide = "host = \"0.0.0.0\"\nport = 0\ncertificate = \"nosuch.pem\"\nprivate_key = \"nosuch.pem\"\n";
        assertThat(server(wide).exits(ExitCode.BAD_INPUT).err()).contains("0.0.0.0", "loopback");
        Cli.Ran local = server(wide, "--host", "127.0.0.1");
        assertThat(local.code()).isNotZero();
        assertThat(local.err()).contains("nosuch.pem").doesNotContain("loopback");
        assertThat(server("prt = 1").exits(ExitCode.BAD_INPUT).err()).contains("port");
    }
}
