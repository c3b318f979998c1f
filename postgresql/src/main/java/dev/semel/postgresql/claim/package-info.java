/**
 * Internal: claims.
 *
 * <p>A claim ({@link dev.semel.postgresql.claim.Claimer}) begins with a round trip that also reads what the claim before it read
 * ({@link dev.semel.postgresql.claim.ClaimOpening}). It applies pauses, limits and mutexes ({@link
 * dev.semel.postgresql.claim.QueueAllowances}), lets tenants take turns ({@link dev.semel.postgresql.claim.FairPicker}), and
 * starts the attempts with a statement that carries the commit ({@link dev.semel.postgresql.claim.AttemptStarter}). So most
 * claims take two round trips. Rows that another claim has locked are skipped; a claim never waits for another one, unless their
 * queue has a limit.
 *
 * <p>A task whose time limit has passed is read as such and not taken. {@link dev.semel.postgresql.claim.OverdueTasks} ends it behind the claim, or with the next
 * sweep.
 */
@NullMarked
package dev.semel.postgresql.claim;

import org.jspecify.annotations.NullMarked;
