/**
 * Benchmarks of Semel, next to the raw limit of the storage.
 *
 * <p>A single figure says little: on a shared machine it changes by a third from one minute to the next. So every
 * figure of Semel is shown next to the raw limit of the same storage, measured in the same run, in turns: Semel, raw,
 * Semel, raw. The raw limit is hand-written code for this one purpose: plain JDBC, the narrowest table that could still
 * keep the promises, the fewest indexes, one transaction for a thousand rows, the data prepared beforehand. No general
 * solution can reach it. The ratio of the two does not depend on the machine.
 *
 * <p>Every sample uses a separate store, in a directory or a schema that is created for it and removed afterwards; the
 * user's own store is never touched. Every execution is counted, task by task: a run in which a task ran twice or never
 * is an error. Durability is checked as well: where possible, writes that are forced to the disk are counted from
 * outside, with {@code strace} or by the server.
 *
 * <p>{@link dev.semel.benchmarks.Bench} is the entry point. {@code Measures} lists all measures; an implementation of
 * {@code StoreUnderTest} adds a store.
 */
@NullMarked
package dev.semel.benchmarks;

import org.jspecify.annotations.NullMarked;
