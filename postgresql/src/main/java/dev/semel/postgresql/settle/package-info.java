/**
 * Internal: settlements of attempts and effects, and completions in one transaction with the writes of a handler.
 *
 * <p>A batch is settled with one statement for each kind of settlement ({@link dev.semel.postgresql.settle.Settlements}): first
 * the tasks that share a lease ({@link dev.semel.postgresql.settle.SharedLeaseSettler}), then the others ({@link
 * dev.semel.postgresql.settle.RunningTaskSettler}). An end deletes the row of a running attempt, and of many transactions that
 * try only one can delete it: that is the fence.
 */
@NullMarked
package dev.semel.postgresql.settle;

import org.jspecify.annotations.NullMarked;
