/**
 * Internal: the transactions in which operations run.
 *
 * <p>{@link dev.semel.sqlite.transaction.Writer} is the one thread that writes. It executes all operations that wait at a
 * moment in one transaction and answers after the commit. {@link dev.semel.sqlite.transaction.Readers} are a few threads that
 * only read; with a write-ahead log neither side waits for the other. {@link dev.semel.sqlite.transaction.WriteLock} lets the
 * writer and the transactions of handlers take turns. An operation gets a {@link dev.semel.sqlite.transaction.Transaction}, a
 * read gets a {@link dev.semel.sqlite.transaction.Catalog}.
 */
@NullMarked
package dev.semel.sqlite.transaction;

import org.jspecify.annotations.NullMarked;
