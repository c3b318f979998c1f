package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A password in a URL is never printed, whatever is wrong with the URL and wherever it was given. */
class SecretsTest {

    private static final String[] PARTS = {"hunter", "tiger"};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me:hunter/tiger@db/app",
                "postgresql://me:hunter?tiger@db/app",
                "postgresql://me:hunter#tiger@db/app",
                "postgresql://me:hunter%tiger@db/app",
                "postgresql://me:hunter tiger@db/app",
                "postgresql://me:hunter\"tiger@db/app",
                "postgresql://me:hunter\\tiger@db/app",
                "postgresql://me:hunter@tiger/x@db/app",
                "postgresql://me:5432/tiger@db/app",
                "postgresql://me:5432?hunter=tiger@db/app",
                "postgresql://me:hunter@db:tiger/app",
                "postgresql://me:hunter@db/tiger/x",
                "postgresql:/me:hunter/tiger@db/app",
                "postgresql:me:hunter@db/app",
                "postgresql://db/app?password=hunter&tiger",
                "postgresql://db/app?password=hunter&tiger=1",
                "postgresql://db/app?password=hunter%tiger",
                "postgresql://db/app?sslmode=hunter",
                "postgres://me:hunter/tiger@db/app",
                "jdbc:postgresql://me:hunter/tiger@db/app",
                "sqlite://me:hunter@tiger/app",
                "sqlite:me:hunter@tiger/app",
                "sqlite:semel.db?password=hunter",
                "jdbc:sqlite://me:hunter@tiger/app",
                "mysql://me:hunter@tiger/app",
                "jdbc:mysql://me:hunter@tiger/app",
                "//me:hunter@tiger/app",
                "me:hunter@tiger/app",
                "hunter@tiger"
            })
    void aMalformedUrlIsNotShown(String url) {
        for (String mode : new String[] {"--json", "--verbose", "--no-color"}) {
            assertHidden(
                    Cli.bare("", Map.of(), "task", "list", "--store", url, mode).exits(ExitCode.BAD_INPUT));
            assertHidden(Cli.bare("", Map.of(), "demo", "--store", url, mode).exits(ExitCode.BAD_INPUT));
        }
        assertHidden(Cli.bare("", Map.of("SEMEL_STORE", url), "task", "list").exits(ExitCode.BAD_INPUT));
    }

    @Test
    void aUrlInTheWrongPlaceIsNotShown() {
        String url = "postgresql://me:hunter/tiger@db/app";
        assertHidden(Cli.bare("", Map.of(), "task", "list", "--stor", url).exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "task", "list", "--stor=" + url).exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "--pasword=hunter").exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), url, "list").exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "task", url).exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "queue", "pause", url, "--json").exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "task", "show", url).exits(ExitCode.BAD_INPUT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "store = postgresql://me:hunter@tiger/app",
                "postgresql://me:hunter=tiger@db/app",
                "store = \"postgresql://me:hunter@tiger/app",
                "store = \"postgresql://me:hunter\\tiger@db/app\"",
                "store = [\"postgresql://me:hunter@tiger/app\"]",
                "stor = \"postgresql://me:hunter@tiger/app\"",
                "store = \"postgresql://me:hunter/tiger@db/app\"",
            })
    void aMistakeInTheConfigurationDoesNotShowTheStore(String line, @TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("semel.toml"), line + "\n");
        assertHidden(Cli.bare("", Map.of(), "task", "list", "--config", file.toString())
                .exits(ExitCode.BAD_INPUT));
    }

    @Test
    void aPasswordInTheMessageOfADriverIsHidden() {
        assertThat(Secrets.hidden("Unable to parse URL jdbc:postgresql://me:hun/ter@db/app?sslpassword=tiger&a=b"))
                .isEqualTo("Unable to parse URL jdbc:postgresql://…@db/app?sslpassword=…&a=b");
    }

    @Test
    void aLongPasswordIsNotShownWhereTheValueIsCut() {
        String url = "postgresql://me:hunter" + "x".repeat(200) + "/tiger@db/app";
        assertHidden(Cli.bare("", Map.of(), "queue", "pause", url).exits(ExitCode.BAD_INPUT));
        assertHidden(Cli.bare("", Map.of(), "task", url).exits(ExitCode.BAD_INPUT));
    }

    @Test
    void theFormThatAUrlShouldHaveIsShown() {
        assertThat(Cli.bare("", Map.of(), "task", "list", "--store", "postgresql://me:hunter/tiger@db/app")
                        .exits(ExitCode.BAD_INPUT)
                        .err())
                .contains(
                        "\"postgresql://user:password@host:5432/database\"",
                        "contains an @ behind the first / or ?",
                        "%2F");
    }

    private static void assertHidden(Cli.Ran ran) {
        assertThat(ran.out() + ran.err()).isNotEmpty().doesNotContain(PARTS).doesNotContain("bug in Semel");
    }
}
