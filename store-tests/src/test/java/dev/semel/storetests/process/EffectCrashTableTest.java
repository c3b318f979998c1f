package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EffectCrashTableTest {

    @Test
    void thePageShowsTheTableThatTheContractChecks() throws Exception {
        Path page = Path.of("..", "docs", "reference", "effects-under-crash.md");
        assertThat(Files.readString(page)).contains(String.join("\n", EffectCrashContract.rows(null)));
    }
}
