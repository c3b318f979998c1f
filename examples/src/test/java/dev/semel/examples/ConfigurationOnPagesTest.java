package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SettingsFile;
import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration on the pages can be read. */
class ConfigurationOnPagesTest {

    @TempDir
    Path directory;

    @Test
    void tomlOnAPageIsAConfiguration() throws IOException {
        List<String> wrong = new ArrayList<>();
        int read = 0;
        for (Page page : Repository.pages()) {
            for (Page.Block block : page.blocks()) {
                if (block.language().equals("toml")) {
                    read++;
                    Path file = Files.write(directory.resolve("semel.toml"), block.text());
                    try {
                        SettingsFile.read(file);
                    } catch (InvalidInput e) {
                        wrong.add(page.name() + ":" + block.line() + ": " + e.getMessage());
                    }
                }
            }
        }
        assertThat(read).as("configurations that were read").isPositive();
        assertThat(wrong).as("configurations that cannot be read").isEmpty();
    }
}
