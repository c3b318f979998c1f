package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.semel.sqlite.submit.Submissions;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One commit for everything that is wanted at the same moment. */
@Timeout(60)
class SqliteWriterTest {

    @TempDir
    Path directory;

    @Test
    void theGuiltyOneOfAGroupFailsAlone() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
                Lock lock = new Lock(store.file())) {
            NewTask before = Tasks.of("tenant-a", Tasks.QUEUE, "new-type");
            NewTask after = Tasks.of("tenant-b", Tasks.QUEUE, "new-type");
            CompletableFuture<Submitted> first = CompletableFuture.supplyAsync(() -> Tasks.submit(store, before));
            await().until(() -> store.writer().isWaitingForLock());
            CompletableFuture<Boolean> guilty =
                    CompletableFuture.supplyAsync(() -> store.writer().ask(1, tx -> {
                        new Submissions(tx).submit(List.of(Tasks.plain()));
                        throw new IllegalStateException("guilty");
                    }));
            await().until(() -> store.writer().waiting() == 1);
            CompletableFuture<Submitted> last = CompletableFuture.supplyAsync(() -> Tasks.submit(store, after));
            await().until(() -> store.writer().waiting() == 2);
            lock.close();

            assertThat(first.join()).isInstanceOf(Submitted.Created.class);
            assertThat(last.join()).isInstanceOf(Submitted.Created.class);
            assertThatThrownBy(guilty::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("guilty");
            assertThat(Tasks.stored(store)).containsExactlyInAnyOrder(before.id(), after.id());
            assertThat(Tasks.idsOf(store.claim(Tasks.request(10)))).containsExactlyInAnyOrder(before.id(), after.id());
        }
    }

    @Test
    void whatIsWantedAtTheSameMomentSharesOneCommit() throws SQLException {
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
                Lock lock = new Lock(store.file())) {
            List<CompletableFuture<Submitted>> submitted = new ArrayList<>();
            submitted.add(CompletableFuture.supplyAsync(() -> Tasks.submit(store, Tasks.plain())));
            await().until(() -> store.writer().isWaitingForLock());
            for (int i = 0; i < 50; i++) {
                submitted.add(CompletableFuture.supplyAsync(
                        () -> Tasks.submit(store, Tasks.plain()),
                        task -> Thread.ofVirtual().start(task)));
            }
            await().until(() -> store.writer().waiting() == 50);
            long before = store.writer().commits();
            lock.close();
            submitted.forEach(CompletableFuture::join);
            assertThat(store.writer().commits()).isEqualTo(before + 1);
            assertThat(Tasks.stored(store)).hasSize(51);
        }
    }

    @Test
    void aCallerThatIsInterruptedIsToldThatNobodyKnows() throws Exception {
        try (SqliteTaskStore store = SqliteTaskStore.open(directory.resolve("semel.db"));
                Lock lock = new Lock(store.file())) {
            NewTask task = Tasks.plain();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicReference<Boolean> interrupted = new AtomicReference<>();
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    Tasks.submit(store, task);
                } catch (StoreUnavailable e) {
                    failure.set(e);
                    interrupted.set(Thread.currentThread().isInterrupted());
                }
            });
            await().until(() -> store.writer().isWaitingForLock());
            caller.interrupt();
            caller.join();
            assertThat(failure.get()).hasMessageContaining("interrupted").hasMessageContaining("send it again");
            assertThat(interrupted.get()).isTrue();
            lock.close();
            assertThat(Tasks.submit(store, task)).isInstanceOf(Submitted.Created.class);
            assertThat(Tasks.stored(store)).containsExactly(task.id());
        }
    }

    @Test
    void closingFinishesWhatWasAskedFor() throws SQLException {
        Path file = directory.resolve("semel.db");
        SqliteTaskStore store = SqliteTaskStore.open(file);
        NewTask task = Tasks.plain();
        CompletableFuture<Submitted> submitted;
        CompletableFuture<Void> closed;
        try (Lock lock = new Lock(file)) {
            submitted = CompletableFuture.supplyAsync(() -> Tasks.submit(store, task));
            await().until(() -> store.writer().isWaitingForLock());
            closed = CompletableFuture.runAsync(store::close);
        }
        assertThat(submitted.join()).isInstanceOf(Submitted.Created.class);
        closed.join();
        try (SqliteTaskStore again = SqliteTaskStore.open(file)) {
            assertThat(Tasks.stored(again)).containsExactly(task.id());
        }
    }

    /** Somebody else's transaction that writes. */
    private static final class Lock implements AutoCloseable {

        private final Connection connection;
        private final Statement statement;
        private boolean held = true;

        Lock(Path file) throws SQLException {
            connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            statement = connection.createStatement();
            statement.execute("BEGIN IMMEDIATE");
        }

        @Override
        public void close() throws SQLException {
            if (held) {
                held = false;
                statement.execute("ROLLBACK");
                connection.close();
            }
        }
    }
}
