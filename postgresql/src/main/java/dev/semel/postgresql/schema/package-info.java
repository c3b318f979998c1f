/**
 * Internal: the tables that this program creates, by version.
 *
 * <p>A migration runs in one transaction under an advisory lock, so of many programs that start together one migrates and the
 * others find it done. A running program notices a migration by the stamp in the table {@code change}, which every transaction
 * reads.
 */
@NullMarked
package dev.semel.postgresql.schema;

import org.jspecify.annotations.NullMarked;
