package dev.semel.benchmarks;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The selection of measures and the place to take them.
 *
 * @param store the kind and the place of the storage, for example {@code sqlite:semel.db} or {@code
 *     postgresql://user:password@host/database}; the benchmarks use a directory next to that file or schemas next to
 *     that store, never the store itself
 * @param brief whether to take small samples, for a first impression in under two minutes
 * @param only prefixes of the names of the measures to take; empty for all
 * @param output the directory for the report, its charts and its JSON, or null to write none
 */
public record BenchOptions(
        String store,
        boolean brief,
        List<String> only,
        @Nullable Path output) {

    /** Copies the list. */
    public BenchOptions {
        only = List.copyOf(only);
    }

    boolean wants(String measure) {
        return only.isEmpty() || only.stream().anyMatch(measure::startsWith);
    }
}
