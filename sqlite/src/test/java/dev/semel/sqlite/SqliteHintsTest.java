package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.sqlite.hint.HintFile;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.StoreListener;
import dev.semel.store.TaskStore.Registration;
import dev.semel.storetests.Tasks;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which listeners get which hints, and how. Two stores on one file stand for two processes. */
@Timeout(60)
class SqliteHintsTest {

    @TempDir
    Path directory;

    @Test
    void anotherStoreOnTheFileIsToldOfWorkAndOfEnds() throws Exception {
        try (SqliteTaskStore here = open();
                SqliteTaskStore there = open()) {
            Received received = new Received();
            there.listen(received);
            Tasks.submit(here, Tasks.plain());
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();
            here.settle(List.of(new Settlement.Complete(
                    here.claim(Tasks.request(1)).tasks().get(0).lease(), null)));
            assertThat(received.ended.poll(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void theSameStoreIsToldWhichQueuesAndTasks() throws Exception {
        try (SqliteTaskStore store = open()) {
            Received received = new Received();
            store.listen(received);
            NewTask task = Tasks.plain();
            Tasks.submit(store, task);
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).containsExactly(Tasks.QUEUE);
            store.operate(List.of(new Operation.Cancel(task.id())));
            assertThat(received.ended.poll(30, TimeUnit.SECONDS)).containsExactly(task.id());
        }
    }

    @Test
    void whereHintsCannotBeWrittenSqliteItselfIsAsked() throws Exception {
        Files.writeString(hints(), "no directory");
        try (SqliteTaskStore here = open();
                SqliteTaskStore there = open()) {
            Received received = new Received();
            there.listen(received);
            // The first look finds a state that it did not know and tells of it as well.
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();
            received.due.clear();
            Tasks.submit(here, Tasks.plain());
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void removingTheHintsDoesNoHarm() throws Exception {
        try (SqliteTaskStore here = open();
                SqliteTaskStore there = open()) {
            Received received = new Received();
            there.listen(received);
            Tasks.submit(here, Tasks.plain());
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();

            Files.delete(hints().resolve("stamps"));
            Files.delete(hints());
            // A hint to look at everything, because it is unknown what was missed.
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();
            received.due.clear();
            Tasks.submit(here, Tasks.plain());
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).isEmpty();
        }
    }

    @Test
    void aListenerThatFailsOrHasLeftHindersNobody() throws Exception {
        try (SqliteTaskStore store = open()) {
            Received left = new Received();
            Registration registration = store.listen(left);
            store.listen(new StoreListener() {
                @Override
                public void tasksMayBeDue(Collection<String> queues) {
                    throw new IllegalStateException("a listener that fails, on purpose");
                }

                @Override
                public void tasksMayHaveEnded(Collection<TaskId> ids) {}
            });
            Received received = new Received();
            store.listen(received);
            registration.close();
            Tasks.submit(store, Tasks.plain());
            assertThat(received.due.poll(30, TimeUnit.SECONDS)).containsExactly(Tasks.QUEUE);
            assertThat(left.due).isEmpty();
        }
    }

    @Test
    void aListenerMayAskTheStore() throws Exception {
        try (SqliteTaskStore store = open()) {
            LinkedBlockingQueue<TaskId> taken = new LinkedBlockingQueue<>();
            store.listen(new StoreListener() {
                @Override
                public void tasksMayBeDue(Collection<String> queues) {
                    taken.addAll(Tasks.idsOf(store.claim(Tasks.request(1))));
                }

                @Override
                public void tasksMayHaveEnded(Collection<TaskId> ids) {}
            });
            NewTask task = Tasks.plain();
            Tasks.submit(store, task);
            assertThat(taken.poll(30, TimeUnit.SECONDS)).isEqualTo(task.id());
        }
    }

    @Test
    void stampsOfOthersAreSeenOnceAndOwnOnesNever() throws IOException {
        Path database = directory.resolve("semel.db");
        HintFile here = new HintFile(database);
        HintFile there = new HintFile(database);
        here.prepare();
        there.prepare();
        assertThat(here.stamp(EnumSet.of(HintFile.Kind.DUE))).isEmpty();
        assertThat(here.changed()).isEmpty();
        assertThat(there.changed()).containsExactly(HintFile.Kind.DUE);
        assertThat(there.changed()).isEmpty();
        // A stamp that is about to be overwritten is not lost.
        here.stamp(EnumSet.of(HintFile.Kind.ENDED));
        assertThat(there.stamp(EnumSet.of(HintFile.Kind.ENDED))).containsExactly(HintFile.Kind.ENDED);
    }

    private SqliteTaskStore open() {
        return SqliteTaskStore.open(directory.resolve("semel.db"));
    }

    private Path hints() {
        return directory.resolve("semel.db-hint");
    }

    /** Keeps the hints that it gets. */
    private static final class Received implements StoreListener {

        private final LinkedBlockingQueue<List<String>> due = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<List<TaskId>> ended = new LinkedBlockingQueue<>();

        @Override
        public void tasksMayBeDue(Collection<String> queues) {
            due.add(new ArrayList<>(queues));
        }

        @Override
        public void tasksMayHaveEnded(Collection<TaskId> ids) {
            ended.add(new ArrayList<>(ids));
        }
    }
}
