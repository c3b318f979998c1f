/**
 * Internal: how the processes on one schema notify each other of commits.
 *
 * <p>A process sends {@code NOTIFY} after a commit, at most once in a few milliseconds and never in the transaction of a task:
 * there it would make all commits of the database wait for each other. Only speed depends on hints: a lost one is found by the
 * next poll.
 */
@NullMarked
package dev.semel.postgresql.hint;

import org.jspecify.annotations.NullMarked;
