/**
 * Internal: how a store reaches its server.
 *
 * <p>Connections come from the user's pool or from one of the store's own, and each is checked once before its first use ({@link
 * dev.semel.postgresql.connection.Connections}): behind some poolers, prepared statements of one session would run in another.
 * No call waits for an answer longer than its limit ({@link dev.semel.postgresql.connection.AnswerLimit}), because the other end
 * of a connection can vanish without notice.
 */
@NullMarked
package dev.semel.postgresql.connection;

import org.jspecify.annotations.NullMarked;
