package dev.semel.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DecisionTableTest {

    private static final String BEGIN = "<!-- decision table -->\n";
    private static final String END = "<!-- end -->";

    @Test
    void theTableInTheDocumentationIsTheOneThatTheDecisionPrints() throws IOException {
        String page = Files.readString(root().resolve("docs/concepts/decision.md"));
        assertThat(page).contains(BEGIN, END);
        String table = page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));
        assertThat(table.strip()).isEqualTo(DecisionTable.markdown().strip());
    }

    @Test
    void theTableHasARowForEveryStateAndRuleAndForEveryPassedWindow() {
        // none; seven states with three rules each; seven states whose window has passed; two lines of heading
        assertThat(DecisionTable.markdown().lines()).hasSize(2 + 1 + 7 * 3 + 7);
    }

    /** Returns the root directory of the project: the nearest directory above this module with the Maven wrapper. */
    private static Path root() {
        Path place = Path.of("").toAbsolutePath();
        while (place != null && !Files.exists(place.resolve("mvnw"))) {
            place = place.getParent();
        }
        assertThat(place).isNotNull();
        return place;
    }
}
