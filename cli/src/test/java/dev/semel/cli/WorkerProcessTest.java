package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.sqlite.SqliteSettings;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code semel worker --exec} as a separate process that receives signals. */
class WorkerProcessTest {

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private Child worker(String exec, String... more) {
        List<String> all = new ArrayList<>(List.of("worker", "q", "--exec", exec, "--store", cli.url()));
        all.addAll(List.of(more));
        return Child.semel(directory, all.toArray(String[]::new));
    }

    private String submit(String type) {
        return cli.submit(type, "{}", "--queue", "q");
    }

    private void awaitFile(Path file) {
        await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(file));
    }

    @Test
    void aProgramGetsTheUrlOfTheStoreOnlyIfAskedFor() throws InterruptedException {
        String[] worker = {"worker", "q", "--once", "--exec", "echo \"[\\\"${SEMEL_STORE:-none}\\\"]\""};
        String without = submit("t");
        try (Child child = Child.semelOn(cli.url(), directory, worker)) {
            assertThat(child.exitCode()).isZero();
        }
        String with = submit("t");
        List<String> sharing = new ArrayList<>(List.of(worker));
        sharing.add("--share-store");
        try (Child child = Child.semelOn(cli.url(), directory, sharing.toArray(String[]::new))) {
            assertThat(child.exitCode()).isZero();
        }
        assertThat(cli.show(without).path("result").get(0).asString()).isEqualTo("none");
        assertThat(cli.show(with).path("result").get(0).asString()).isEqualTo(cli.url());
    }

    @Test
    void toldToEndItFinishesWhatRunsAndTakesNothingNew() throws IOException, InterruptedException {
        Path begun = directory.resolve("begun");
        Path go = directory.resolve("go");
        String running = submit("t");
        String waiting = submit("t");
        try (Child worker = worker(
                "touch " + begun + "; until [ -e " + go + " ]; do sleep 0.05; done; echo 1", "--concurrency", "1")) {
            awaitFile(begun);
            worker.signal("TERM");
            Files.createFile(go);
            assertThat(worker.exitCode()).isEqualTo(143);
        }
        List<String> states = List.of(state(running), state(waiting));
        assertThat(states).containsExactlyInAnyOrder("completed", "pending");
        String left = state(running).equals("pending") ? running : waiting;
        assertThat(cli.show(left).path("failures").asInt()).isZero();
    }

    @Test
    void whatRunsLongerThanTheGraceIsEndedAndPutBackUnharmed() throws IOException, InterruptedException {
        Path pid = directory.resolve("pid");
        String id = submit("t");
        try (Child worker =
                worker("echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; sleep 600", "--grace", "200ms")) {
            awaitFile(pid);
            worker.signal("INT");
            assertThat(worker.exitCode()).isEqualTo(130);
        }
        JsonNode task = cli.show(id);
        assertThat(task.path("state").asString()).isEqualTo("pending");
        assertThat(task.path("failures").asInt()).isZero();
        assertThat(task.path("attempts").path(0).path("outcome").asString()).isEqualTo("put_back");
        long program = Long.parseLong(Files.readString(pid).strip());
        await().atMost(Duration.ofSeconds(60)).until(() -> WorkerTest.isGone(program));
    }

    @Test
    void aWorkerThatLostItsLeaseEndsItsProgramAndGoesOn() throws IOException, InterruptedException {
        Path pid = directory.resolve("pid");
        String id = submit("t");
        try (Child worker = worker(
                        "if [ $SEMEL_TYPE = t ]; then echo $$ > " + pid + ".new; mv " + pid + ".new " + pid
                                + "; sleep 600; fi; echo 1",
                        "--lease",
                        "500ms",
                        "--json");
                TaskStore store = SqliteTaskStore.open(
                        cli.file(), SqliteSettings.standard().withLockLimit(Duration.ofSeconds(1)))) {
            awaitFile(pid);
            worker.signal("STOP");
            List<Claimed> stolen = new ArrayList<>();
            await().atMost(Duration.ofSeconds(120)).until(() -> {
                ClaimRequest claim = new ClaimRequest(
                        System.nanoTime(), false, Set.of("q"), null, 1, 1, Duration.ofSeconds(60), "thief");
                try {
                    stolen.addAll(store.claim(claim).tasks());
                } catch (StoreUnavailable e) {
                    // It was stopped in the middle of a write and holds the lock of the file: let it finish, and try
                    // again.
                    worker.signal("CONT");
                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                    worker.signal("STOP");
                }
                return !stolen.isEmpty();
            });
            worker.signal("CONT");
            long program = Long.parseLong(Files.readString(pid).strip());
            await().atMost(Duration.ofSeconds(30)).until(() -> WorkerTest.isGone(program));
            store.settle(List.of(new Settlement.Complete(stolen.getFirst().lease(), "\"thief\"")));
            String next = submit("other");
            cli.run("task", "result", next, "--wait", "30s").exits(0);
            worker.signal("TERM");
            worker.exitCode();
        }
        assertThat(cli.show(id).path("result").asString()).isEqualTo("thief");
    }

    @Test
    void aProgramThatKillsItsWorkerEndsAsADeadLetterAndItsNeighboursAreDone() throws InterruptedException {
        String poison = submit("poison");
        List<String> neighbours = List.of(submit("good"), submit("good"), submit("good"));
        int killed = 0;
        while (cli.show(poison).path("finished_at").isMissingNode()) {
            assertThat(killed).as("workers killed by one task").isLessThanOrEqualTo(3);
            try (Child worker = worker(
                    "if [ $SEMEL_TYPE = poison ]; then kill -9 $PPID; sleep 600; fi; echo 1",
                    "--lease",
                    "500ms",
                    "--concurrency",
                    "1")) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !worker.isAlive()
                                || cli.show(poison).path("finished_at").isString());
                killed += worker.isAlive() ? 0 : 1;
            }
        }
        JsonNode task = cli.show(poison);
        assertThat(killed).isEqualTo(3);
        assertThat(task.path("state").asString()).isEqualTo("failed");
        assertThat(task.path("vanished").asInt()).isEqualTo(3);
        assertThat(task.path("last_error").asString()).contains("3 attempts vanished");
        cli.run("worker", "q", "--exec", "echo 1", "--once").exits(0);
        neighbours.forEach(id -> assertThat(state(id)).isEqualTo("completed"));
    }

    private String state(String id) {
        return cli.show(id).path("state").asString();
    }
}
