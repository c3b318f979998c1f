/**
 * Internal: the tables that this program creates, by version.
 *
 * <p>The version is kept in a table and not in {@code PRAGMA user_version}, because the file may be the user's own database.
 * A migration runs in one transaction that writes from its first moment, so of many programs that start together one migrates
 * and the others find it done.
 */
@NullMarked
package dev.semel.sqlite.schema;

import org.jspecify.annotations.NullMarked;
