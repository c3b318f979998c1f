/**
 * The execution of tasks between a store and a user's handler: claiming, running, extending leases, settling.
 *
 * <p>A {@link dev.semel.engine.WorkerLoop} is the state and the rules of one worker. It has no thread: its
 * {@link dev.semel.engine.WorkerHost} notifies it that time has passed, that the store has answered, or that a handler
 * has ended. Each such step runs alone, one after the other. Threads, clocks and store calls belong to the host. The
 * production host, {@link dev.semel.engine.VirtualThreadHost}, runs handlers on virtual threads and store calls on
 * platform threads. The simulation's host runs the same loop on virtual time, in an order that a seed determines,
 * through crashes and lost answers.
 *
 * <p>The path of a task through this package: the loop claims as many tasks as it has room for. A
 * {@link dev.semel.engine.Runner} executes a claimed task (decode, handle, encode) and returns the settlement of the
 * attempt. The {@code Outbox} collects settlements during a store call and sends them together in the next one. A store
 * call that is not answered is repeated unchanged, because every operation of a store can be repeated.
 *
 * <p>A handler that runs effects calls the store during its attempt. {@link dev.semel.engine.EffectCall} is the API for
 * users, and {@code Effects} keeps the order of writes (intent, effect, outcome). These settlements go through the same
 * {@code Outbox} as the ends of attempts, so that all handlers of a worker share its commits and the order is kept.
 *
 * <p>No decision in this package depends on the local clock. Timers only determine when to call the store; the store
 * decides whether a lease has expired.
 */
@NullMarked
package dev.semel.engine;

import org.jspecify.annotations.NullMarked;
