/**
 * The engine on virtual time: real worker loops whose steps, timers, calls and handlers are events of one {@link
 * dev.semel.testkit.virtualtime.Timeline}, so that a minute takes milliseconds and nothing depends on how threads are
 * scheduled.
 *
 * <p>{@link dev.semel.testkit.virtualtime.SimulatedHost} runs a {@link dev.semel.engine.WorkerLoop}. A step of the loop
 * is an event. A timer is an event, by the machine's {@link dev.semel.testkit.virtualtime.MachineClock}. A call to the
 * store is a message ({@link dev.semel.testkit.virtualtime.Call}): the function that the loop passes to its host is run
 * against a {@link dev.semel.testkit.virtualtime.NotingStore}, which only records the call, and the {@link
 * dev.semel.testkit.virtualtime.Machine} decides when and whether it arrives. A handler is a thread, because it waits
 * in the middle of its work; it runs in lock-step with the world ({@link dev.semel.testkit.virtualtime.HandlerThread}):
 * exactly one of the two runs at any time.
 *
 * <p>{@link dev.semel.testkit.HandlerTrial} and the simulation in {@code semel-store-tests} are built on this package.
 * Use those; this package may change with the engine.
 */
@NullMarked
package dev.semel.testkit.virtualtime;

import org.jspecify.annotations.NullMarked;
