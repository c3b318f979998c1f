package dev.semel.storetests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workflows whose workers are killed, as {@code kill -9} does. A provider outside, a directory of files, counts the effects of each token.
 * {@code -Dworkflow.steps=20} makes the workflows longer than the build does.
 */
@Timeout(600)
public abstract class WorkflowCrashContract {

    private static final int STEPS = Integer.getInteger("workflow.steps", 6);
    private static final int MANY = Integer.getInteger("workflow.many", 20);

    private static final TaskType<String, String> STEP = TaskType.of("step", String.class, String.class);
    private static final WorkflowType<Integer, String> FLOW = WorkflowType.of("workflow", Integer.class, String.class);

    /** The provider's directory. */
    @TempDir
    protected Path provider;

    /** For subclasses. */
    protected WorkflowCrashContract() {}

    /**
     * The class that opens the store, here and in other processes.
     *
     * @return a public class with a public constructor that takes nothing
     */
    protected abstract Class<? extends StoreOpener> opener();

    /**
     * Creates a store without tasks.
     *
     * @return where it is
     * @throws Exception if it cannot be created
     */
    protected abstract String freshAddress() throws Exception;

    @Test
    @DisplayName("A workflow whose worker is killed after each of its steps ends as if it had not been")
    void killedAfterEachStep() throws Exception {
        String address = freshAddress();
        try (TaskStore store = StoreOpener.open(opener().getName(), address);
                Semel semel = Semel.on(store).build()) {
            semel.start(FLOW, "one", STEPS);
            for (int i = 0; i < STEPS; i++) {
                try (Child worker = worker(address)) {
                    worker.expect("started");
                    assertThat(worker.line()).startsWith("step ");
                    worker.kill();
                }
            }
            finish(semel, address, List.of("one"));
        }
    }

    @Test
    @DisplayName("Many workflows whose workers are killed at any moment end as if they had not been")
    void killedAtAnyMoment() throws Exception {
        String address = freshAddress();
        List<String> ids = new ArrayList<>();
        try (TaskStore store = StoreOpener.open(opener().getName(), address);
                Semel semel = Semel.on(store).build()) {
            for (int i = 0; i < MANY; i++) {
                ids.add("w" + i);
                semel.start(FLOW, "w" + i, STEPS);
            }
            for (int round = 0; round < 4; round++) {
                try (Child worker = worker(address)) {
                    worker.expect("started");
                    // After another number of steps each time, so in the middle of another batch.
                    for (int steps = 0; steps < 5 + 7 * round; steps++) {
                        if (worker.line() == null) {
                            throw new AssertionError("The worker ended by itself");
                        }
                    }
                    worker.kill();
                }
            }
            finish(semel, address, ids);
        }
    }

    private Child worker(String address) throws IOException {
        return Child.run(WorkflowCrashContract.class, opener().getName(), address, provider);
    }

    private void finish(Semel semel, String address, List<String> ids) throws Exception {
        try (Child worker = worker(address)) {
            worker.expect("started");
            for (String id : ids) {
                assertThat(semel.workflows().handle(FLOW, id).result(Duration.ofMinutes(3)))
                        .isEqualTo(expected());
            }
        }
        int steps = 0;
        for (String id : ids) {
            History history = semel.workflows().history(FLOW, id);
            assertThat(history.lines()).extracting(HistoryLine::kind).containsOnly(HistoryLine.Kind.STEP);
            assertThat(history.lines()).hasSize(STEPS);
            assertThat(history.inbox()).hasSize(STEPS);
            for (HistoryLine line : history.lines()) {
                TaskId step = Objects.requireNonNull(line.task());
                Task task = semel.tasks().find(step).orElseThrow();
                assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
                steps++;
            }
        }
        try (Stream<Path> tokens = Files.list(provider)) {
            assertThat(tokens.filter(file -> !file.getFileName().toString().startsWith("."))
                            .count())
                    .as("tokens, one for each step")
                    .isEqualTo(steps);
        }
    }

    private static String expected() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < STEPS; i++) {
            all.append("<").append(i).append(">");
        }
        return all.toString();
    }

    private static String flow(Flow flow, int steps) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < steps; i++) {
            all.append(flow.run(STEP, Integer.toString(i)));
        }
        return all.toString();
    }

    private static String step(TaskContext context, String text, Path provider) throws IOException {
        context.effect("do", String.class, token -> {
            Files.writeString(
                    provider.resolve(token), text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return token;
        });
        System.out.println("step " + text);
        return "<" + text + ">";
    }

    /**
     * A program that runs workflows and their steps.
     *
     * @param arguments the opener, the address and the directory of the provider
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        Path provider = Path.of(arguments[2]);
        Semel semel = Semel.on(StoreOpener.open(arguments[0], arguments[1])).build();
        semel.worker("default")
                .lease(Duration.ofSeconds(1))
                .poll(Duration.ofMillis(50))
                .maxVanished(1_000)
                .workflow(FLOW, WorkflowCrashContract::flow)
                .handle(STEP, (context, text) -> step(context, text, provider))
                .start();
        System.out.println("started");
        new CountDownLatch(1).await(); // until it is killed
    }
}
