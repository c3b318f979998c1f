package dev.semel.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The raw limit: the same work written by hand for this purpose alone. Used by one thread at a time. */
public interface RawStore extends AutoCloseable {

    /**
     * A task as a row, prepared beforehand; never compared, so arrays do no harm.
     *
     * @param id 16 bytes, as the submitting side makes them
     * @param key its key, or null
     * @param inputHash the hash of its input, or null if it has no key
     * @param input its input
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Row(byte[] id, @Nullable String key, byte @Nullable [] inputHash, String input) {}

    /**
     * What a claim took.
     *
     * @param lease the lease of all of them, if they have one together
     * @param tasks each of them
     */
    record Claim(long lease, List<Taken> tasks) {}

    /**
     * A task that was taken; never compared.
     *
     * @param task what the storage calls it
     * @param attempt the attempt that its completion has to name
     * @param input what it is to work on
     */
    record Taken(Object task, int attempt, String input) {}

    /**
     * Inserts rows in one transaction; those whose key is there are looked up instead.
     *
     * @param rows the rows; either all of them have a key or none has
     * @param mostlyDuplicates whether to look first and insert what is missing
     * @return how many were new
     */
    int insert(List<Row> rows, boolean mostlyDuplicates);

    /**
     * Claims due rows in one transaction.
     *
     * @param limit how many at the most
     * @return what it took; nothing if nothing is due
     */
    Claim claim(int limit);

    /**
     * Completes what a claim took in one transaction.
     *
     * @param claim the claim
     */
    void complete(Claim claim);

    /**
     * A store on the same tables for another thread.
     *
     * @return another store; to be closed before this one
     */
    RawStore beside();

    /**
     * Whether it is faster if several threads work on the same tables.
     *
     * @return false if there can be only one who writes
     */
    boolean isConcurrent();

    /**
     * How many bytes the storage has written to its log since it was made.
     *
     * @return a number that only rises; 0 where it is not counted
     */
    long logged();

    /**
     * How the storage is set, read from the very connection that writes.
     *
     * @return settings by name
     */
    Map<String, String> facts();

    @Override
    void close();
}
