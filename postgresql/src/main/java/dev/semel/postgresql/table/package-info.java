/**
 * Internal: rows of the tables of tasks, keys, leases, effects and schedules, and the changes of them that several operations
 * share.
 *
 * <p>{@link dev.semel.postgresql.table.TaskEnds} carries out what follows from the end of an attempt or a task, whatever the
 * cause: a worker, a cancellation, a replacement, a lease that has expired. A key changes its owner only through a record that
 * was locked before it was read ({@link dev.semel.postgresql.table.KeyRecords.Locked}). Tasks that were claimed together have one
 * row for their lease until something other than a completion happens to one of them ({@link
 * dev.semel.postgresql.table.SharedLeases}).
 */
@NullMarked
package dev.semel.postgresql.table;

import org.jspecify.annotations.NullMarked;
