/**
 * Internal: submissions, in transactions of the store or in one of the caller's own.
 *
 * <p>{@link dev.semel.postgresql.submit.Submitter} chooses one of three ways, from the cheapest to the one that can do
 * everything: a small batch in a single round trip, the duplicates of a large batch by a look without locks, and everything else
 * in a transaction that locks, then reads, then decides ({@link dev.semel.postgresql.submit.LockedSubmit}). The first two only
 * answer what changes no owner of a key. A submission that joins a caller's transaction takes the third way, behind a savepoint
 * ({@link dev.semel.postgresql.submit.JoinedSubmissions}). Dead letters are submissions too.
 */
@NullMarked
package dev.semel.postgresql.submit;

import org.jspecify.annotations.NullMarked;
