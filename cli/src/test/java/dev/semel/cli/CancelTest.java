package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Settlement;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class CancelTest {

    private static final String UNKNOWN = "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de";

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private String state(String id) {
        return cli.show(id).path("state").asString();
    }

    @Test
    void aPendingTaskEndsAtOnceAndDoesSoOnlyOnce() {
        String id = cli.submit("t", "{}");
        String expected = "{\"tasks\":[{\"task_id\":\"" + id + "\",\"outcome\":\"cancelled\"}]}";
        assertThat(cli.json("task", "cancel", id).toString()).isEqualTo(expected);
        assertThat(state(id)).isEqualTo("cancelled");
        assertThat(cli.json("task", "cancel", id).toString()).isEqualTo(expected);
        assertThat(cli.run("task", "cancel", cli.submit("t", "{}")).exits(0).out())
                .startsWith("Cancelled task ");
    }

    @Test
    void aRunningTaskIsAskedAndStaysOpen() {
        String id = cli.submit("t", "{}", "--key", "k");
        Life.claim(cli, "default");
        assertThat(cli.json("task", "cancel", id)
                        .path("tasks")
                        .path(0)
                        .path("outcome")
                        .asString())
                .isEqualTo("asked");
        JsonNode task = cli.show(id);
        assertThat(task.path("state").asString()).isEqualTo("running");
        assertThat(task.path("cancel_requested").asBoolean()).isTrue();
        assertThat(cli.run("task", "cancel", id).exits(0).out())
                .isEqualTo("Task " + id + " is running: asked its worker to end it.\n");
        assertThat(cli.submit("t", "{}", "--key", "k")).isEqualTo(id);
    }

    @Test
    void oneThatHasEndedAnotherWayIsRefused() {
        String id = cli.submit("t", "{}");
        Life.end(cli, "default", lease -> new Settlement.Complete(lease, "1"));
        JsonNode refused = cli.json(4, "task", "cancel", id);
        assertThat(refused.path("tasks").path(0).path("outcome").asString()).isEqualTo("ended");
        assertThat(refused.path("error").asString()).isEqualTo("TaskAlreadyFinished");
        assertThat(refused.path("existing_task_id").asString()).isEqualTo(id);
        assertThat(refused.path("status").asString()).isEqualTo("completed");
        assertThat(cli.run("task", "cancel", id).exits(4).err())
                .startsWith("semel: Only an open task can be cancelled")
                .doesNotContain("\tat ");
    }

    @Test
    void manyIdsAreAllTriedAndTheFirstRefusalDecidesTheCode() {
        String id = cli.submit("t", "{}");
        String other = cli.submit("t", "{}", "--tenant", "acme");
        JsonNode answer = cli.json(5, "task", "cancel", UNKNOWN, id, other, "--tenant", "default");
        assertThat(answer.path("tasks")
                        .valueStream()
                        .map(task -> task.path("outcome").asString()))
                .containsExactly("not_found", "cancelled", "not_found");
        assertThat(answer.path("task_id").asString()).isEqualTo(UNKNOWN);
        assertThat(state(id)).isEqualTo("cancelled");
        assertThat(state(other)).isEqualTo("pending");
    }

    @Test
    void aFilterCancelsAllThatItLetsPass() {
        String one = cli.submit("mail", "{}", "--queue", "q");
        String two = cli.submit("mail", "{}", "--queue", "q", "--delay", "1h");
        String type = cli.submit("other", "{}", "--queue", "q");
        String queue = cli.submit("mail", "{}", "--queue", "elsewhere");
        JsonNode dry = cli.json("task", "cancel", "--queue", "q", "--type", "mail", "--dry-run");
        assertThat(dry.path("dry_run").asBoolean()).isTrue();
        assertThat(dry.path("count").asInt()).isEqualTo(2);
        assertThat(dry.path("tasks").path(0).path("task_id").asString()).isEqualTo(two);
        assertThat(dry.path("tasks").path(0).path("outcome").asString()).isEqualTo("cancelled");
        assertThat(cli.run("task", "cancel", "--type", "mail", "--dry-run")
                        .exits(0)
                        .out())
                .contains(one, two, queue, "Would cancel 3 tasks; nothing was changed.")
                .doesNotContain(type);
        assertThat(state(one)).isEqualTo("pending");
        assertThat(cli.json("task", "cancel", "--queue", "q", "--type", "mail", "--yes")
                        .toString())
                .isEqualTo("{\"cancelled\":2,\"asked\":0,\"ended\":0}");
        assertThat(state(one)).isEqualTo("cancelled");
        assertThat(state(two)).isEqualTo("cancelled");
        assertThat(state(type)).isEqualTo("pending");
        assertThat(state(queue)).isEqualTo("pending");
    }

    @Test
    void aFilterGoesByStateAndTenant() {
        String running = cli.submit("t", "{}", "--queue", "q");
        Life.claim(cli, "q");
        String pending = cli.submit("t", "{}", "--queue", "q");
        String acme = cli.submit("t", "{}", "--queue", "q", "--tenant", "acme");
        cli.run("task", "cancel", "--tenant", "acme", "--yes").exits(0);
        assertThat(state(acme)).isEqualTo("cancelled");
        assertThat(state(pending)).isEqualTo("pending");
        assertThat(cli.json("task", "cancel", "--queue", "q", "--state", "running", "--yes")
                        .path("asked")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.show(running).path("cancel_requested").asBoolean()).isTrue();
        assertThat(state(pending)).isEqualTo("pending");
        assertThat(cli.run("task", "cancel", "--all", "--yes").exits(0).out())
                .isEqualTo("Cancelled 1 task. Asked the workers of 1 running task to end.\n");
    }

    @Test
    void aFilterAsksAtATerminalAndNeedsAYesElsewhere() {
        String id = cli.submit("t", "{}");
        assertThat(cli.run("task", "cancel", "--queue", "default").exits(2).err())
                .contains("--yes");
        cli.json(2, "task", "cancel", "--queue", "default");
        Cli.Ran no =
                cli.atTerminal("no\n", "task", "cancel", "--queue", "default").exits(1);
        assertThat(no.err()).isEqualTo("Cancel 1 task? [y/N] ");
        assertThat(state(id)).isEqualTo("pending");
        cli.atTerminal("yes\n", "task", "cancel", "--queue", "default").exits(0);
        assertThat(state(id)).isEqualTo("cancelled");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("--all", new String[] {"task", "cancel"}),
                Arguments.of("both", new String[] {"task", "cancel", UNKNOWN, "--type", "t"}),
                Arguments.of("--all", new String[] {"task", "cancel", "--all", "--queue", "q"}),
                Arguments.of("\"completed\"", new String[] {"task", "cancel", "--state", "completed"}),
                Arguments.of("\"x\"", new String[] {"task", "cancel", "x"}),
                Arguments.of("\"a b\"", new String[] {"task", "cancel", "--queue", "a b"}));
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
