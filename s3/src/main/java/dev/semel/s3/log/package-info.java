/**
 * Internal: tasks in one ordered log of objects, and in every process a replica of it.
 *
 * <p>The log is the truth: objects {@code log/NUMBER}, each created if absent, each with what the operations of one
 * transaction changed. A replica is a SQLite file that contains exactly the log up to a number. Operations run on the replica;
 * what they changed becomes the next entry; a process whose number was taken undoes its transaction, applies the winner's entry
 * and runs its operations again ({@link dev.semel.s3.log.LogReplica}). {@code docs/internals/s3-log.md} gives the reasons.
 */
@NullMarked
package dev.semel.s3.log;

import org.jspecify.annotations.NullMarked;
