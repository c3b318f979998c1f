/**
 * Internal: the changes of a transaction as data that means the same in every copy of the tables.
 *
 * <p>A store whose truth is not the file (a log in object storage, for example) runs its operations on a SQLite file that is
 * a copy, and publishes what they changed before it commits. {@link dev.semel.sqlite.capture.ChangeCapture} records on the
 * writer's connection, by temporary triggers, which rows and columns a transaction has touched, and reads them before the
 * commit. {@link dev.semel.sqlite.capture.ChangeApplier} applies such changes to another copy. {@link
 * dev.semel.sqlite.capture.Gate} decides whether a transaction may commit. Without a gate there is no trigger and no
 * statement more.
 *
 * <p>{@link dev.semel.sqlite.capture.Entity} is the list of tables. Columns are read from the schema, so a new column
 * needs no line there; a table that the list does not name fails when a copy is opened.
 */
@NullMarked
package dev.semel.sqlite.capture;

import org.jspecify.annotations.NullMarked;
