/**
 * How fast Semel is, and how near that is to what the storage can do.
 *
 * <p>A figure by itself says little: on a machine that is shared it moves by a third from one minute to the next. So every
 * figure of ours stands beside the raw limit of the same storage, taken in the same run, in turns: ours, raw, ours, raw. The
 * raw limit is what a patient person would write by hand for this one purpose: plain JDBC, the narrowest table that could
 * still keep the promises, the fewest indexes, one transaction for a thousand rows, the data prepared beforehand. Nothing
 * that is general can reach it. The ratio of the two is what does not depend on the machine.
 *
 * <p>Every sample works on a store of its own, in a directory or a schema that is made for it and removed after it; the user's
 * own store is never touched. Every execution is counted, task by task: a run in which one ran twice or never is no figure but
 * an error. That what was answered is really on the disk is not believed either: what forces data to the disk is counted from
 * outside, with {@code strace} or by the server, where that is possible.
 *
 * <p>{@link dev.semel.benchmarks.Bench} is the way in. What is measured is listed in {@code Measures}; a store takes part by an
 * implementation of {@code StoreUnderTest}.
 */
@NullMarked
package dev.semel.benchmarks;

import org.jspecify.annotations.NullMarked;
