/**
 * What happens between a store and a user's handler: claiming, running, extending leases, settling.
 *
 * <p>A {@link dev.semel.engine.WorkerLoop} is one worker's whole state and all its rules. It does nothing by itself: it is
 * told that time has passed, that the store has answered, that a handler has ended, and every such step runs alone, one
 * after the other. Threads, clocks and calls to the store belong to its {@link dev.semel.engine.WorkerHost}. The real host,
 * {@link dev.semel.engine.VirtualThreadHost}, runs handlers and store calls on virtual threads; the simulation's host runs
 * everything in one thread on virtual time, so that the very loop that serves users can be driven through crashes and lost
 * answers by a seed.
 *
 * <p>The way of a task through this package: the loop claims what it has room for; a {@link dev.semel.engine.Runner} turns
 * a claimed task into the transition that settles it (decode, handle, encode; this is the part that reads like the
 * specification); the loop gathers transitions while an earlier batch is under way and sends them together. A store that
 * does not answer is asked again with the very same words, because every operation of a store can be repeated.
 *
 * <p>A handler that runs effects talks to the store in the middle of its attempt. {@link dev.semel.engine.EffectCall} is
 * what the user sees; {@code Effects} keeps the order of writes (intent, effect, outcome); what is to be written goes through
 * the same {@code Outbox} as the ends of attempts, so that all handlers of a worker share its commits and nothing overtakes
 * anything.
 *
 * <p>Nothing here trusts its own clock with a decision. Timers only say when to ask the store; whether a lease has run out
 * is what the store answers.
 */
@NullMarked
package dev.semel.engine;

import org.jspecify.annotations.NullMarked;
