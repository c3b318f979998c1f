package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Limits of tenants, in the file of tokens. */
class TenantTest {

    @TempDir
    Path directory;

    @Test
    void limitsAreSetOneByOneAndTokensStay() {
        Cli cli = new Cli(directory);
        String file = directory.resolve("tokens.json").toString();
        assertThat(cli.run("token", "create", "billing", "--scope", "submit", "--tokens", file)
                        .code())
                .isZero();
        JsonNode first = cli.json(
                "tenant", "limit", "acme", "--submissions", "100/sec", "--stored-bytes", "2GiB", "--tokens", file);
        assertThat(first.path("stored_bytes").asLong()).isEqualTo(2L << 30);
        JsonNode second =
                cli.json("tenant", "limit", "acme", "--open-tasks", "50", "--stored-bytes", "none", "--tokens", file);
        assertThat(second.path("submissions").asString()).isEqualTo("100/sec");
        assertThat(second.path("open_tasks").asLong()).isEqualTo(50);
        assertThat(second.has("stored_bytes")).isFalse();
        assertThat(cli.run("tenant", "limit", "*", "--open-tasks", "1", "--tokens", file)
                        .code())
                .isZero();
        assertThat(cli.run("tenant", "list", "--tokens", file).out()).contains("acme", "100/sec", "*");
        assertThat(cli.run("token", "list", "--tokens", file).out()).contains("billing");
        assertThat(cli.run("tenant", "unlimit", "acme", "--tokens", file).code())
                .isZero();
        assertThat(cli.run("tenant", "unlimit", "acme", "--tokens", file).code())
                .isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void wrongLimitsAreErrors() {
        Cli cli = new Cli(directory);
        String file = directory.resolve("tokens.json").toString();
        for (String[] wrong : new String[][] {
            {"tenant", "limit", "acme"},
            {"tenant", "limit", "a b", "--open-tasks", "1"},
            {"tenant", "limit", "acme", "--open-tasks", "many"},
            {"tenant", "limit", "acme", "--stored-bytes", "2GB"},
            {"tenant", "limit", "acme", "--stored-bytes", "999999999999999TiB"},
            {"tenant", "limit", "acme", "--submissions", "fast"},
        }) {
            String[] all = java.util.Arrays.copyOf(wrong, wrong.length + 2);
            all[wrong.length] = "--tokens";
            all[wrong.length + 1] = file;
            assertThat(cli.run(all).code()).as(String.join(" ", wrong)).isEqualTo(ExitCode.BAD_INPUT);
        }
        assertThat(directory.resolve("tokens.json")).doesNotExist();
    }
}
