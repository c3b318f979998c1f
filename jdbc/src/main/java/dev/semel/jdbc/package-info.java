/**
 * Task stores on databases. Each store owns its SQL, by hand, beside the Java that runs it; there is no layer over dialects.
 *
 * <h2>SQLite</h2>
 *
 * <p>{@link dev.semel.jdbc.SqliteTaskStore} keeps tasks in one file. SQLite lets one connection write at a time, and a write
 * is worth nothing before it is on disk, so what counts is how many operations share a commit and how few rows each of them
 * touches.
 *
 * <p><b>One writer.</b> {@code SqliteWriter} is one platform thread with one connection. It takes the write lock, then all
 * operations that wait at that moment, whoever asked for them, runs them in one transaction and answers after the commit.
 * Callers wait for a future; most of them are virtual threads, and no call into SQLite's library ever pins their carrier. If
 * an operation fails, the transaction is rolled back and its operations are run one by one, so only the guilty one fails.
 * Reads have threads and connections of their own ({@code SqliteReaders}): with a write-ahead log neither side waits for the
 * other.
 *
 * <p><b>Few rows.</b> The whole life of a task that succeeds at once is an insert and two updates of one row; a key adds one
 * row. Names are numbers: a <em>lane</em> stands for (tenant, queue, type). Each lane has a <em>wake time</em>, before which
 * none of its tasks is due, so a claim visits only lanes that may have something for it. The invariant that all rests on:
 * whoever makes a task claimable at a time lowers the wake time of its lane to that time, in the same transaction
 * ({@code SqliteTransaction.dueBy}). A wake time may be too early, then a claim finds nothing and corrects it; if it were
 * too late, the task would be out of sight. Within a lane an index holds the pending tasks in the order of claims. Running
 * tasks and those with a vanished attempt, which a claim takes sparingly, lie in a second one.
 *
 * <p><b>Several processes.</b> Every transaction that writes begins with {@code BEGIN IMMEDIATE}, so they come one after the
 * other, in one process or in many. What a process remembers between transactions is only what cannot change (the numbers of
 * names) or does not matter (whose turn it was). They wake each other by a small file that each of them watches
 * ({@code SqliteHintFile}); nothing depends on it but speed.
 *
 * <p><b>Other people's locks.</b> A submission can join a transaction of the caller's own. That transaction holds the write
 * lock until it ends, and heartbeats cannot be written meanwhile. So it has a limit, and whoever had to wait long says so in
 * the hint file, and for some seconds nobody takes a lease that ran out: its worker was alive, but could not write.
 *
 * <p><b>Transactions of handlers.</b> A task can complete in one transaction with writes of its handler
 * ({@code SqliteTransacting}): on a connection of its own, which is opened for it, and from its beginning under the write lock.
 * The completion is the same code as any other. SQLite gives its lock to whoever asks at the right moment, so inside a store the
 * writer and these transactions take turns ({@code SqliteLock}): a heartbeat waits for one of them at the most, and none of them
 * waits behind a writer that is always busy.
 *
 * <p><b>Effects</b> are rows of their own that tasks without effects never touch ({@code SqliteEffects}). A first intent is one
 * statement, which inserts only while its attempt runs. A parked task is one that waits for the end of a task that does not
 * exist ({@code SqliteParking}).
 *
 * <p><b>Time</b> is the clock of the process, in milliseconds; all processes on one file run on one machine.
 *
 * <h2>PostgreSQL</h2>
 *
 * <p>{@link dev.semel.jdbc.PostgresTaskStore} is for any number of writers at once, so what counts is how few rows they have
 * to share. A task is one row that never changes, and beside it one narrow row that says where it stands: in {@code ready},
 * {@code running}, {@code waiting} or {@code done}. To move a task is to delete the one and insert the other, and of many who
 * try only one can delete: that is the fence.
 *
 * <p><b>Read behind the lock.</b> Transactions are {@code READ COMMITTED}. A statement sees the state in which it began, also
 * if it had to wait for a lock; the next one sees what the holder of the lock did. So whatever a decision rests on is read by
 * a statement behind the one that locks ({@code PostgresEnds}, {@code PostgresSubmissions}). If that turns out to differ from
 * what was looked up before, everything is undone and decided again.
 *
 * <p><b>Few round trips.</b> A transaction begins with one statement that reads the clock and the stamp of the queues'
 * settings and says how to plan ({@code PostgresDatabase}); a batch is one statement for each kind of thing it does
 * ({@code PostgresInserts}, {@code PostgresTurns}, {@code PostgresSettling}). A small batch of submissions is one round trip
 * altogether, unless a key changes hands ({@code PostgresAtOnce}). A claim is two: the first asks on the chance for what the
 * claim before it read ({@code PostgresClaimBeginning}), and the last statement carries the commit ({@code PostgresTaking}).
 *
 * <p><b>Plans that last.</b> Every statement has one plan, which the server keeps, and which is written so that it cannot go
 * through a whole table, however small that was when the plan was made. Claims remember where they ended while dead entries
 * cannot be removed ({@code PostgresStarts}).
 *
 * <p><b>Other people's locks.</b> A transaction of a caller's own may hold an identity, or a task that it replaces, for as long
 * as it likes. Nobody waits for that longer than a limit, and who was batched with it goes on ({@code PostgresBatchSplitter}).
 *
 * <p><b>Time</b> is the clock of the database, in milliseconds.
 *
 * <h2>The guard</h2>
 *
 * <p>{@link dev.semel.jdbc.SqliteGuardStore} reads, decides and writes in the writer's transaction, by the pure functions of
 * {@link dev.semel.guard.GuardRecord}. {@link dev.semel.jdbc.PostgresGuardStore} says the same in one statement, which looks
 * before it writes: a duplicate costs a plain read. Both can join a transaction of the caller's own; then the lock of that
 * transaction holds the key, and a savepoint undoes an effect that failed.
 */
@NullMarked
package dev.semel.jdbc;

import org.jspecify.annotations.NullMarked;
