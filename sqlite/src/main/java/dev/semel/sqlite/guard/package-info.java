/**
 * Internal: the guard's rows, and the guard inside a transaction of the caller's own.
 */
@NullMarked
package dev.semel.sqlite.guard;

import org.jspecify.annotations.NullMarked;
