/**
 * Internal: rows of the tables of tasks, keys, attempts and effects, and the changes of them that several operations share.
 *
 * <p>{@link dev.semel.sqlite.table.TaskEnds} is the one place where an attempt or a task ends, whatever the cause: a worker, a
 * cancellation, a replacement, a lease that has expired.
 */
@NullMarked
package dev.semel.sqlite.table;

import org.jspecify.annotations.NullMarked;
