package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code semel effect …}, and effects in the output of other commands, on a real store. */
class EffectTest {

    private static final String UNKNOWN = "0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de";
    private static final String[] NOTHING = {};

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private void inWorld(Consumer<EffectWorld> work) {
        try (TaskStore store = SqliteTaskStore.open(cli.file())) {
            work.accept(new EffectWorld(store));
        }
    }

    /** Submits a task and runs an attempt. */
    private String begun(String queue, EffectWork work, String... more) {
        String id = submit(queue, more);
        inWorld(world -> work.run(world, world.claim(queue)));
        return id;
    }

    private String submit(String queue, String... more) {
        String[] all = new String[more.length + 4];
        System.arraycopy(new String[] {"charge", "{\"order\":1}", "--queue", queue}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        return cli.submit(all);
    }

    interface EffectWork {
        void run(EffectWorld world, Lease lease);
    }

    /** A task whose first attempt left its charge unknown and whose second one is parked because of it. */
    private String parked(String... more) {
        return parkedIn("payments", more);
    }

    private String parkedIn(String queue, String... more) {
        return begun(
                queue,
                (world, first) -> {
                    world.done(first, "reserve", "{\"place\":17}");
                    world.intend(first, "charge", Duration.ofDays(1));
                    world.retry(first, "no answer");
                    world.park(world.claim(queue), "charge");
                },
                more);
    }

    /** A dead letter with effects of every kind. */
    private String dead(String... more) {
        return begun(
                "payments",
                (world, lease) -> {
                    world.done(lease, "reserve", "{\"place\":17}");
                    world.notDone(lease, "mail", "full");
                    world.intend(lease, "charge");
                    world.intend(lease, "refund#2", Duration.ofMillis(1));
                    world.fail(lease, "the bank is down");
                },
                more);
    }

    private String state(String id) {
        return cli.show(id).path("state").asString();
    }

    private JsonNode effect(String id, String label) {
        return cli.show(id)
                .path("effects")
                .valueStream()
                .filter(effect -> effect.path("effect").asString().equals(label))
                .findFirst()
                .orElseThrow();
    }

    // ---- task show

    @Test
    void aParkedTaskSaysSoAndHowItIsResolved() {
        String id = parked("--key", "k");
        assertThat(cli.run("task", "show", id).exits(0).out())
                .contains(
                        "waiting, parked: the outcome of effect \"charge\" is unknown",
                        "semel effect resolve " + id + " charge\n",
                        "  --attempt 2 --reason TEXT\n",
                        "└─ reserve  done ",
                        "└─ charge   unknown ",
                        "provider's window until ")
                .doesNotContain("token");
        JsonNode json = cli.show(id);
        assertThat(json.path("parked_for").asString()).isEqualTo("charge");
        assertThat(json.path("effects").size()).isEqualTo(2);
        assertThat(json.path("effects").path(0).path("result").path("place").asInt())
                .isEqualTo(17);
        assertThat(json.path("effects").path(1).path("window_passed").asBoolean())
                .isFalse();
        assertThat(json.path("effects").path(1).path("attempt").asInt()).isEqualTo(2);
        assertThat(json.path("effects").path(1).has("token")).isFalse();
        JsonNode tokens = cli.json("task", "show", id, "--tokens");
        assertThat(tokens.path("effects").path(1).path("token").asString()).matches("[0-9a-f]{32}");
        Cli.Ran narrow = Cli.bare("", Map.of("COLUMNS", "80"), "task", "show", id, "--store", cli.url());
        assertThat(narrow.exits(0).out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(cli.atTerminal("", "task", "show", id).exits(0).out()).contains("\u001b[31munknown\u001b[0m");
    }

    @Test
    void aTaskWithoutEffectsHasNone() {
        String id = submit("q");
        assertThat(cli.show(id).path("effects").size()).isZero();
        assertThat(cli.run("task", "show", id).exits(0).out()).contains("Attempts    none yet");
    }

    // ---- effect list

    @Test
    void effectsAreListedByStateTaskQueueAndType() {
        assertThat(begun("none", (world, lease) -> {})).isNotEmpty();
        assertThat(cli.run("effect", "list").exits(0).out()).isEqualTo("No effects.\n");
        String first = parked();
        String second = begun("mail", (world, lease) -> world.done(lease, "send", null), "--tenant", "acme");
        assertThat(listed()).containsExactly(first + " charge", first + " reserve", second + " send");
        assertThat(listed("--unknown")).containsExactly(first + " charge");
        assertThat(listed("--task", second)).containsExactly(second + " send");
        assertThat(listed("--task", second, "--unknown")).isEmpty();
        assertThat(listed("--queue", "payments")).hasSize(2);
        assertThat(listed("--type", "charge")).hasSize(3);
        assertThat(listed("--type", "other")).isEmpty();
        assertThat(listed("--tenant", "acme")).containsExactly(second + " send");
        cli.run("effect", "list", "--task", second, "--tenant", "other").exits(5);
        assertThat(cli.json(5, "effect", "list", "--task", UNKNOWN)
                        .path("error")
                        .asString())
                .isEqualTo("TaskNotFound");
        JsonNode row = cli.json("effect", "list", "--unknown").path("effects").path(0);
        assertThat(row.path("task_state").asString()).isEqualTo("waiting");
        assertThat(row.path("queue").asString()).isEqualTo("payments");
        assertThat(row.has("token")).isFalse();
        assertThat(cli.json("effect", "list", "--tokens")
                        .path("effects")
                        .path(0)
                        .path("token")
                        .asString())
                .matches("[0-9a-f]{32}");
    }

    @Test
    void aListOfEffectsHasPages() {
        String id = begun("q", (world, lease) -> {
            for (int i = 0; i < 5; i++) {
                world.done(lease, i == 0 ? "mail" : "mail#" + i, null);
            }
        });
        for (String[] filter : List.of(NOTHING, new String[] {"--queue", "q"}, new String[] {"--task", id})) {
            JsonNode page = page(null, filter);
            assertThat(page.path("effects").size()).isEqualTo(2);
            assertThat(page.path("next").asString()).isEqualTo(id + "/mail#1");
            page = page(page.path("next").asString(), filter);
            assertThat(page.path("next").asString()).isEqualTo(id + "/mail#3");
            page = page(page.path("next").asString(), filter);
            assertThat(page.path("effects").size()).isEqualTo(1);
            assertThat(page.has("next")).isFalse();
        }
        assertThat(cli.run("effect", "list", "--limit", "2").exits(0).out())
                .endsWith("There may be more: --after " + id + "/mail#1\n");
    }

    private JsonNode page(String after, String... filter) {
        Stream<String> all = Stream.concat(Stream.of("effect", "list", "--limit", "2"), Stream.of(filter));
        return cli.json((after == null ? all : Stream.concat(all, Stream.of("--after", after))).toArray(String[]::new));
    }

    private List<String> listed(String... options) {
        return cli.json(Stream.concat(Stream.of("effect", "list"), Stream.of(options))
                        .toArray(String[]::new))
                .path("effects")
                .valueStream()
                .map(effect -> effect.path("task_id").asString() + " "
                        + effect.path("effect").asString())
                .toList();
    }

    @Test
    void aListOfEffectsFitsEightyColumns() {
        String id = parked();
        for (int width : new int[] {80, 120}) {
            Cli.Ran ran =
                    Cli.bare("", Map.of("COLUMNS", Integer.toString(width)), "effect", "list", "--store", cli.url());
            assertThat(ran.exits(0).out().lines())
                    .allMatch(line -> line.length() <= width)
                    .anyMatch(line -> line.startsWith(id + "  charge   unknown"));
        }
        assertThat(cli.run("effect", "list").exits(0).out()).contains("WINDOW", "until ", "payments");
    }

    // ---- effect resolve

    @Test
    void anEffectThatIsDoneLetsItsTaskGoOnWithTheResult() {
        String id = parked();
        Cli.Ran ran = cli.run(
                        "effect",
                        "resolve",
                        id,
                        "charge",
                        "--done",
                        "{\"payment\":\"p-7\"}",
                        "--reason",
                        "seen at the bank",
                        "--by",
                        "ada")
                .exits(0);
        assertThat(ran.out().lines().toList())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("Effect \"charge\" of task " + id + ", intended ")
                                .endsWith(", is unknown; the task is parked."),
                        line -> assertThat(line)
                                .isEqualTo("The task continues with the given result, and does not run the effect."),
                        line -> assertThat(line).isEqualTo("Resolution recorded by ada. Task " + id + " is pending."));
        JsonNode effect = effect(id, "charge");
        assertThat(effect.path("state").asString()).isEqualTo("done");
        assertThat(effect.path("how").asString()).isEqualTo("resolved");
        assertThat(effect.path("result").path("payment").asString()).isEqualTo("p-7");
        assertThat(effect.path("resolution").toString())
                .isEqualTo("{\"verdict\":\"done\",\"by\":\"ada\",\"reason\":\"seen at the bank\"}");
        assertThat(cli.run("task", "show", id).exits(0).out())
                .contains("resolved as done by ada: seen at the bank")
                .doesNotContain("semel effect resolve");
        assertThat(state(id)).isEqualTo("pending");
    }

    @Test
    void aResultMayComeFromAFileOrStandardInputOrBeMissing() throws IOException {
        Path file = Files.writeString(directory.resolve("result.json"), "{\"a\":\n1}");
        String one = parked();
        cli.run("effect", "resolve", one, "charge", "--done", "@" + file, "--reason", "r")
                .exits(0);
        assertThat(effect(one, "charge").path("result").toString()).isEqualTo("{\"a\":1}");
        String two = parkedIn("q2");
        cli.runWith("[1]", "effect", "resolve", two, "charge", "--done", "-", "--reason", "r")
                .exits(0);
        assertThat(effect(two, "charge").path("result").toString()).isEqualTo("[1]");
        String three = parkedIn("q3");
        assertThat(cli.run("effect", "resolve", three, "charge", "--reason", "r", "--done")
                        .exits(0)
                        .out())
                .contains("continues without a result");
        assertThat(effect(three, "charge").has("result")).isFalse();
        assertThat(effect(three, "charge").path("resolution").path("by").asString())
                .isEqualTo(System.getProperty("user.name"));
        String four = parkedIn("q4");
        cli.run("effect", "resolve", four, "charge", "--done=-5", "--reason", "r")
                .exits(0);
        assertThat(effect(four, "charge").path("result").asInt()).isEqualTo(-5);
    }

    @Test
    void anEffectThatIsNotDoneIsRunByTheNextAttempt() {
        String id = parked();
        JsonNode answer = cli.json("effect", "resolve", id, "charge", "--not-done", "--reason", "asked", "--by", "ada");
        assertThat(answer.path("outcome").asString()).isEqualTo("resolved");
        assertThat(answer.path("state").asString()).isEqualTo("not_done");
        assertThat(answer.path("task_state").asString()).isEqualTo("pending");
        assertThat(answer.path("resolution").path("by").asString()).isEqualTo("ada");
        assertThat(answer.has("token")).isFalse();
    }

    @Test
    void whoWaitsForAParkedTaskLearnsThatAPersonHasToResolveIt() {
        String id = parked();
        assertThat(cli.run("task", "result", id, "--wait", "100ms").exits(1).err())
                .contains("has not ended within 100 ms. It is parked", "semel effect resolve")
                .doesNotContain("It continues; wait for it again");
        String pending = cli.submit("t", "{}");
        assertThat(cli.run("task", "result", pending, "--wait", "100ms")
                        .exits(1)
                        .err())
                .contains("It continues; wait for it again");
    }

    @Test
    void aTaskThatIsGivenUpIsADeadLetter() {
        String id = parked();
        assertThat(cli.run("effect", "resolve", id, "charge", "--give-up", "--reason", "bank is gone", "--by", "ada")
                        .exits(0)
                        .out())
                .contains(
                        "The task fails and becomes a dead letter; the effect stays unknown.",
                        "Task " + id + " is failed.");
        assertThat(cli.show(id).path("last_error").asString()).contains("Given up by ada", "bank is gone");
        assertThat(effect(id, "charge").path("state").asString()).isEqualTo("unknown");
        assertThat(cli.run("task", "show", id).exits(0).out()).contains("Error       Given up by ada, because");
        assertThat(cli.run("dead", "show", id).exits(0).out()).contains("given up by ada: bank is gone");
    }

    @Test
    void aDryRunSaysWhatWouldHappenAndChangesNothing() {
        String id = parked();
        assertThat(cli.run("effect", "resolve", id, "charge", "--not-done", "--reason", "r", "--dry-run")
                        .exits(0)
                        .out())
                .contains("The task continues and runs the effect as if for the first time.\nNothing was changed.");
        JsonNode json = cli.json("effect", "resolve", id, "charge", "--done", "1", "--reason", "r", "--dry-run");
        assertThat(json.path("dry_run").asBoolean()).isTrue();
        assertThat(json.path("state").asString()).isEqualTo("unknown");
        assertThat(state(id)).isEqualTo("waiting");
    }

    @Test
    void theSameWordMayBeSaidAgain() {
        String id = parked();
        String[] word = {
            "effect", "resolve", id, "charge", "--done", "{\"a\":1}", "--reason", "r", "--by", "ada", "--attempt", "2"
        };
        cli.run(word).exits(0);
        assertThat(cli.run(word).exits(0).out())
                .contains("the same resolution was recorded before. Nothing was changed");
        assertThat(cli.json(word).path("outcome").asString()).isEqualTo("repeated");
        inWorld(world -> world.complete(world.claim("payments"), "1"));
        assertThat(cli.run(word).exits(0).out()).contains("Task " + id + " is completed.");
        word[5] = "{\"a\":2}";
        JsonNode refused = cli.json(4, word);
        assertThat(refused.path("error").asString()).isEqualTo("EffectSettled");
        assertThat(refused.path("message").asString())
                .contains("is done since", "resolved by ada", "Nothing was changed");
    }

    @Test
    void aWordAboutAnEarlierAttemptDoesNotReachALaterOne() {
        String id = parked();
        String[] word = {
            "effect", "resolve", id, "charge", "--not-done", "--reason", "r", "--by", "ada", "--attempt", "2"
        };
        cli.run(word).exits(0);
        inWorld(world -> {
            Lease third = world.claim("payments");
            world.intend(third, "charge");
            world.retry(third, "no answer again");
        });
        // Suppose the first answer was lost: this is the same resolution of the same attempt, which has been recorded.
        assertThat(cli.run(word).exits(0).out()).contains("the same resolution was recorded before");
        assertThat(effect(id, "charge").path("state").asString()).isEqualTo("unknown");
        word[8] = "bob";
        JsonNode refused = cli.json(4, word);
        assertThat(refused.path("error").asString()).isEqualTo("EffectChanged");
        assertThat(refused.path("message").asString()).contains("attempt 2", "semel task show " + id);
        assertThat(cli.run(Stream.concat(Stream.of(word), Stream.of("--dry-run"))
                                .toArray(String[]::new))
                        .exits(4)
                        .err())
                .contains("has changed since attempt 2");
        assertThat(effect(id, "charge").path("state").asString()).isEqualTo("unknown");
    }

    @Test
    void anEffectInProgressIsLeftAlone() {
        String id = begun("payments", (world, lease) -> world.intend(lease, "charge"));
        assertThat(cli.run("task", "show", id).exits(0).out()).contains("└─ charge  in progress  intended ");
        JsonNode refused = cli.json(4, "effect", "resolve", id, "charge", "--done", "1", "--reason", "r");
        assertThat(refused.path("error").asString()).isEqualTo("EffectInProgress");
        assertThat(refused.path("status").asString()).isEqualTo("running");
        assertThat(refused.path("existing_task_id").asString()).isEqualTo(id);
        assertThat(refused.path("message").asString()).contains("attempt 1", "still runs", "lease expires at");
    }

    @Test
    void onlyAParkedTaskIsGivenUp() {
        String id = begun("payments", (world, lease) -> {
            world.intend(lease, "charge");
            world.retry(lease, "no answer");
        });
        JsonNode refused = cli.json(4, "effect", "resolve", id, "charge", "--give-up", "--reason", "r");
        assertThat(refused.path("error").asString()).isEqualTo("NotParked");
        assertThat(refused.path("message").asString()).contains("is pending", "Nothing was changed");
        assertThat(cli.run("effect", "resolve", id, "charge", "--done", "1", "--reason", "r")
                        .exits(0)
                        .out())
                .contains("Its next attempt continues with the given result");
    }

    @Test
    void anEffectOfADeadLetterIsResolvedForTheRedrive() {
        String id = dead();
        assertThat(cli.run("effect", "resolve", id, "charge", "--not-done", "--reason", "r")
                        .exits(0)
                        .out())
                .contains("A redrive or a rerun continues and runs the effect", "Task " + id + " is failed.");
        JsonNode noted = cli.json("effect", "resolve", id, "refund#2", "--give-up", "--reason", "r");
        assertThat(noted.path("state").asString()).isEqualTo("unknown");
        assertThat(noted.path("resolution").path("verdict").asString()).isEqualTo("give_up");
    }

    @Test
    void anEffectWithAnOutcomeIsNotResolved() {
        String id = parked();
        JsonNode refused = cli.json(4, "effect", "resolve", id, "reserve", "--not-done", "--reason", "r");
        assertThat(refused.path("error").asString()).isEqualTo("EffectSettled");
        assertThat(refused.path("message").asString()).contains("recorded by attempt 1");
    }

    @Test
    void whatIsNotThereIsNotFound() {
        String id = parked("--tenant", "acme");
        JsonNode json = cli.json(5, "effect", "resolve", id, "chrage", "--not-done", "--reason", "r");
        assertThat(json.path("error").asString()).isEqualTo("EffectNotFound");
        assertThat(json.path("message").asString())
                .contains("\"chrage\"", "Did you mean \"charge\"?", "It has charge, reserve.");
        cli.run("effect", "resolve", UNKNOWN, "charge", "--not-done", "--reason", "r")
                .exits(5);
        cli.run("effect", "resolve", id, "charge", "--not-done", "--reason", "r", "--tenant", "other")
                .exits(5);
        cli.run("effect", "resolve", id, "charge", "--not-done", "--reason", "r", "--tenant", "acme")
                .exits(0);
        String bare = submit("q");
        assertThat(cli.run("effect", "resolve", bare, "charge", "--not-done", "--reason", "r")
                        .exits(5)
                        .err())
                .contains("It has no effects.");
    }

    // ---- dead letters

    @Test
    void theOutlookOfARedriveDescribesEachEffect() {
        String id = dead("--key", "k");
        assertThat(cli.run("dead", "show", id).exits(0).out())
                .contains(
                        "├─ reserve   done ",
                        "A redrive would run task " + id + " again.",
                        "Effect reserve: done, and not run again.",
                        "Effect mail: not done, and run as if for the first time.",
                        "Effect charge: unknown, and handled as the handler declares",
                        "Effect refund#2: unknown, and past the provider's window: parked for a person and not run again");
        assertThat(cli.run("dead", "redrive", id, "--dry-run").exits(0).out())
                .contains(
                        "attempts: 1 failed, effects done: reserve; not done: mail; unknown: charge; unknown and past its"
                                + " window: refund#2  the bank is down");
        assertThat(cli.json("dead", "show", id).path("effects").size()).isEqualTo(4);
        assertThat(cli.json("dead", "redrive", "--queue", "payments", "--dry-run")
                        .path("tasks")
                        .path(0)
                        .path("effects")
                        .size())
                .isEqualTo(4);
        assertThat(cli.json("dead", "show", id, "--tokens")
                        .path("effects")
                        .path(0)
                        .path("token")
                        .asString())
                .matches("[0-9a-f]{32}");
    }

    @Test
    void aRerunShowsWhatTheRunBeforeItRecorded() {
        String first = dead("--key", "k");
        String second = submit("payments", "--key", "k");
        assertThat(second).isNotEqualTo(first);
        assertThat(cli.run("task", "show", second).exits(0).out())
                .contains("none yet", "By an earlier run (1), attempt 1 of task " + first, "├─ reserve   done ");
        assertThat(effect(second, "charge").path("task_id").asString()).isEqualTo(first);
        cli.run("effect", "resolve", second, "charge", "--not-done", "--reason", "r")
                .exits(0);
        assertThat(effect(first, "charge").path("state").asString()).isEqualTo("not_done");
    }
}
