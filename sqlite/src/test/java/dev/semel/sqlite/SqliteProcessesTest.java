package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.storetests.Tasks;
import dev.semel.storetests.process.Child;
import dev.semel.task.TaskId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one file. */
@Timeout(120)
class SqliteProcessesTest {

    @TempDir
    Path directory;

    @Test
    void fourProcessesTakeEachTaskExactlyOnce() throws Exception {
        Path file = directory.resolve("semel.db");
        List<TaskId> submitted = new ArrayList<>();
        try (SqliteTaskStore store = SqliteTaskStore.open(file)) {
            for (int i = 0; i < 4; i++) {
                List<NewTask> batch = new ArrayList<>();
                for (int j = 0; j < 500; j++) {
                    batch.add(Tasks.plain());
                }
                store.submit(batch);
                batch.forEach(task -> submitted.add(task.id()));
            }
        }
        List<Child> children = new ArrayList<>();
        List<TaskId> taken = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                children.add(Child.run(Drainer.class, file));
            }
            for (Child child : children) {
                child.rest().forEach(line -> taken.add(TaskId.parse(line)));
                assertThat(child.exit()).isZero();
            }
        } finally {
            for (Child child : children) {
                child.close();
            }
        }
        assertThat(taken).containsExactlyInAnyOrderElementsOf(submitted);
    }

    /** Takes and completes tasks until there are none, and prints their ids. */
    static final class Drainer {
        public static void main(String[] arguments) {
            try (SqliteTaskStore store = SqliteTaskStore.open(Path.of(arguments[0]))) {
                while (true) {
                    Claims claims = store.claim(Tasks.request(20));
                    if (claims.tasks().isEmpty() && claims.nextDue() == null) {
                        return;
                    }
                    List<Settlement> moves = new ArrayList<>();
                    claims.tasks().forEach(claimed -> {
                        System.out.println(claimed.task().id());
                        moves.add(new Settlement.Complete(claimed.lease(), null));
                    });
                    store.settle(moves);
                }
            }
        }
    }

    @Test
    void anotherProcessIsWokenByASubmissionAndWakesByACompletion() throws Exception {
        Path file = directory.resolve("semel.db");
        try (SqliteTaskStore store = SqliteTaskStore.open(file);
                Child worker = Child.run(SleepingWorker.class, file)) {
            LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();
            store.listen(new StoreListener() {
                @Override
                public void tasksMayBeDue(Collection<String> queues) {}

                @Override
                public void tasksMayHaveEnded(Collection<TaskId> ids) {
                    ended.add("ended");
                }
            });
            worker.expect("listening");
            NewTask task = Tasks.plain();
            Tasks.submit(store, task);
            worker.expect("took " + task.id());
            worker.expect("done");
            assertThat(ended.poll(30, TimeUnit.SECONDS)).isEqualTo("ended");
        }
    }

    /** Never looks by itself, only after a hint. */
    static final class SleepingWorker {
        public static void main(String[] arguments) throws InterruptedException {
            try (SqliteTaskStore store = SqliteTaskStore.open(Path.of(arguments[0]))) {
                LinkedBlockingQueue<Boolean> hints = new LinkedBlockingQueue<>();
                store.listen(new StoreListener() {
                    @Override
                    public void tasksMayBeDue(Collection<String> queues) {
                        hints.add(true);
                    }

                    @Override
                    public void tasksMayHaveEnded(Collection<TaskId> ids) {}
                });
                System.out.println("listening");
                while (hints.take()) {
                    for (Claims.Claimed claimed : store.claim(Tasks.request(1)).tasks()) {
                        System.out.println("took " + claimed.task().id());
                        store.settle(List.of(new Settlement.Complete(claimed.lease(), null)));
                        System.out.println("done");
                        new CountDownLatch(1).await();
                    }
                }
            }
        }
    }
}
