/**
 * The task store and the guard on a SQLite file. Its SQL is written by hand, beside the Java that runs it.
 *
 * <p>{@link dev.semel.sqlite.SqliteTaskStore} keeps tasks in one file. SQLite lets one connection write at a time, and a write
 * is worth nothing before it is on disk, so what counts is how many operations share a commit and how few rows each of them
 * touches. The packages below this one are internal; each has an essay on its topic.
 *
 * <p><b>One writer.</b> {@code transaction.Writer} is one platform thread with one connection. It takes the write lock, then
 * all operations of all callers that wait at that moment, runs them in one transaction and answers after the commit. Callers
 * wait for a future; most of them are virtual threads, and no call into SQLite's library ever pins their carrier. If an
 * operation fails, the transaction is rolled back and its operations are run one by one, so only the faulty one fails. Reads
 * have threads and connections of their own ({@code transaction.Readers}): with a write-ahead log neither side waits for the
 * other.
 *
 * <p><b>Few rows.</b> The whole life of a task that succeeds at once is an insert and two updates of one row; a key adds one
 * row. Names are numbers: a <em>lane</em> stands for (tenant, queue, type). Each lane has a <em>wake time</em>, before which
 * none of its tasks is due, so a claim visits only lanes that may have something for it. The invariant that all rests on:
 * a transaction that makes a task claimable at a time also lowers the wake time of its lane to that time
 * ({@code transaction.Transaction.dueBy}). A wake time may be too early, then a claim finds nothing and corrects it; if it were
 * too late, no claim would see the task. Within a lane an index holds the pending tasks in the order of claims. Running
 * tasks and those with a vanished attempt, of which a claim takes few, are in a second one.
 *
 * <p><b>Several processes.</b> Every transaction that writes begins with {@code BEGIN IMMEDIATE}, so they run one after the
 * other, in one process or in many. What a process remembers between transactions is only what cannot change (the numbers of
 * names) or does not matter (whose turn it was). They wake each other by a small file that each of them watches
 * ({@code hint.HintFile}); nothing depends on it but speed.
 *
 * <p><b>Locks of other programs.</b> A submission can join a transaction of the caller's own. That transaction holds the write
 * lock until it ends, and heartbeats cannot be written meanwhile. So it has a limit, and a process that had to wait long writes
 * that into the hint file: for some seconds no claim takes an expired lease, because its worker was alive but could not write.
 *
 * <p><b>Transactions of handlers.</b> A task can complete in one transaction with writes of its handler ({@code
 * settle.HandlerTransactions}): on a connection of its own, which is opened for it, and from its beginning under the write
 * lock. The completion is the same code as any other. SQLite gives its lock to the first that asks once it is free, so inside
 * a store the writer and these transactions take turns ({@code transaction.WriteLock}): a heartbeat waits for one of them at
 * the most, and none of them waits behind a writer that is always busy.
 *
 * <p><b>Effects</b> are rows of their own that tasks without effects never touch ({@code table.EffectRows}). A first intent
 * is one statement, which inserts only while its attempt runs. A parked task is one that waits for the end of a task that
 * does not exist ({@code operate.EffectResolver}).
 *
 * <p><b>Time</b> is that of the file, in milliseconds: the clock of the process, as far as it agrees with what other processes
 * have written ({@code time.FileClock}). All processes on one file run on one machine.
 *
 * <p><b>The guard.</b> {@link dev.semel.sqlite.SqliteGuardStore} reads, decides and writes in the writer's transaction, by
 * the pure functions of {@link dev.semel.guard.GuardRecord}. It can join a transaction of the caller's own; then the lock of
 * that transaction holds the key, and a savepoint undoes an effect that failed.
 */
@NullMarked
package dev.semel.sqlite;

import org.jspecify.annotations.NullMarked;
