package dev.semel.benchmarks;

import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.Map;

/** A kind of storage that can be measured: gives fresh stores, and the raw limit of the same storage. */
interface StoreUnderTest {

    /** Makes an empty place for one sample. */
    Place fresh();

    /** Opens the store at the place that this URL names; for other processes. */
    TaskStore open(String url);

    /** A place for one sample: ours or raw, not both. Closing it removes what was stored there. */
    interface Place extends AutoCloseable {

        /** Names the place for other processes. */
        String url();

        TaskStore open();

        RawStore openRaw();

        /** How the storage is set, as it says itself; the store must have been opened before. */
        Map<String, String> facts();

        /** How many bytes are stored. */
        long bytes();

        @Override
        void close();
    }

    /** The storage that a URL names. */
    static StoreUnderTest of(String url) {
        if (url.startsWith(SqliteUnderTest.PREFIX)) {
            return SqliteUnderTest.beside(url);
        }
        throw new InvalidInput("What can be measured is \"sqlite:FILE\", but got \""
                + Limits.shown(url.substring(0, Math.max(0, url.indexOf(':')))) + "\".");
    }
}
