package dev.semel.sqlite.transaction;

import dev.semel.jdbc.Answer;
import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.file.StoreThreads;
import dev.semel.task.StoreUnavailable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A few threads that read, each with a connection of its own. A read sees one state of the database, the newest that was
 * committed when it began, and neither waits for the writer nor makes it wait.
 */
public final class Readers implements AutoCloseable {

    private static final int MOST_CALLS = 1_024;

    /** An operation that reads. */
    public interface Work<T> {
        T run(Catalog catalog) throws SQLException;
    }

    private static class Call<T> {

        private final Work<T> work;
        private final Answer<T> answer = new Answer<>();

        Call(Work<T> work) {
            this.work = work;
        }

        void run(Catalog catalog) throws SQLException {
            catalog.session().begin();
            T result = work.run(catalog);
            catalog.session().commit();
            answer.complete(result);
        }
    }

    /** Ends one reader, after all reads that were called for before. */
    private static final class Stop extends Call<Boolean> {
        Stop() {
            super(catalog -> true);
        }
    }

    private final DatabaseFile file;
    private final LinkedBlockingQueue<Call<?>> calls = new LinkedBlockingQueue<>(MOST_CALLS);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    Readers(DatabaseFile file, int number) {
        this.file = file;
        for (int i = 1; i <= number; i++) {
            threads.add(StoreThreads.start("reader-" + i, file.path(), this::run));
        }
    }

    public <T> T ask(Work<T> work) {
        Call<T> call = new Call<>(work);
        try {
            if (closed) {
                throw file.closedStore();
            }
            file.health().require();
            if (!calls.offer(call) && !calls.offer(call, 30, TimeUnit.SECONDS)) {
                throw new StoreUnavailable("The SQLite file \"" + file.path() + "\" has " + MOST_CALLS
                        + " reads waiting. Try again later.");
            }
            if (closed && calls.remove(call)) {
                throw file.closedStore();
            }
            return call.answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable(
                    "This thread was interrupted while it read the SQLite file \"" + file.path() + "\".", e);
        } catch (ExecutionException e) {
            throw file.health().rethrown(e.getCause());
        }
    }

    private void run() {
        Catalog catalog = null;
        while (true) {
            Call<?> call;
            try {
                call = calls.take();
            } catch (Throwable e) {
                // No other code has the thread, so an interrupt means nothing; and the reader continues when memory ran
                // out.
                continue;
            }
            if (call instanceof Stop) {
                break;
            }
            try {
                catalog = catalog == null ? new Catalog(file.openReader()) : catalog;
                file.health().check();
                call.run(catalog);
            } catch (Throwable e) {
                // Answered first, because nothing after it may be possible, if there is no memory.
                call.answer.fail(e);
                Catalog broken = catalog;
                catalog = null;
                discard(broken);
            }
        }
        discard(catalog);
    }

    private void discard(@Nullable Catalog catalog) {
        if (catalog != null) {
            file.close(catalog.session());
        }
    }

    @Override
    public void close() {
        closed = true;
        for (int i = 0; i < threads.size(); i++) {
            while (!calls.offer(new Stop())) {
                // Full, so the readers are at work and there will be a place.
                Thread.onSpinWait();
            }
        }
        threads.forEach(StoreThreads::join);
        for (Call<?> late = calls.poll(); late != null; late = calls.poll()) {
            late.answer.fail(file.closedStore());
        }
    }
}
