/**
 * Internal: statements on one connection, and what errors of the server mean.
 *
 * <p>Every statement is a constant that stands whole in the class that runs it, written for the schema {@code semel}, and can be
 * pasted into psql with values in place of its question marks. {@link dev.semel.postgresql.sql.SqlStatement} binds it from the
 * left to the right, with one array for each column of a batch, and describes the forms that give a statement one plan whatever
 * the statistics of the tables say. Columns are read by name, except single ones and those of the mappers that read many rows
 * (tasks, records of keys, due tasks): the driver looks up a name for every value. Many rows are appended by {@code COPY}
 * ({@link dev.semel.postgresql.sql.BinaryCopy}).
 *
 * <p>{@link dev.semel.postgresql.sql.ErrorTranslator} is the one place that knows SQLSTATEs. A transaction that lost a race is
 * retried at most as often as {@link dev.semel.postgresql.sql.Backoff} allows, with a pause before each try.
 */
@NullMarked
package dev.semel.postgresql.sql;

import org.jspecify.annotations.NullMarked;
