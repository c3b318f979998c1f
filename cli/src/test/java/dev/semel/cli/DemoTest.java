package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

class DemoTest {

    @Test
    @Timeout(600)
    void everyPromiseHolds() {
        JsonNode json = Cli.bare("", Map.of(), "demo", "--json").exits(0).json();
        assertThat(json.path("ok").asBoolean()).isTrue();
        assertThat(json.path("promises").size()).isEqualTo(9);
        assertThat(json.path("promises")
                        .valueStream()
                        .map(promise -> promise.path("ok").asBoolean()))
                .containsOnly(true);
    }

    @Test
    void theDemoTakesNoStore() {
        assertThat(Cli.bare("", Map.of(), "demo", "--store", "sqlite:mine.db")
                        .exits(2)
                        .err())
                .contains("takes a PostgreSQL database or a bucket");
    }
}
