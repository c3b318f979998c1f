/**
 * The guard on Redis: {@link dev.semel.redis.RedisGuardStore}.
 *
 * <p><b>One key, one script.</b> An entry is one string; there is no second key for its result that could collide with
 * somebody's entry, and nothing spans two slots of a cluster. Beginning is one script, and renewing, finishing and failing
 * are another that compares the owner's token first. The scripts are in {@code begin.lua} and {@code settle.lua}; the
 * pure functions that they stand for are in {@link dev.semel.guard.GuardRecord}.
 *
 * <p><b>Sent again is harmless.</b> A client that repeats a command after a lost answer, as that of a cluster does, repeats
 * the same hold, which the scripts recognise by its token.
 *
 * <p><b>Time</b> is the server's: leases are compared with {@code TIME}, expiry is Redis's own.
 */
@NullMarked
package dev.semel.redis;

import org.jspecify.annotations.NullMarked;
