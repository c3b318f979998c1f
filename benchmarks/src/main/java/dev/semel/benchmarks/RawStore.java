package dev.semel.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The raw limit: the same work, hand-written for this purpose only. Used by one thread at a time. */
public interface RawStore extends AutoCloseable {

    /**
     * A task as a row, prepared beforehand. Rows are never compared, so arrays do no harm.
     *
     * @param id 16 bytes, created by the submitting side
     * @param key its key, or null
     * @param inputHash the hash of its input, or null if it has no key
     * @param input its input
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Row(byte[] id, @Nullable String key, byte @Nullable [] inputHash, String input) {}

    /**
     * The result of a claim.
     *
     * @param lease the shared lease of all tasks, if the storage has one
     * @param tasks the claimed tasks
     */
    record Claim(long lease, List<Taken> tasks) {}

    /**
     * A claimed task; never compared.
     *
     * @param task its identifier in the storage
     * @param attempt the attempt, which its completion must match
     * @param input the input
     */
    record Taken(Object task, int attempt, String input) {}

    /**
     * Inserts rows in one transaction, and looks up those whose key exists.
     *
     * @param rows the rows; either all of them have a key or none has
     * @param mostlyDuplicates whether to look rows up first and insert only missing ones
     * @return the number of new rows
     */
    int insert(List<Row> rows, boolean mostlyDuplicates);

    /**
     * Claims due rows in one transaction.
     *
     * @param limit the maximum number
     * @return the claimed rows; empty if nothing is due
     */
    Claim claim(int limit);

    /**
     * Completes the tasks of a claim in one transaction.
     *
     * @param claim the claim
     */
    void complete(Claim claim);

    /**
     * Opens a store on the same tables for another thread.
     *
     * @return another store; to be closed before this one
     */
    RawStore beside();

    /**
     * Returns whether several threads on the same tables are faster.
     *
     * @return false if there can be only one writer
     */
    boolean isConcurrent();

    /**
     * Returns the number of bytes that the storage has written to its log since it was created.
     *
     * @return an ascending number; 0 if bytes are not counted
     */
    long logged();

    /**
     * Returns the settings of the storage, read on the connection that writes.
     *
     * @return settings by name
     */
    Map<String, String> facts();

    @Override
    void close();
}
