/**
 * Internal: the guard's statements, and the guard inside a transaction of the caller's own.
 *
 * <p>Every operation is one statement, which reads before it writes: a duplicate costs a plain read.
 */
@NullMarked
package dev.semel.postgresql.guard;

import org.jspecify.annotations.NullMarked;
