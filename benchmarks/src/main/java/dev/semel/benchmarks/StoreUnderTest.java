package dev.semel.benchmarks;

import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A kind of storage that can be measured: gives fresh stores, and the raw limit of the same storage. */
interface StoreUnderTest {

    /** Makes an empty place for one sample. */
    Place fresh();

    /** Opens the store at the place that this URL names; for other processes. */
    TaskStore open(String url);

    /** Whether it is a server: its own writes are not seen from this process, and round trips to it count. */
    boolean isServer();

    /** What whoever reads the figures must know about how the storage is set. */
    List<String> warnings(Map<String, String> facts);

    /** A place for one sample: ours or raw, not both. Closing it removes what was stored there. */
    interface Place extends AutoCloseable {

        /** Names the place for other processes. */
        String url();

        TaskStore open();

        /** Opens a store whose round trips are counted; null where there are none. */
        default @Nullable TaskStore openCounting(AtomicLong roundTrips) {
            return null;
        }

        RawStore openRaw();

        /** Holds a transaction open, under which nothing that dies can be removed, until it is closed. */
        default AutoCloseable pin() {
            throw new UnsupportedOperationException("This storage removes at once what dies");
        }

        /** How the storage is set, as it says itself; the store must have been opened before. */
        Map<String, String> facts();

        /** How many bytes are stored. */
        long bytes();

        /** How many bytes were written to the log of the storage since it exists; 0 where it is not counted. */
        default long logged() {
            return 0;
        }

        /** How many rows have died here, by being changed or removed; 0 where it is not counted. All must be closed. */
        default long died() {
            return 0;
        }

        /** How often the storage has forced data to the disk since it exists; -1 where it does not count. */
        default long forced() {
            return -1;
        }

        @Override
        void close();
    }

    /** The storage that a URL names. */
    static StoreUnderTest of(String url) {
        if (url.startsWith(SqliteUnderTest.PREFIX)) {
            return SqliteUnderTest.beside(url);
        }
        if (url.startsWith(PostgresUnderTest.PREFIX)) {
            return new PostgresUnderTest(url);
        }
        throw new InvalidInput("What can be measured is \"sqlite:FILE\" or \"postgresql://HOST/DATABASE\", but got \""
                + Limits.shown(url.substring(0, Math.max(0, url.indexOf(':')))) + "\".");
    }
}
