/**
 * Internal: the transactions in which operations run.
 *
 * <p>{@link dev.semel.postgresql.transaction.Database} begins a transaction with one statement, which reads the clock and the
 * stamp of the queues' settings and sets how statements are planned. An {@link
 * dev.semel.postgresql.transaction.Database.Opening} sends more statements with that one. If a transaction loses a race it is
 * run again, within bounds. After the commit it reports what has become due or has ended.
 *
 * <p>Transactions are {@code READ COMMITTED}, and take their locks in the order of {@link
 * dev.semel.postgresql.transaction.LockKind}. An operation gets a {@link dev.semel.postgresql.transaction.Transaction}; a read
 * gets a {@link dev.semel.postgresql.sql.Session}. Names of queues, tenants and types are numbers in the tables ({@link
 * dev.semel.postgresql.transaction.Names}); a number never changes its meaning, so processes remember it.
 */
@NullMarked
package dev.semel.postgresql.transaction;

import org.jspecify.annotations.NullMarked;
