/**
 * Semel, other libraries of its kind and the raw limit of PostgreSQL, measured in one run.
 *
 * <p>Figures of different machines, days or servers cannot be compared, and a library that is set up carelessly looks slow
 * without being so. So all contestants run in turns, in one JVM, on one PostgreSQL that the run starts for itself with
 * durability on; each in the best configuration that its own documentation gives ({@code Contestant.choices}), with a fresh
 * database for each sample. A sample in which a task did not run is an error and not a figure; tasks that ran more than once
 * are counted and told.
 *
 * <p>Beside the speed stands what each does with a key: {@code Facts} submits duplicates in every state of the first task and
 * writes down what the caller was told and what ran. Contestants that promise less have less to do.
 *
 * <p>{@code Main} is the way in; {@code Measures} lists what is measured. It is no part of the normal build, because nobody
 * should have to download the other libraries to build Semel.
 */
@NullMarked
package dev.semel.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
