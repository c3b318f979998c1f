package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Settlement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class KeyTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void aKeyIsShownWithItsRecordItsDuplicatesAndItsTasks() {
        String first = cli.dead("charge", "{}", "--key", "k");
        String second = cli.submit("charge", "{}", "--key", "k", "--ttl", "2d");
        cli.submit("charge", "{}", "--key", "k");
        JsonNode key = cli.json("key", "show", "k", "--type", "charge");
        assertThat(key.propertyNames()).containsExactly("key", "tenant", "scope", "free", "record", "tasks");
        assertThat(key.path("free").asBoolean()).isFalse();
        JsonNode record = key.path("record");
        assertThat(record.path("task_id").asString()).isEqualTo(second);
        assertThat(record.path("run").asInt()).isEqualTo(2);
        assertThat(record.path("lineage").asString()).isEqualTo(first);
        assertThat(record.path("state").asString()).isEqualTo("pending");
        assertThat(record.path("duplicates").asInt()).isEqualTo(1);
        assertThat(Instant.parse(record.path("last_duplicate_at").asString())).isBeforeOrEqualTo(Instant.now());
        assertThat(record.path("input_hash").asString()).startsWith("sha256:");
        assertThat(Duration.between(
                        Instant.parse(record.path("created_at").asString()),
                        Instant.parse(record.path("expires_at").asString())))
                .isEqualTo(Duration.ofDays(2));
        assertThat(key.path("tasks")
                        .valueStream()
                        .map(task -> task.path("task_id").asString()))
                .containsExactly(second, first);
        assertThat(cli.run("key", "show", "k", "--type", "charge").exits(0).out())
                .contains(second + ", pending, run 2", "Duplicates  1, last ", first, "Window");
    }

    @Test
    void theIdentityIsFormedAsASubmissionFormsIt() throws IOException {
        String inQueue = cli.submit("t", "{}", "--key", "k", "--scope", "queue", "--queue", "q");
        String ofTenant = cli.submit("t", "{}", "--key", "k", "--scope", "tenant", "--tenant", "acme");
        String custom = cli.submit("t", "{}", "--key", "k", "--scope", "custom:mine");
        assertThat(id(cli.json("key", "show", "k", "--scope", "queue", "--queue", "q")))
                .isEqualTo(inQueue);
        assertThat(id(cli.json("key", "show", "k", "--scope", "tenant", "--tenant", "acme")))
                .isEqualTo(ofTenant);
        assertThat(id(cli.json("key", "show", "k", "--scope", "custom:mine"))).isEqualTo(custom);
        cli.json(5, "key", "show", "k", "--type", "t");
        cli.json(5, "key", "show", "k", "--scope", "tenant");
        String config = Files.writeString(directory.resolve("c.toml"), "[tasks.t]\nscope = \"queue\"\nqueue = \"q\"\n")
                .toString();
        assertThat(id(cli.json("key", "show", "k", "--type", "t", "--config", config)))
                .isEqualTo(inQueue);
    }

    private static String id(JsonNode key) {
        return key.path("record").path("task_id").asString();
    }

    @Test
    void anUnusedKeyIsNotFound() {
        cli.submit("t", "{}");
        JsonNode json = cli.json(5, "key", "show", "k", "--type", "t");
        assertThat(json.path("error").asString()).isEqualTo("KeyNotFound");
        assertThat(cli.run("key", "show", "k", "--type", "t").exits(5).err())
                .startsWith("semel: Key \"k\" (tenant default, scope type t) is free")
                .doesNotContain("\tat ");
    }

    @Test
    void aKeyIsReleasedOnlyWhenItsTaskHasEnded() {
        String id = cli.submit("t", "{}", "--key", "k");
        JsonNode held = cli.json(4, "key", "release", "k", "--type", "t");
        assertThat(held.path("error").asString()).isEqualTo("KeyHeld");
        assertThat(held.path("existing_task_id").asString()).isEqualTo(id);
        assertThat(held.path("status").asString()).isEqualTo("pending");
        assertThat(cli.run("key", "release", "k", "--type", "t").exits(4).err())
                .contains("Nothing was changed", id)
                .doesNotContain("\tat ");
        Life.end(cli, "default", lease -> new Settlement.Complete(lease, "1"));
        JsonNode released = cli.json("key", "release", "k", "--type", "t");
        assertThat(released.toString())
                .isEqualTo("{\"key\":\"k\",\"tenant\":\"default\",\"scope\":\"type\",\"outcome\":\"released\"}");
        assertThat(cli.json("key", "release", "k", "--type", "t")
                        .path("outcome")
                        .asString())
                .isEqualTo("free");
        assertThat(cli.run("key", "release", "k", "--type", "t").exits(0).out()).contains("was free already");
        JsonNode free = cli.json("key", "show", "k", "--type", "t");
        assertThat(free.path("free").asBoolean()).isTrue();
        assertThat(free.has("record")).isFalse();
        assertThat(cli.run("key", "show", "k", "--type", "t").exits(0).out()).contains("the key is free", id);
        assertThat(cli.submit("t", "{}", "--key", "k")).isNotEqualTo(id);
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("--type", new String[] {"key", "show", "k"}),
                Arguments.of("--queue", new String[] {"key", "release", "k", "--scope", "queue"}),
                Arguments.of("\"global\"", new String[] {"key", "show", "k", "--scope", "global"}),
                Arguments.of("256", new String[] {"key", "show", "k".repeat(256), "--type", "t"}),
                Arguments.of("1 to 255", new String[] {"key", "show", "", "--type", "t"}),
                Arguments.of("\"a b\"", new String[] {"key", "show", "k", "--type", "a b"}));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsReportedBeforeTheStoreIsOpened(String expected, String[] arguments) {
        assertThat(cli.run(arguments).exits(2).err())
                .startsWith("semel: ")
                .contains(expected)
                .doesNotContain("\tat ");
        assertThat(directory).isEmptyDirectory();
    }
}
