/**
 * Internal: prepared statements on one connection, and what values look like in SQLite's columns.
 *
 * <p>Every statement is a constant that stands whole in the class that runs it, and is prepared once for each
 * {@link dev.semel.sqlite.sql.Session}. Columns are read by their position, because the driver looks up a name for every row; a
 * table whose rows several statements read has one mapper. Errors are distinguished by SQLite's codes, never by their texts
 * ({@link dev.semel.sqlite.sql.ErrorTranslator}).
 */
@NullMarked
package dev.semel.sqlite.sql;

import org.jspecify.annotations.NullMarked;
