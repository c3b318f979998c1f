/**
 * Internal: submissions, in the writer's transaction or in one of the caller's own.
 *
 * <p>A batch is executed in parts of at most 50 rows, each with a few statements for all its items, because a call of the
 * driver costs as much as an inserted row.
 */
@NullMarked
package dev.semel.sqlite.submit;

import org.jspecify.annotations.NullMarked;
