/**
 * The guard on Redis: {@link dev.semel.redis.RedisGuardStore}.
 *
 * <p><b>One key, one script.</b> An entry is one string. There is no second key for its result that could collide with
 * another entry, and nothing spans two slots of a cluster. One script begins a call. Another script renews, finishes or
 * fails it, and compares the owner's token first. The scripts are in {@code begin.lua} and {@code settle.lua}; they
 * implement the pure functions in {@link dev.semel.guard.GuardRecord}.
 *
 * <p><b>Repetition is harmless.</b> A client that repeats a command after a lost answer, as a cluster client does,
 * repeats the same hold, which the scripts recognise by its token.
 *
 * <p><b>Time</b> is the server's: leases are compared with {@code TIME}, and Redis itself expires entries.
 */
@NullMarked
package dev.semel.redis;

import org.jspecify.annotations.NullMarked;
