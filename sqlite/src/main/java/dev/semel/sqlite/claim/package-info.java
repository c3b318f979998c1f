/**
 * Internal: claims.
 *
 * <p>A claim reads the lanes that may have something due ({@link dev.semel.sqlite.claim.Claimer}), lets tenants take turns
 * ({@link dev.semel.sqlite.claim.GroupCandidates}) and applies pauses, limits and mutexes
 * ({@link dev.semel.sqlite.claim.QueueAllowances}). Its cost follows what it takes, not what is stored.
 */
@NullMarked
package dev.semel.sqlite.claim;

import org.jspecify.annotations.NullMarked;
