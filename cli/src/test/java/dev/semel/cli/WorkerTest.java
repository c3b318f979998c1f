package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.Operation;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code semel worker --exec} in this process, with real programs. */
class WorkerTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    /** Runs a worker until nothing is due, and returns the printed lines. */
    private List<JsonNode> work(String exec, String... more) {
        String[] all = new String[more.length + 6];
        System.arraycopy(new String[] {"worker", "q", "--exec", exec, "--once", "--json"}, 0, all, 0, 6);
        System.arraycopy(more, 0, all, 6, more.length);
        return cli.run(all).exits(0).jsonLines();
    }

    private String submit(String... more) {
        String[] all = new String[more.length + 4];
        System.arraycopy(new String[] {"t", "{\"n\":1}", "--queue", "q"}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        return cli.submit(all);
    }

    @Test
    void theProgramGetsItsInputAndItsEnvironmentAndGivesTheResult() {
        String id = submit("--key", "k", "--tenant", "acme");
        List<JsonNode> lines = work("echo \"{\\\"in\\\":$(cat),\\\"env\\\":\\\"$SEMEL_TASK_ID $SEMEL_KEY $SEMEL_ATTEMPT"
                + " $SEMEL_RUN $SEMEL_TYPE $SEMEL_QUEUE $SEMEL_TENANT\\\",\\\"token\\\":\\\"$SEMEL_TOKEN\\\"}\"");
        JsonNode result = cli.show(id).path("result");
        assertThat(result.path("in").toString()).isEqualTo("{\"n\":1}");
        assertThat(result.path("env").asString()).isEqualTo(id + " k 1 1 t q acme");
        assertThat(result.path("token").asString()).matches("[0-9a-f]{32}");
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst().path("task_id").asString()).isEqualTo(id);
        assertThat(lines.getFirst().path("outcome").asString()).isEqualTo("completed");
        assertThat(lines.getFirst().path("refused").asBoolean()).isFalse();
    }

    @Test
    void aQueueThatDoesNotExistIsReported() {
        submit();
        assertThat(cli.run("worker", "qq", "--exec", "true", "--once").exits(0).err())
                .contains("no queue \"qq\"", "waits for its first task");
        assertThat(cli.run("worker", "q", "--exec", "true", "--once").exits(0).err())
                .doesNotContain("no queue");
        assertThat(cli.run("worker", "qq", "--exec", "true", "--once", "--json")
                        .exits(0)
                        .err())
                .isEmpty();
    }

    @Test
    void theTokenIsTheSameInEveryAttempt() {
        String id = submit("--max-attempts", "2");
        String exec = "if [ $SEMEL_ATTEMPT = 1 ]; then echo $SEMEL_TOKEN >&2; exit 75; fi; echo $SEMEL_TOKEN";
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            work(exec);
            return cli.show(id).path("state").asString().equals("completed");
        });
        JsonNode task = cli.show(id);
        assertThat(task.path("attempts").path(0).path("error").asString())
                .startsWith(task.path("result").asString())
                .endsWith("(exit code 75: retry)");
    }

    @Test
    void outputThatIsJsonIsTheResultAndAnyOtherTextIsOneAsAString() {
        String json = submit();
        work("printf '  {\"a\": 1}\\n\\n'");
        assertThat(cli.show(json).path("result").toString()).isEqualTo("{\"a\":1}");
        String text = submit();
        work("echo 'charged \"9900\"'; echo done");
        assertThat(cli.show(text).path("result").asString()).isEqualTo("charged \"9900\"\ndone");
        String nothing = submit();
        work("true");
        assertThat(cli.show(nothing).has("result")).isFalse();
        assertThat(cli.run("task", "result", nothing).exits(0).out()).isEqualTo("null\n");
    }

    @Test
    void keyAndCommandReachTheProgramAlsoInALocaleWithoutUtf8() throws IOException {
        String key = "l'été 10\\n";
        Path out = directory.resolve("out");
        for (boolean isUtf8 : new boolean[] {true, false}) {
            ProcessBuilder builder =
                    new ProcessBuilder(ShellScript.run("printf '%s' \"$SEMEL_KEY ключ $(cat)\" > " + out, key, isUtf8));
            builder.environment().put("SEMEL_KEY", isUtf8 ? key : "?");
            Process process = builder.start();
            process.outputWriter().append("in").close();
            assertThat(process.onExit().join().exitValue()).isZero();
            assertThat(out).hasContent(key + " ключ in");
        }
    }

    @Test
    void exitCode65FailsForGoodAndKeepsStandardError() {
        String id = submit();
        List<JsonNode> lines = work("echo 'card declined' >&2; echo ignored; exit 65");
        JsonNode task = cli.show(id);
        assertThat(task.path("state").asString()).isEqualTo("failed");
        assertThat(task.path("attempt").asInt()).isEqualTo(1);
        assertThat(task.path("last_error").asString()).isEqualTo("card declined (exit code 65)");
        assertThat(lines.getFirst().path("outcome").asString()).isEqualTo("failed");
    }

    @Test
    void theErrorBeginsWithTheLastLineOfStandardErrorWhichHasTheMessageOfATraceback() {
        String id = submit();
        String traceback =
                "Traceback (most recent call last):\\n  File \"charge.py\", line 3\\nValueError: no such order\\n\\n";
        cli.run("worker", "q", "--once", "--exec", "printf '" + traceback + "' >&2; exit 65")
                .exits(0);
        String message = "ValueError: no such order (exit code 65)";
        assertThat(cli.show(id).path("last_error").asString())
                .isEqualTo(message
                        + "\nTraceback (most recent call last):\n  File \"charge.py\", line 3\nValueError: no such"
                        + " order");
        assertThat(cli.run("dead", "list").exits(0).out()).contains(message).doesNotContain("Traceback");
        assertThat(cli.run("task", "result", id).exits(1).err())
                .contains(message)
                .doesNotContain("Traceback");
        assertThat(cli.run("task", "show", id).exits(0).out())
                .contains(message + "\n", "Traceback (most recent call last):\n", "File \"charge.py\", line 3\n");
    }

    @Test
    void exitCode75AndAnyOtherAreRetriedUntilTheBudgetIsSpent() {
        for (String code : List.of("75", "1", "127")) {
            String id = submit("--max-attempts", "2");
            assertThat(work("exit " + code).getFirst().path("outcome").asString())
                    .isEqualTo("retried");
            assertThat(cli.show(id).path("state").asString()).isEqualTo("pending");
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                work("exit " + code);
                return cli.show(id).path("state").asString().equals("failed");
            });
            JsonNode task = cli.show(id);
            assertThat(task.path("failures").asInt()).isEqualTo(2);
            assertThat(task.path("attempts").size()).isEqualTo(2);
            assertThat(task.path("last_error").asString()).contains("(exit code " + code + ")");
        }
    }

    @Test
    void theWorkersOwnSettingsHoldForTasksWithoutAny() {
        String id = submit();
        work("exit 1", "--max-attempts", "1");
        assertThat(cli.show(id).path("state").asString()).isEqualTo("failed");
        String slow = submit();
        work("sleep 600", "--max-attempts", "1", "--timeout", "200ms");
        JsonNode task = cli.show(slow);
        assertThat(task.path("state").asString()).isEqualTo("timed_out");
        assertThat(task.path("last_error").asString()).contains("timeout of 200ms");
    }

    @Test
    void aProgramThatIsKilledHasFailed() {
        String id = submit("--max-attempts", "1");
        work("kill -9 $$");
        assertThat(cli.show(id).path("last_error").asString()).contains("signal 9");
    }

    @Test
    void ofALongErrorTheEndIsKept() {
        String id = submit("--max-attempts", "1");
        work("i=0; while [ $i -lt 3000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; exit 1");
        String error = cli.show(id).path("last_error").asString();
        assertThat(error.length()).isLessThanOrEqualTo(Limits.ERROR_LENGTH);
        assertThat(error).contains("line 2999").doesNotContain("line 10\n");
    }

    @Test
    void tooMuchOutputIsAFailureAndEndsTheProgram() {
        String id = submit("--max-attempts", "1");
        work("yes");
        JsonNode task = cli.show(id);
        assertThat(task.path("state").asString()).isEqualTo("failed");
        assertThat(task.path("last_error").asString()).contains("more than 1048576 bytes");
    }

    @Test
    void aProgramNeedNotReadItsInput() {
        String id = cli.submit("t", "\"" + "x".repeat(500_000) + "\"", "--queue", "q");
        work("echo 1");
        assertThat(cli.show(id).path("state").asString()).isEqualTo("completed");
    }

    @Test
    void onlyTheNamedTypesAndQueuesAreTaken() {
        String wanted = submit();
        String otherType = cli.submit("other", "{}", "--queue", "q");
        String otherQueue = cli.submit("t", "{}", "--queue", "r");
        String later = submit("--delay", "1h");
        work("echo 1", "--type", "t", "--type", "u");
        assertThat(cli.show(wanted).path("state").asString()).isEqualTo("completed");
        assertThat(cli.show(otherType).path("state").asString()).isEqualTo("pending");
        assertThat(cli.show(otherQueue).path("state").asString()).isEqualTo("pending");
        assertThat(cli.show(later).path("state").asString()).isEqualTo("pending");
        cli.run("worker", "q", "r", "--exec", "true", "--once").exits(0);
        assertThat(cli.show(otherType).path("state").asString()).isEqualTo("completed");
        assertThat(cli.show(otherQueue).path("state").asString()).isEqualTo("completed");
    }

    @Test
    void onceWorksOffEverythingThatIsDueAlsoWhatComesUpMeanwhile() {
        for (int i = 0; i < 40; i++) {
            submit();
        }
        List<JsonNode> lines = work("true", "--concurrency", "4");
        assertThat(lines).hasSize(40);
        assertThat(cli.run("worker", "q", "--exec", "true", "--once").exits(0).out())
                .isEmpty();
    }

    @Test
    void aCancelledTaskEndsTheProgramAndAllThatItStarted() throws IOException, InterruptedException {
        Path pids = directory.resolve("pids");
        String id = submit();
        Thread worker = Thread.ofPlatform()
                .start(() -> work(
                        "sleep 600 & echo $! >> pids.new; echo $$ >> pids.new; mv pids.new pids; wait"
                                .replace("pids", pids.toString()),
                        "--lease",
                        "300ms"));
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(pids));
        try (TaskStore store = SqliteTaskStore.open(cli.file())) {
            store.operate(List.of(new Operation.Cancel(TaskId.parse(id))));
        }
        worker.join();
        assertThat(cli.show(id).path("state").asString()).isEqualTo("cancelled");
        for (String pid : Files.readAllLines(pids)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> isGone(Long.parseLong(pid)));
        }
    }

    static boolean isGone(long pid) {
        return ProcessHandle.of(pid).map(handle -> !handle.isAlive()).orElse(true);
    }
}
