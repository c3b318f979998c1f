/**
 * The task store and the guard on PostgreSQL. Its SQL is written by hand, beside the Java that runs it.
 *
 * <h2>PostgreSQL</h2>
 *
 * <p>{@link dev.semel.postgresql.PostgresTaskStore} is for any number of writers at once, so what counts is how few rows they have
 * to share. A task is one row that never changes, and beside it one narrow row that says where it stands: in {@code ready},
 * {@code running}, {@code waiting} or {@code done}. A task changes its state by deleting the one row and inserting the other, and
 * of many transactions that try only one can delete it: that is the fence. The packages below this one are internal; each has
 * an essay on its topic.
 *
 * <p><b>Read behind the lock.</b> Transactions are {@code READ COMMITTED}. A statement sees the state in which it began, also
 * if it had to wait for a lock; the next one sees what the holder of the lock did. So whatever a decision rests on is read by
 * a statement behind the one that locks ({@code table.TaskEnds}, {@code submit.LockedSubmit}). If that turns out to differ from
 * what was looked up before, everything is undone and decided again.
 *
 * <p><b>Few round trips.</b> A transaction begins with one statement that reads the clock and the stamp of the queues'
 * settings and says how to plan ({@code transaction.Database}); a batch is one statement for each kind of thing it does
 * ({@code submit.TaskInserter}, {@code claim.DueTasks}, {@code settle.RunningTaskSettler}). A small batch of submissions that are
 * all new, or all duplicates, is one round trip altogether ({@code submit.SingleRoundTripSubmit}). A claim is two: the first also
 * asks for the lanes that the claim before it read ({@code claim.ClaimOpening}), and the last statement carries the commit
 * ({@code claim.AttemptStarter}).
 *
 * <p><b>Plans that last.</b> Every statement has one plan, which the server keeps, and which is written so that it cannot go
 * through a whole table, however small that was when the plan was made. Claims remember where they ended while dead entries
 * cannot be removed ({@code claim.LaneCursors}).
 *
 * <p><b>Locks of other programs.</b> A transaction of a caller's own may hold an identity, or a task that it replaces, for as
 * long as it likes. No call waits for that longer than a limit, and the other items of its batch are done ({@code
 * submit.BatchSplitter}, {@code transaction.BatchHalver}).
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
