package dev.semel.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The raw limit: the same work written by hand for this purpose alone. Used by one thread at a time. */
interface RawStore extends AutoCloseable {

    /** A task as a row, prepared beforehand; never compared, so arrays do no harm. */
    @SuppressWarnings("ArrayRecordComponent")
    record Row(byte[] id, @Nullable String key, byte @Nullable [] inputHash, String input) {}

    /** Inserts rows in one transaction; those whose key is there are looked up instead. Returns how many were new. */
    int insert(List<Row> rows, boolean mostlyDuplicates);

    /** Claims up to so many due rows in one transaction, completes them in another one, and returns how many. */
    int claimAndComplete(int limit);

    /** How the storage is set, read from the very connection that writes. */
    Map<String, String> facts();

    @Override
    void close();
}
