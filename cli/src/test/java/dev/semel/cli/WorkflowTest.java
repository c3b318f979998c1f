package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.testkit.WorkflowReplay;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Workflows through the command line, with a worker of this process on the same file. */
class WorkflowTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TaskType<String, String> CHARGE = TaskType.builder("charge", String.class, String.class)
            .retry(RetryPolicy.delays(Duration.ofMillis(1)))
            .build();
    private static final TaskType<String, String> PACK = TaskType.of("pack", String.class, String.class);
    private static final WorkflowType<String, String> ORDER = WorkflowType.of("order", String.class, String.class);

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    private static String code(Flow flow, String order) {
        String paid = flow.run(CHARGE, order);
        String mailed = flow.local("mail", String.class, token -> "mailed");
        boolean approved =
                flow.signal("approved", Boolean.class, Duration.ofDays(7)).orElse(false);
        return paid + ", " + mailed + ", " + (approved ? flow.run(PACK, order) : "refused");
    }

    private Worker worker(Semel semel, boolean packs) {
        Worker.Builder builder = semel.worker("default")
                .workflow(ORDER, WorkflowTest::code)
                .handle(CHARGE, (context, order) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException("The bank is closed");
                    }
                    return "paid";
                });
        return (packs ? builder.handle(PACK, (context, order) -> "packed") : builder).start();
    }

    private void awaitWait(Semel semel, String timer) {
        await().atMost(PATIENCE)
                .until(() -> cli.json("workflow", "show", "order", "o-1")
                        .path("waits_for")
                        .asString("")
                        .startsWith(timer));
        assertThat(semel.workflows().handle(ORDER, "o-1").state().isOpen()).isTrue();
    }

    @Test
    void showDrawsTheStepsAndSaysWhatTheWorkflowWaitsFor() {
        assertThat(cli.run("workflow", "start", "order", "o-1", "\"7\"")
                        .exits(0)
                        .out())
                .contains("started");
        assertThat(cli.json("workflow", "show", "order", "o-1")
                        .path("waits_for")
                        .asString())
                .isEqualTo("a worker");
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build()) {
            try (Worker worker = worker(semel, false)) {
                awaitWait(semel, "signal \"approved\", until ");
                String shown =
                        cli.run("workflow", "show", "order", "o-1").exits(0).out();
                assertThat(shown).contains("Waits for", "signal \"approved\", until ");
                assertThat(shown.lines().filter(line -> line.startsWith("├─ ") || line.startsWith("└─ ")))
                        .satisfiesExactly(
                                step -> assertThat(step).contains("charge  completed  2 attempts  ", "  took "),
                                local -> assertThat(local).contains("local \"mail\"  done  "),
                                timer -> assertThat(timer).startsWith("└─ timer \"approved\"  until "));
                cli.run("workflow", "signal", "order", "o-1", "approved", "true")
                        .exits(0);
                // Nobody handles the step, so it stays pending.
                awaitWait(semel, "step \"pack\" (pending)");
            }
            assertThat(cli.run("workflow", "show", "order", "o-1").exits(0).out())
                    .contains("├─ signal \"approved\"  accepted ", "└─ pack  pending  ");
            try (Worker worker = worker(semel, true)) {
                assertThat(semel.workflows().handle(ORDER, "o-1").result(PATIENCE))
                        .isEqualTo("paid, mailed, packed");
            }
        }
        JsonNode shown = cli.json("workflow", "show", "order", "o-1");
        assertThat(shown.path("state").asString()).isEqualTo("completed");
        assertThat(shown.has("waits_for")).isFalse();
        assertThat(shown.path("steps")
                        .valueStream()
                        .map(step -> step.path("state").asString()))
                .containsExactly("completed", "completed");
        assertThat(cli.run("workflow", "show", "order", "nosuch").exits(5).err())
                .contains("nosuch");
    }

    @Test
    void workflowsThatMayNeedOldCodeAreListed() {
        cli.run("workflow", "start", "order", "o-1", "\"7\"").exits(0);
        String[] outdated = {"workflow", "list", "--type", "order", "--outdated", "audit=2"};
        assertThat(cli.run(outdated).exits(0).out()).contains("order").contains("pending");
        assertThat(cli.json(outdated).path("tasks")).hasSize(1);
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build();
                Worker worker = semel.worker("default")
                        .workflow(ORDER, (flow, order) -> flow.version("audit", 2) + flow.signal("go", String.class))
                        .start()) {
            await().atMost(PATIENCE)
                    .until(() -> semel.workflows().history(ORDER, "o-1").lines().size() == 1);
        }
        assertThat(cli.run(outdated).exits(0).out())
                .contains("No open workflow needs code from before version 2 of \"audit\".");
        assertThat(cli.run("workflow", "list", "--outdated", "audit=2").exits(2).err())
                .contains("requires --type");
        assertThat(cli.run("workflow", "list", "--type", "order", "--outdated", "audit")
                        .exits(2)
                        .err())
                .contains("a version from 1");
    }

    @Test
    void aQuestionIsAnsweredOnceForEachKey() {
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build()) {
            semel.start(ORDER, "o-4", "7");
            assertThat(cli.run("workflow", "ask", "order", "o-4", "total", "1", "--timeout", "10ms")
                            .exits(1)
                            .err())
                    .contains("has not answered within 10 ms");
            try (Worker worker = semel.worker("default")
                    .workflow(ORDER, (flow, order) -> {
                        AtomicInteger total = new AtomicInteger();
                        flow.onAsk("add", Integer.class, number -> {
                            if (number < 0) {
                                throw new IllegalArgumentException("too small");
                            }
                            return total.addAndGet(number);
                        });
                        return flow.signal("end", String.class);
                    })
                    .start()) {
                for (int i = 0; i < 2; i++) {
                    assertThat(cli.run("workflow", "ask", "order", "o-4", "add", "5", "--key", "k")
                                    .exits(0)
                                    .out())
                            .isEqualToIgnoringNewLines("5");
                }
                JsonNode answer = cli.json("workflow", "ask", "order", "o-4", "add", "2", "--key", "l");
                assertThat(answer.path("answer").asInt()).isEqualTo(7);
                assertThat(answer.path("key").asString()).isEqualTo("l");
                assertThat(cli.run("workflow", "ask", "order", "o-4", "add", "-1", "--key", "m")
                                .exits(1)
                                .err())
                        .contains("too small");
            }
            assertThat(cli.run("workflow", "ask", "order", "nosuch", "add", "1")
                            .exits(5)
                            .err())
                    .contains("no workflow");
        }
    }

    @Test
    void aRestartSaysWhatIsReadBackAndWhatRuns() {
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build()) {
            semel.start(ORDER, "o-3", "7");
            semel.workflows().signal(ORDER, "o-3", "approved", true);
            try (Worker worker = worker(semel, true)) {
                semel.workflows().handle(ORDER, "o-3").result(PATIENCE);
                JsonNode preview = cli.json("workflow", "restart", "order", "o-3", "--from", "pack", "--preview");
                assertThat(preview.path("outcome").isNull()
                                || preview.path("outcome").isMissingNode())
                        .isTrue();
                assertThat(preview.path("steps")
                                .valueStream()
                                .map(step -> step.path("kept").asBoolean()))
                        .containsExactly(true, false);
                assertThat(preview.path("local_steps").get(0).path("kept").asBoolean())
                        .isTrue();
                assertThat(cli.run("workflow", "restart", "order", "o-3", "--from", "pack")
                                .exits(0)
                                .out())
                        .contains(
                                "generation 2 begins with line 3",
                                "read back   1  charge  completed",
                                "runs again  3  pack");
                assertThat(semel.workflows().handle(ORDER, "o-3").result(PATIENCE))
                        .isEqualTo("paid, mailed, packed");
                assertThat(cli.run("workflow", "restart", "order", "o-3", "--from", "nosuch")
                                .exits(2)
                                .err())
                        .contains("no step \"nosuch\"");
                assertThat(cli.run("workflow", "restart", "order", "o-3", "--from", "9")
                                .exits(2)
                                .err())
                        .contains("0 to 4");
            }
        }
        assertThat(cli.run("workflow", "show", "order", "o-3").exits(0).out())
                .contains("restarted from line 3  generation 2", "charge  completed  2 attempts");
        String exported = cli.run("workflow", "history", "order", "o-3", "--json")
                .exits(0)
                .out();
        assertThat(WorkflowReplay.of(exported).check(ORDER, WorkflowTest::code).end())
                .isEqualTo(WorkflowReplay.End.COMPLETED);
    }

    @Test
    void anExportedHistoryIsReplayedByTheTestkit() {
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build()) {
            semel.start(ORDER, "o-2", "7");
            semel.workflows().signal(ORDER, "o-2", "approved", true);
            try (Worker worker = worker(semel, true)) {
                semel.workflows().handle(ORDER, "o-2").result(PATIENCE);
            }
        }
        String exported = cli.run("workflow", "history", "order", "o-2", "--json")
                .exits(0)
                .out();
        WorkflowReplay.Report report = WorkflowReplay.of(exported).check(ORDER, WorkflowTest::code);
        assertThat(report.end()).isEqualTo(WorkflowReplay.End.COMPLETED);
        assertThat(report.result()).isEqualTo("\"paid, mailed, packed\"");
        assertThat(cli.run("workflow", "history", "order", "o-2").exits(0).out())
                .contains("step", "charge", "<- completed", "<- signal");
    }

    @Test
    void aWorkflowWhoseCodeDoesNotFitSaysSo() {
        try (Semel semel = Semel.on(SqliteTaskStore.open(cli.file())).build()) {
            try (Worker worker = worker(semel, true)) {
                semel.start(ORDER, "o-1", "7");
                awaitWait(semel, "signal \"approved\", until ");
            }
            try (Worker changed = semel.worker("default")
                    .workflow(ORDER, (flow, order) -> flow.run(PACK, order))
                    .start()) {
                cli.run("workflow", "signal", "order", "o-1", "approved", "true")
                        .exits(0);
                awaitWait(semel, "code that fits its history");
            }
            assertThat(semel.workflows().handle(ORDER, "o-1").state()).isEqualTo(TaskState.PENDING);
        }
        assertThat(cli.run("workflow", "show", "order", "o-1").exits(0).out())
                .contains("semel workflow resume", "does not fit its history at line 1");
    }
}
