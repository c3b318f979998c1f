/**
 * The task store and the guard on PostgreSQL. Its SQL is written by hand, beside the Java that runs it.
 *
 * <h2>PostgreSQL</h2>
 *
 * <p>{@link dev.semel.postgresql.PostgresTaskStore} is for any number of writers at once, so what counts is how few rows they have
 * to share. A task is one row that never changes, and beside it one narrow row that says where it stands: in {@code ready},
 * {@code running}, {@code waiting} or {@code done}. To move a task is to delete the one and insert the other, and of many who
 * try only one can delete: that is the fence.
 *
 * <p><b>Read behind the lock.</b> Transactions are {@code READ COMMITTED}. A statement sees the state in which it began, also
 * if it had to wait for a lock; the next one sees what the holder of the lock did. So whatever a decision rests on is read by
 * a statement behind the one that locks ({@code PostgresEnds}, {@code PostgresLockedSubmit}). If that turns out to differ from
 * what was looked up before, everything is undone and decided again.
 *
 * <p><b>Few round trips.</b> A transaction begins with one statement that reads the clock and the stamp of the queues'
 * settings and says how to plan ({@code PostgresDatabase}); a batch is one statement for each kind of thing it does
 * ({@code PostgresTaskInserter}, {@code PostgresDueTasks}, {@code PostgresRunningSettler}). A small batch of submissions that are
 * all new, or all duplicates, is one round trip altogether ({@code PostgresSingleRoundTripSubmit}). A claim is two: the first also
 * asks for the lanes that the claim before it read ({@code PostgresClaimOpening}), and the last statement carries the commit
 * ({@code PostgresAttemptStarter}).
 *
 * <p><b>Plans that last.</b> Every statement has one plan, which the server keeps, and which is written so that it cannot go
 * through a whole table, however small that was when the plan was made. Claims remember where they ended while dead entries
 * cannot be removed ({@code PostgresLaneCursors}).
 *
 * <p><b>Other people's locks.</b> A transaction of a caller's own may hold an identity, or a task that it replaces, for as long
 * as it likes. Nobody waits for that longer than a limit, and who was batched with it goes on ({@code PostgresBatchSplitter}).
 *
 * <p><b>Time</b> is the clock of the database, in milliseconds.
 *
 * <h2>The guard</h2>
 *
 * <p>{@link dev.semel.postgresql.PostgresGuardStore} takes its decisions in one statement, which looks before it writes: a duplicate
 * costs a plain read. It can join a transaction of the caller's own; then the lock of that transaction holds the key, and a
 * savepoint undoes an effect that failed.
 */
@NullMarked
package dev.semel.postgresql;

import org.jspecify.annotations.NullMarked;
