/**
 * Schedules: definitions that create tasks at given times.
 *
 * <p>A definition ({@link dev.semel.schedule.Schedule}) lives in the store and holds for all programs. Its state has one number that
 * decides everything: the <em>position</em>, the time up to which all ticks have been dealt with. Any number of
 * {@link dev.semel.schedule.Scheduler}s look for schedules whose next tick is due. Each plans what to do
 * ({@code TickPlan}, a pure function) and sends one change that moves the position, creates the tasks of the ticks and cancels what they
 * replace. The store applies a change only to the version of the schedule that it was planned for, in one step. So of several schedulers
 * one wins, the others find nothing left to do, and no leader is needed. A tick at or before the position is never made again, whatever
 * has expired or was swept.
 *
 * <p>The store's clock decides what is due. A scheduler whose own clock is wrong makes no tick early or late.
 *
 * <p>Plans may use what was read before the change: of the tasks of earlier ticks only whether they are open. A task that has ended
 * stays so, and no other scheduler can have made a newer one, because that would have changed the version. So a plan on older knowledge
 * is a plan made a moment earlier.
 *
 * <p><b>Time zones.</b> {@link dev.semel.schedule.CronExpression} says which local times match, and {@code Timing} turns them into
 * instants. A schedule at fixed hours follows the wall clock: a local time that the spring gap leaves out is made right after the gap,
 * and one that occurs twice in autumn is made the first time only. A schedule whose hour is a wildcard follows elapsed time.
 */
@NullMarked
package dev.semel.schedule;

import org.jspecify.annotations.NullMarked;
