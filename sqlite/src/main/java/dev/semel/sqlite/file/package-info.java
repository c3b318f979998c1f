/**
 * Internal: the database file, whether it can still be relied on, and the threads that work on it.
 *
 * <p>SQLite continues to write to a file that was deleted, replaced or linked under a second name, and no program finds those
 * commits again. {@link dev.semel.sqlite.file.FileHealth} notices that before a commit is acknowledged.
 */
@NullMarked
package dev.semel.sqlite.file;

import org.jspecify.annotations.NullMarked;
