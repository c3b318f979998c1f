package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class QueueTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    @Test
    void aListShowsDepthAgeAndSettings() {
        cli.dead("t", "{}", "--queue", "payments");
        cli.submit("t", "{}", "--queue", "payments");
        cli.submit("t", "{}", "--queue", "payments", "--delay", "1h");
        cli.submit("t", "{}", "--queue", "mail");
        cli.run("queue", "set", "payments", "--rate-limit", "100/sec", "--concurrency", "5")
                .exits(0);
        JsonNode queues = cli.json("queue", "list").path("queues");
        assertThat(queues.valueStream().map(queue -> queue.path("queue").asString()))
                .containsExactly("mail", "payments");
        JsonNode payments = queues.path(1);
        assertThat(payments.propertyNames())
                .containsExactly(
                        "queue",
                        "due",
                        "delayed",
                        "running",
                        "waiting",
                        "dead",
                        "oldest_due_at",
                        "oldest_due_seconds",
                        "paused",
                        "settings",
                        "set",
                        "declared");
        assertThat(payments.path("due").asInt()).isEqualTo(1);
        assertThat(payments.path("delayed").asInt()).isEqualTo(1);
        assertThat(payments.path("running").asInt()).isZero();
        assertThat(payments.path("waiting").asInt()).isZero();
        assertThat(payments.path("dead").asInt()).isEqualTo(1);
        assertThat(Instant.parse(payments.path("oldest_due_at").asString())).isBeforeOrEqualTo(Instant.now());
        assertThat(payments.path("settings").toString()).isEqualTo("{\"rate_limit\":\"100/sec\",\"concurrency\":5}");
        assertThat(payments.path("set")).isEqualTo(payments.path("settings"));
        assertThat(payments.path("declared").size()).isZero();
        assertThat(cli.run("queue", "list").exits(0).out())
                .contains("QUEUE", "OLDEST DUE", "payments", "100/sec*, at most 5 at once*", "* set at run time");
    }

    @Test
    void aListThatIsNarrowedToATenantHasItsTasksAndTheSettingsThatAllShare() {
        cli.submit("t", "{}", "--queue", "shared", "--tenant", "acme");
        cli.submit("t", "{}", "--queue", "shared", "--tenant", "other");
        cli.submit("t", "{}", "--queue", "elsewhere", "--tenant", "other");
        cli.run("queue", "set", "shared", "--concurrency", "5").exits(0);
        cli.run("queue", "set", "unused", "--concurrency", "5", "--create").exits(0);
        JsonNode queues = cli.json("queue", "list", "--tenant", "acme").path("queues");
        assertThat(queues.size()).isEqualTo(1);
        assertThat(queues.path(0).path("queue").asString()).isEqualTo("shared");
        assertThat(queues.path(0).path("due").asInt()).isEqualTo(1);
        assertThat(queues.path(0).path("settings").toString()).isEqualTo("{\"concurrency\":5}");
        assertThat(cli.json("queue", "list").path("queues").size()).isEqualTo(3);
        assertThat(cli.run("queue", "list", "--tenant", "nobody").exits(0).out())
                .isEqualTo("No queues.\n");
    }

    @Test
    void aTableOfQueuesFitsTheWidth() {
        cli.submit("t", "{}", "--queue", "a-queue-with-quite-a-long-name");
        cli.run(
                        "queue",
                        "set",
                        "a-queue-with-quite-a-long-name",
                        "--rate-limit",
                        "500/min",
                        "--retention",
                        "30d",
                        "--dead-letter-queue",
                        "graveyard")
                .exits(0);
        for (int width : new int[] {80, 100, 140}) {
            Cli.Ran ran =
                    Cli.bare("", Map.of("COLUMNS", Integer.toString(width)), "queue", "list", "--store", cli.url());
            assertThat(ran.exits(0).out().lines()).allMatch(line -> line.length() <= width);
        }
        assertThat(cli.run("queue", "list").out())
                .contains("500/min*, retention 30d*, dead letters to graveyard*")
                .doesNotContain("\u001b");
    }

    @Test
    void aPausedQueueGivesNothingUntilItIsResumed() {
        String id = cli.submit("t", "{}", "--queue", "q");
        JsonNode paused = cli.json("queue", "pause", "q");
        assertThat(paused.propertyNames()).containsExactly("queue", "paused", "settings", "set", "declared");
        assertThat(paused.path("paused").asBoolean()).isTrue();
        assertThat(cli.run("queue", "pause", "q").exits(0).out())
                .isEqualTo("Queue \"q\": paused*. (* set at run time)\n");
        cli.run("worker", "q", "--exec", "true", "--once").exits(0);
        assertThat(cli.show(id).path("state").asString()).isEqualTo("pending");
        assertThat(cli.json("queue", "resume", "q").path("paused").asBoolean()).isFalse();
        cli.run("worker", "q", "--exec", "true", "--once").exits(0);
        assertThat(cli.show(id).path("state").asString()).isEqualTo("completed");
    }

    @Test
    void settingsAreChangedOneByOneAndForgottenTogether() {
        cli.run("queue", "set", "q", "--rate-limit", "10/min", "--create").exits(0);
        JsonNode set = cli.json(
                "queue",
                "set",
                "q",
                "--retention",
                "0",
                "--idempotency-ttl",
                "2d",
                "--reuse",
                "after-finish",
                "--dead-letter-queue",
                "graveyard",
                "--concurrency",
                "3");
        assertThat(set.path("settings").toString())
                .isEqualTo(
                        "{\"rate_limit\":\"10/min\",\"concurrency\":3,\"retention\":\"0\",\"idempotency_ttl\":\"2d\","
                                + "\"reuse\":\"after_finish\",\"dead_letter_queue\":\"graveyard\"}");
        JsonNode none =
                cli.json("queue", "set", "q", "--rate-limit", "none", "--concurrency", "0", "--dead-letter-queue", "");
        assertThat(none.path("set").path("rate_limit").asString()).isEqualTo("none");
        assertThat(none.path("set").path("concurrency").asInt(-1)).isZero();
        assertThat(none.path("set").path("dead_letter_queue").asString("x")).isEmpty();
        assertThat(cli.run("queue", "list").out()).contains("no rate limit*, no concurrency limit*, retention 0*");
        assertThat(cli.json("queue", "reset", "q").path("settings").size()).isZero();
        assertThat(cli.run("queue", "reset", "q").exits(0).out()).isEqualTo("Queue \"q\": no settings of its own.\n");
    }

    @Test
    void aDeadLetterIsForwardedOnce() {
        cli.run("queue", "set", "q", "--dead-letter-queue", "graveyard", "--create")
                .exits(0);
        String id = cli.dead("charge", "{}", "--queue", "q", "--key", "k", "--tenant", "acme");
        JsonNode letters = cli.json("task", "list", "--queue", "graveyard").path("tasks");
        assertThat(letters.size()).isEqualTo(1);
        JsonNode input = cli.show(letters.path(0).path("task_id").asString()).path("input");
        assertThat(input.path("task_id").asString()).isEqualTo(id);
        assertThat(input.path("original_queue").asString()).isEqualTo("q");
        assertThat(input.path("idempotency_key").asString()).isEqualTo("k");
        JsonNode circle = cli.json(2, "queue", "set", "graveyard", "--dead-letter-queue", "q");
        assertThat(circle.path("error").asString()).isEqualTo("InvalidInput");
        assertThat(circle.path("message").asString()).contains("circle", "Nothing was changed");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("\"a b\"", new String[] {"queue", "pause", "a b"}),
                Arguments.of("--rate-limit", new String[] {"queue", "set", "q"}),
                Arguments.of("\"fast\"", new String[] {"queue", "set", "q", "--rate-limit", "fast"}),
                Arguments.of("\"0/sec\"", new String[] {"queue", "set", "q", "--rate-limit", "0/sec"}),
                Arguments.of("\"-1\"", new String[] {"queue", "set", "q", "--concurrency", "-1"}),
                Arguments.of("\"many\"", new String[] {"queue", "set", "q", "--concurrency", "many"}),
                Arguments.of("\"7x\"", new String[] {"queue", "set", "q", "--retention", "7x"}),
                Arguments.of("at least a millisecond", new String[] {"queue", "set", "q", "--idempotency-ttl", "0"}),
                Arguments.of("\"maybe\"", new String[] {"queue", "set", "q", "--reuse", "maybe"}),
                Arguments.of("dead-letter queue", new String[] {"queue", "set", "q", "--dead-letter-queue", "ü"}),
                Arguments.of("all tenants", new String[] {"queue", "pause", "q", "--tenant", "acme"}),
                Arguments.of("\"a b\"", new String[] {"queue", "list", "--tenant", "a b"}),
                Arguments.of("\"7x\"", new String[] {"queue", "list", "--watch", "7x"}),
                Arguments.of("at least a millisecond", new String[] {"queue", "list", "--watch", "0"}));
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

    @Test
    void lookingForQueuesDoesNotCreateAStore() {
        for (String command :
                new String[] {"list", "resume q", "reset q", "forget q", "pause q", "set q --concurrency 1"}) {
            cli.run(("queue " + command).split(" ")).exits(6);
        }
        assertThat(directory).isEmptyDirectory();
        assertThat(cli.run("queue", "pause", "q", "--create").exits(0).out()).contains("paused");
    }

    @Test
    void aQueueThatNobodyHasIsReportedWithTheOneThatWasProbablyMeant() {
        cli.submit("t", "{}", "--queue", "payments");
        for (String command : new String[] {"pause paymnets", "set paymnets --concurrency 1", "resume paymnets"}) {
            JsonNode refused = cli.json(5, ("queue " + command).split(" "));
            assertThat(refused.path("error").asString()).isEqualTo("QueueNotFound");
            assertThat(refused.path("message").asString())
                    .contains("There is no queue \"paymnets\"", "Did you mean \"payments\"?");
        }
        for (String command : new String[] {"reset", "forget"}) {
            assertThat(cli.run("queue", command, "paymnets").exits(0).err()).contains("There is no queue \"paymnets\"");
        }
        assertThat(cli.run("queue", "list").exits(0).out()).contains("payments").doesNotContain("paymnets");
    }

    @Test
    void aQueueWhoseTasksAreAllGoneIsNotListed() {
        cli.run("queue", "pause", "q", "--create").exits(0);
        cli.run("doctor").exits(0); // it runs a task in a queue of its own, and removes it
        assertThat(cli.json("queue", "list")
                        .path("queues")
                        .valueStream()
                        .map(queue -> queue.path("queue").asString()))
                .containsExactly("q");
    }

    @Test
    void aQueueIsForgottenWithAllItsSettings() {
        cli.submit("t", "{}", "--queue", "payments");
        cli.run("queue", "pause", "paymnets", "--create").exits(0);
        cli.run("queue", "resume", "paymnets").exits(0);
        assertThat(cli.run("queue", "list").exits(0).out()).contains("paymnets");
        assertThat(cli.run("queue", "forget", "paymnets").exits(0).out())
                .isEqualTo("Queue \"paymnets\": no settings of its own.\n");
        assertThat(cli.run("queue", "list").exits(0).out()).contains("payments").doesNotContain("paymnets");
    }
}
