package dev.semel.benchmarks;

import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A kind of storage that can be measured: provides new stores, and the raw limit of the same storage. */
interface StoreUnderTest {

    /** Creates an empty place for one sample. */
    Place fresh();

    /** Opens the store with this URL; for other processes. */
    TaskStore open(String url);

    /** Returns whether it is a server: this process does not see its writes, and round trips to it are counted. */
    boolean isServer();

    /** Returns settings of the storage that a reader of the figures must know about. */
    List<String> warnings(Map<String, String> facts);

    /** A place for one sample, either of Semel or of raw. Closing it removes its data. */
    interface Place extends AutoCloseable {

        /** Returns the URL of the place for other processes. */
        String url();

        TaskStore open();

        /** Opens a store whose round trips are counted; returns null without a server. */
        default @Nullable TaskStore openCounting(AtomicLong roundTrips) {
            return null;
        }

        RawStore openRaw();

        /** Holds a transaction open until it is closed. Meanwhile deleted rows cannot be removed. */
        default AutoCloseable pin() {
            throw new UnsupportedOperationException("This storage removes deleted rows immediately");
        }

        /** Returns the settings that the storage reports; the store must have been opened before. */
        Map<String, String> facts();

        /** Returns the number of stored bytes. */
        long bytes();

        /**
         * Returns the number of bytes that were written to the storage's log since it was created; 0 if they are not
         * counted.
         */
        default long logged() {
            return 0;
        }

        /**
         * Returns the number of rows that were changed or deleted here; 0 if they are not counted. All stores must be
         * closed.
         */
        default long died() {
            return 0;
        }

        /** Returns how often the storage has forced data to the disk since it was created; -1 if it does not count. */
        default long forced() {
            return -1;
        }

        @Override
        void close();
    }

    /** Returns the storage of a URL. */
    static StoreUnderTest of(String url) {
        if (url.startsWith(SqliteUnderTest.PREFIX)) {
            return SqliteUnderTest.beside(url);
        }
        if (url.startsWith(PostgresUnderTest.PREFIX)) {
            return new PostgresUnderTest(url);
        }
        throw new InvalidInput("The benchmarks measure \"sqlite:FILE\", \"postgresql://HOST/DATABASE\" or"
                + " \"s3://BUCKET/PREFIX\", but got a URL with the scheme \""
                + Limits.shown(url.substring(0, Math.max(0, url.indexOf(':')))) + "\".");
    }
}
