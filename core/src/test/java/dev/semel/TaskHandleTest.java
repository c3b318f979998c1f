package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Attempt;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.PermanentFailure;
import dev.semel.task.Scope;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskNotFound;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.task.TaskUnsuccessful;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of handles, and of the lookup of tasks without the store's interface. */
@Timeout(60)
class TaskHandleTest {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    private final Semel semel = Semel.on(new InMemoryTaskStore()).build();

    @AfterEach
    void close() {
        semel.close();
    }

    @Test
    void aHandleKnowsStateAndAttemptsAndCancels() throws Exception {
        TaskHandle<String> handle = semel.submit(WORK, "x").send().handle();
        assertThat(handle.state()).isEqualTo(TaskState.PENDING);
        assertThat(handle.attempts()).isEmpty();
        assertThat(handle.cancel()).isEqualTo(Operations.Cancellation.CANCELLED);
        assertThat(handle.state()).isEqualTo(TaskState.CANCELLED);
        TaskHandle<String> unknown = semel.handle(WORK, TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8057"));
        assertThatThrownBy(unknown::state).isInstanceOf(TaskNotFound.class);
        assertThatThrownBy(unknown::cancel).isInstanceOf(TaskNotFound.class);

        TaskHandle<String> other = semel.submit(WORK, "y").send().handle();
        CompletableFuture<String> result = other.completion().toCompletableFuture();
        assertThat(result).isNotDone();
        semel.worker("default")
                .handle(WORK, (context, input) -> {
                    if (input.equals("bad")) {
                        throw new PermanentFailure("no");
                    }
                    return input + "!";
                })
                .start();
        assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo("y!");
        assertThat(other.attempts()).extracting(Attempt::number).containsExactly(1);

        CompletableFuture<String> failed =
                semel.submit(WORK, "bad").send().handle().completion().toCompletableFuture();
        assertThatThrownBy(() -> failed.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TaskUnsuccessful.class);
        CompletableFuture<String> none = unknown.completion().toCompletableFuture();
        assertThatThrownBy(() -> none.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(TaskNotFound.class);
    }

    @Test
    void nobodyWaitsForAClosedInstance() throws Exception {
        TaskHandle<String> handle = semel.submit(WORK, "x").send().handle();
        CompletableFuture<String> stage = handle.completion().toCompletableFuture();
        CompletableFuture<String> thread = CompletableFuture.supplyAsync(() -> handle.result(Duration.ofDays(1)));
        semel.close();
        assertThatThrownBy(() -> stage.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreUnusable.class);
        assertThatThrownBy(() -> thread.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreUnusable.class);
        assertThatThrownBy(() -> handle.result(Duration.ofDays(1))).isInstanceOf(StoreUnusable.class);
        CompletableFuture<String> later = handle.completion().toCompletableFuture();
        assertThatThrownBy(() -> later.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreUnusable.class);
    }

    @Test
    void tasksAreFoundAndListed() {
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.add(semel.submit(WORK, "x" + i)
                    .queue(i == 3 ? "other" : "default")
                    .idempotencyKey("k" + i)
                    .send()
                    .taskId());
        }
        assertThat(semel.tasks().find(ids.get(3)).orElseThrow().queue()).isEqualTo("other");
        assertThat(semel.tasks().find(ids)).hasSize(7);
        assertThat(semel.tasks().find(TaskId.parse("01890a5d-ac96-774b-bcce-b302099a8057")))
                .isEmpty();
        assertThat(semel.tasks()
                        .findByKey(Identity.of("default", Scope.type(), "default", "work", "k6"))
                        .orElseThrow()
                        .id())
                .isEqualTo(ids.get(6));
        List<TaskId> listed = semel.tasks().list(TaskQuery.builder().build()).tasks().stream()
                .map(Task::id)
                .toList();
        assertThat(listed).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(semel.tasks().stream(TaskQuery.builder().pageSize(2).build())
                        .map(Task::id)
                        .toList())
                .isEqualTo(listed);
        TaskQuery pending = TaskQuery.builder()
                .queue("default")
                .type("work")
                .tenant("default")
                .states(TaskState.PENDING)
                .pageSize(3)
                .build();
        assertThat(semel.tasks().stream(pending).count()).isEqualTo(6);
        assertThat(semel.tasks()
                        .list(TaskQuery.builder().after(listed.get(4)).build())
                        .tasks())
                .extracting(Task::id)
                .containsExactly(listed.get(5), listed.get(6));
    }
}
