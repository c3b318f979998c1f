/**
 * A comparison of Semel, other libraries of its kind and the raw limit of PostgreSQL, measured in one run.
 *
 * <p>Figures of different machines, days or servers cannot be compared, and a library that is set up carelessly looks
 * slow without being so. So all contestants run in turns, in one JVM, on one PostgreSQL server that the run starts with
 * durability on; each in the best configuration that its own documentation gives ({@code Contestant.choices}), with a
 * fresh database for each sample. A sample in which a task did not run is an error and not a figure; tasks that ran
 * more than once are counted and reported.
 *
 * <p>The report also shows what each contestant does with a key: {@code Facts} submits duplicates in every state of the
 * first task and records the answer to the caller and what ran. Contestants that promise less have less to do.
 *
 * <p>{@code Main} is the entry point; {@code Measures} lists the measures. This module is not part of the normal build,
 * so that building Semel does not download the other libraries.
 */
@NullMarked
package dev.semel.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
