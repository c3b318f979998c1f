package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class DeadTest {

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
    void deadLettersAreListedAndNothingElse() {
        String dead = cli.dead("charge", "{}", "--queue", "payments", "--key", "k");
        cli.submit("charge", "{}", "--queue", "payments", "--delay", "1h");
        JsonNode list = cli.json("dead", "list");
        assertThat(list.path("tasks").size()).isEqualTo(1);
        assertThat(list.path("tasks").path(0).path("task_id").asString()).isEqualTo(dead);
        assertThat(list.path("tasks").path(0).path("last_error").asString()).startsWith("boom");
        assertThat(list.has("next")).isFalse();
        assertThat(cli.run("dead", "list", "--queue", "payments").exits(0).out())
                .contains(dead, "failed", "ERROR", "boom");
        assertThat(cli.run("dead", "list", "--state", "timed_out").exits(0).out())
                .isEqualTo("No dead letters.\n");
        assertThat(cli.json("dead", "list", "--tenant", "other").path("tasks").size())
                .isZero();
        String second = cli.dead("charge", "{}", "--queue", "payments");
        JsonNode page = cli.json("dead", "list", "--limit", "1");
        assertThat(page.path("tasks").path(0).path("task_id").asString()).isEqualTo(second);
        assertThat(cli.json("dead", "list", "--before", page.path("next").asString())
                        .path("tasks")
                        .path(0)
                        .path("task_id")
                        .asString())
                .isEqualTo(dead);
        Cli.Ran narrow = Cli.bare("", Map.of("COLUMNS", "90"), "dead", "list", "--store", cli.url());
        assertThat(narrow.out().lines()).allMatch(line -> line.length() <= 90);
    }

    @Test
    void aDeadLetterIsShownWithItsOutlook() {
        String dead = cli.dead("charge", "{\"order\":1}", "--key", "k");
        JsonNode json = cli.json("dead", "show", dead);
        assertThat(json.path("outcome").asString()).isEqualTo("redriven");
        assertThat(json.has("superseded_by")).isFalse();
        assertThat(json.path("input").path("order").asInt()).isEqualTo(1);
        assertThat(json.path("attempts").size()).isEqualTo(1);
        assertThat(cli.run("dead", "show", dead).exits(0).out())
                .contains("OUTCOME", "boom", "A redrive would run task " + dead + " again.");
        String newer = cli.submit("charge", "{\"order\":1}", "--key", "k");
        assertThat(cli.json("dead", "show", dead).path("superseded_by").asString())
                .isEqualTo(newer);
        assertThat(cli.run("dead", "show", dead).exits(0).out()).contains("superseded", newer);
        JsonNode open = cli.json(5, "dead", "show", newer);
        assertThat(open.path("error").asString()).isEqualTo("NotDead");
        assertThat(open.path("status").asString()).isEqualTo("pending");
        assertThat(cli.json(5, "dead", "show", UNKNOWN).path("error").asString())
                .isEqualTo("TaskNotFound");
        cli.json(5, "dead", "show", dead, "--tenant", "other");
    }

    @Test
    void aRedrivenTaskIsTheSameTaskUnderAFreshBudget() {
        String dead = cli.dead("charge", "{}", "--key", "k", "--max-attempts", "1");
        JsonNode answer = cli.json("dead", "redrive", dead);
        assertThat(answer.toString())
                .isEqualTo("{\"tasks\":[{\"task_id\":\"" + dead + "\",\"outcome\":\"redriven\"}]}");
        JsonNode task = cli.show(dead);
        assertThat(task.path("state").asString()).isEqualTo("pending");
        assertThat(task.path("failures").asInt()).isZero();
        assertThat(task.path("attempt").asInt()).isEqualTo(1);
        cli.run("worker", "default", "--exec", "echo 1", "--once").exits(0);
        assertThat(state(dead)).isEqualTo("completed");
        assertThat(cli.submit("charge", "{}", "--key", "k")).isEqualTo(dead);
    }

    @Test
    void oneThatIsSupersededStaysAsItIs() {
        String dead = cli.dead("charge", "{}", "--key", "k");
        String newer = cli.submit("charge", "{}", "--key", "k");
        JsonNode refused = cli.json(4, "dead", "redrive", dead);
        assertThat(refused.path("tasks").path(0).path("outcome").asString()).isEqualTo("superseded");
        assertThat(refused.path("tasks").path(0).path("superseded_by").asString())
                .isEqualTo(newer);
        assertThat(refused.path("error").asString()).isEqualTo("Superseded");
        assertThat(refused.path("existing_task_id").asString()).isEqualTo(newer);
        assertThat(state(dead)).isEqualTo("failed");
        assertThat(cli.run("dead", "redrive", dead).exits(4).err())
                .startsWith("semel: Task " + dead + " is superseded")
                .contains(newer, "It was not changed")
                .doesNotContain("\tat ");
    }

    @Test
    void manyIdsAreAllTriedAndTheFirstRefusalDecidesTheCode() {
        String dead = cli.dead("a", "{}");
        String open = cli.submit("b", "{}");
        JsonNode answer = cli.json(5, "dead", "redrive", UNKNOWN, open, dead, dead);
        assertThat(answer.path("tasks")
                        .valueStream()
                        .map(task -> task.path("outcome").asString()))
                .containsExactly("not_found", "not_dead", "redriven");
        assertThat(answer.path("error").asString()).isEqualTo("TaskNotFound");
        assertThat(state(dead)).isEqualTo("pending");
        assertThat(cli.json(4, "dead", "redrive", open).path("error").asString())
                .isEqualTo("NotDead");
        Cli.Ran text = cli.run("dead", "redrive", open, UNKNOWN).exits(4);
        assertThat(text.err().lines()).hasSize(2);
    }

    @Test
    void aDryRunSaysForEachWhatWouldHappenAndChangesNothing() {
        String free = cli.dead("charge", "{\"n\":1}", "--queue", "q", "--key", "free");
        String dead = cli.dead("charge", "{\"n\":2}", "--queue", "q", "--key", "k");
        String newer = cli.submit("charge", "{\"n\":2}", "--queue", "q", "--key", "k");
        cli.dead("charge", "{}", "--queue", "other");
        JsonNode answer = cli.json("dead", "redrive", "--queue", "q", "--dry-run");
        assertThat(answer.path("dry_run").asBoolean()).isTrue();
        assertThat(answer.path("count").asInt()).isEqualTo(2);
        assertThat(answer.path("redriven").asInt()).isEqualTo(1);
        assertThat(answer.path("superseded").asInt()).isEqualTo(1);
        JsonNode first = answer.path("tasks").path(0);
        assertThat(first.path("task_id").asString()).isEqualTo(dead);
        assertThat(first.path("outcome").asString()).isEqualTo("superseded");
        assertThat(first.path("superseded_by").asString()).isEqualTo(newer);
        JsonNode second = answer.path("tasks").path(1);
        assertThat(second.path("outcome").asString()).isEqualTo("redriven");
        assertThat(second.path("input").path("n").asInt()).isEqualTo(1);
        assertThat(second.path("attempts").path(0).path("outcome").asString()).isEqualTo("failed");
        String text =
                cli.run("dead", "redrive", "--queue", "q", "--dry-run").exits(0).out();
        assertThat(text)
                .contains(
                        free + "  would run again  charge in q, key free, run 1, attempts: 1 failed  boom",
                        dead + "  SUPERSEDED by " + newer,
                        "Would redrive 1 task; 1 superseded. Nothing was changed.");
        assertThat(cli.json("dead", "redrive", free, "--dry-run")
                        .path("tasks")
                        .path(0)
                        .path("outcome")
                        .asString())
                .isEqualTo("redriven");
        cli.json(4, "dead", "redrive", dead, "--dry-run");
        assertThat(state(free)).isEqualTo("failed");
    }

    @Test
    void aFilterRedrivesAllThatCanBe() {
        String one = cli.dead("charge", "{}", "--queue", "q", "--key", "k1");
        String two = cli.dead("refund", "{}", "--queue", "q");
        String superseded = cli.dead("charge", "{}", "--queue", "q", "--key", "k2");
        String newer = cli.submit("charge", "{}", "--queue", "q", "--key", "k2", "--delay", "1h");
        String other = cli.dead("charge", "{}", "--queue", "other");
        JsonNode answer = cli.json("dead", "redrive", "--queue", "q", "--type", "charge", "--yes");
        assertThat(answer.toString()).isEqualTo("{\"redriven\":1,\"superseded\":1,\"not_dead\":0}");
        assertThat(state(one)).isEqualTo("pending");
        assertThat(state(two)).isEqualTo("failed");
        assertThat(state(superseded)).isEqualTo("failed");
        assertThat(state(newer)).isEqualTo("pending");
        assertThat(cli.run("dead", "redrive", "--all", "--yes").exits(0).out())
                .isEqualTo("Redrove 2 tasks; 1 superseded.\n");
        assertThat(state(two)).isEqualTo("pending");
        assertThat(state(other)).isEqualTo("pending");
    }

    @Test
    void aFilterAsksAtATerminalAndNeedsAYesElsewhere() {
        String dead = cli.dead("charge", "{}");
        assertThat(cli.run("dead", "redrive", "--all").exits(2).err()).contains("--yes", "--dry-run");
        assertThat(cli.json(2, "dead", "redrive", "--all").path("error").asString())
                .isEqualTo("InvalidInput");
        Cli.Ran no = cli.atTerminal("n\n", "dead", "redrive", "--all").exits(1);
        assertThat(no.err()).isEqualTo("Redrive 1 dead letter? [y/N] ");
        assertThat(no.out()).isEqualTo("Nothing was changed.\n");
        cli.atTerminal("", "dead", "redrive", "--all").exits(1);
        assertThat(state(dead)).isEqualTo("failed");
        assertThat(cli.atTerminal("y\n", "dead", "redrive", "--all").exits(0).out())
                .contains("Redrove 1 task; 0 superseded.");
        assertThat(state(dead)).isEqualTo("pending");
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("--all", new String[] {"dead", "redrive"}),
                Arguments.of("both", new String[] {"dead", "redrive", UNKNOWN, "--queue", "q"}),
                Arguments.of("both", new String[] {"dead", "redrive", UNKNOWN, "--all"}),
                Arguments.of("--all", new String[] {"dead", "redrive", "--all", "--type", "t"}),
                Arguments.of("\"pending\"", new String[] {"dead", "redrive", "--state", "pending"}),
                Arguments.of("\"done\"", new String[] {"dead", "redrive", "--state", "done"}),
                Arguments.of("\"17\"", new String[] {"dead", "redrive", "17"}),
                Arguments.of("\"completed\"", new String[] {"dead", "list", "--state", "completed"}),
                Arguments.of("\"17\"", new String[] {"dead", "show", "17"}));
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
