/**
 * Internal: how the processes on one file notify each other of commits.
 *
 * <p>A process overwrites a small file beside the database after a commit, and the others watch it ({@link
 * dev.semel.sqlite.hint.HintFile}). Only speed depends on it: a lost hint is found by the next poll. The same file records
 * how far commits have come, so that commits that are missing from the database are noticed when it is opened ({@link
 * dev.semel.sqlite.hint.CommitLossCheck}).
 */
@NullMarked
package dev.semel.sqlite.hint;

import org.jspecify.annotations.NullMarked;
