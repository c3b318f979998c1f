/**
 * Whole worlds on virtual time: submitters, workers, schedulers, an operator, a clerk and a lease thief on one store, made by a seed.
 * What a seed does it does again, to the last event, in any Java process.
 *
 * <h2>How it works</h2>
 *
 * <p>A {@link dev.semel.testkit.virtualtime.Timeline} is a queue of events, ordered by their virtual time and then by the order in which they were made.
 * Nothing runs beside anything else; a minute of virtual time takes milliseconds. All chance is drawn from one seed, split
 * once for each actor.
 *
 * <p>A seed first draws a {@code Scenario}: how many actors there are, and how often each fault occurs. Each fault is left out of some
 * worlds altogether, because faults hide each other. Then for a while things are submitted and go wrong; then the faults
 * stop, and all that is open must end within a bound.
 *
 * <p>The queues of a world differ: one has no settings, one runs two tasks at once, one starts three in a second, one keeps
 * nothing of what has ended, two forward dead letters to a dead-letter queue; some tasks have a mutex, and the operator pauses
 * queues and resumes them.
 *
 * <p>The workers are the real ones: {@link dev.semel.engine.WorkerLoop} is a worker's whole state and all its rules, and
 * here it runs on a {@link dev.semel.testkit.virtualtime.SimulatedHost}. A step of the loop is an event. A timer is an event, by a clock that is skewed.
 * A handler is a thread, because it waits in the middle of its work: for the ledger of its effects, and for whomever it calls.
 * It runs in lock-step with the world ({@link dev.semel.testkit.virtualtime.HandlerThread}): exactly one of the two runs at any time, so the seed still
 * decides everything. Each of its waits ends with an event; between two of them no time passes. A call to the store is a
 * message: the function that the loop passes to its host is run against a store that only records what is requested
 * of it, and the note travels through a {@code Network}, which may lose it, lose its answer, or deliver it long after its
 * sender has given up. A process that crashes ends between two events; what it had sent is done or not. A process that
 * is frozen has no events for a while and then all of them at once, which makes it a zombie if its leases expired. The
 * threads of a dead process stay as they were, and are unwound when the world has ended.
 *
 * <p>Half of the handlers have effects: they call a {@code Provider}, which answers late, loses answers, rejects, and charges
 * for processes that have died; one effect after the other, each with a {@code Policy} of what to do when its outcome is
 * unknown. Where the policy relies on tokens the provider recognises them, and nowhere else. A {@code Clerk} looks for
 * effects with unknown outcome, and resolves them by the provider's books, late, twice and on old knowledge.
 *
 * <p>The store is whatever {@link dev.semel.storetests.simulation.Simulation.StoreUnderTest} opens on a clock that is moved by
 * hand. Every call to it happens at one moment of virtual time. Its structure is looked at by
 * {@link dev.semel.storetests.StoreInvariants} every few virtual seconds.
 *
 * <h2>How it is checked</h2>
 *
 * <p>The {@code Checker} knows nothing of how the world was made. It sees a {@code History} of what each party asked and
 * was answered, the {@code Sink} to which handlers write, the provider's books, and the store in the end, through its interface. A
 * call whose answer did not arrive counts as maybe: it was done at some time after it was sent, or never, and a verdict is
 * given only where no maybe could excuse what was seen. For example, two tasks of one identity, the second of run 1, are a
 * violation only if the first certainly was open when the second was made: no end, cancellation or replacement of it had
 * even been sent. The invariants are those of {@link dev.semel.storetests.simulation.Invariant}.
 *
 * <p>Two things keep the simulation itself honest. Its tests plant bugs (a store that does not check the attempt, that lets
 * go an identity while its task is open, that does not recognise a repeated send, that ignores a mutex, that forgets an
 * intent, and others), and each must be found and called by the right name within some dozens of seeds. And every {@link dev.semel.storetests.simulation.Happening}, fault and
 * outcome, must occur often over the usual seeds, so that the generator cannot lose its teeth unnoticed.
 *
 * <h2>Workflows</h2>
 *
 * <p>{@link dev.semel.storetests.simulation.FlowSimulation} makes worlds of workflows, by the same means: the real engine runs real code of
 * {@code dev.semel.workflow}, with steps, several steps at once, local steps, sleeps, signals, steps that are given up, continuations, and steps whose key
 * other workflows use too, while processes crash, freeze and are closed, calls and hints are lost, leases are stolen, clocks jump and an operator restarts workflows. What a
 * workflow does is data ({@code FlowProgram}), so its result is known: each seed is run with faults and without, and every workflow must end
 * with the same result in both. Each step comes to its provider with one token in each generation that has not kept it, and none runs again after its outcome was recorded.
 *
 * <h2>How to replay</h2>
 *
 * <p>A violation prints its seed and the command that replays it. {@code -Dseed=N} runs that seed alone and prints its trace,
 * in which tasks have short names; {@code -Dsimulation.seeds=N} runs more seeds than usual, and {@code
 * -Dsimulation.first=N} begins with another one. The trace is the same as long as the code is: a change in the order in
 * which random numbers are drawn makes other worlds of all seeds, so a seed that once found a bug is no regression test for
 * it. Write one that shows what was wrong.
 *
 * <h2>Your own store</h2>
 *
 * <pre>{@code
 * for (long seed = 1; seed <= 1_000; seed++) {
 *     SimulationReport report = Simulation.run(seed, clock -> new YourStore(clock));
 *     assertThat(report.violations()).isEmpty();
 * }
 * }</pre>
 *
 * <p>The store must keep time by the clock that it gets. Hints that it sends on threads of its own are ignored. Workers log every lost lease
 * and every lost answer; turn that down.
 *
 * <h2>What it does not cover</h2>
 *
 * <ul>
 *   <li>Threads. Calls to the store happen one after the other, so races inside a store or inside
 *       {@link dev.semel.engine.VirtualThreadHost} and {@link dev.semel.engine.Batcher} are not here. The contract's
 *       concurrency tests and the tests with real processes are for these.
 *   <li>Durability. A store is never killed; it only does not answer.
 *   <li>The facade: submissions are built as it builds them, from the same parts, but by the simulation. Waiting for
 *       results is a plain read here.
 *   <li>Handlers with several threads. Transactions are not simulated yet. Schedules are moved forward by actors of the simulation, not by
 *       the real scheduler.
 *   <li>Providers that forget a token: that an intent is too late for its window is checked, not what it would cost.
 *   <li>Settings that change, but for a pause. Letters of the dead have no handler: they are counted and stay.
 *   <li>The store's clock is never turned back, and sweeps never reach their limit.
 *   <li>A submission that is sent again after its task's data and its record were swept makes a new task under the old id,
 *       as the laws allow. Such a task is counted, and its two lives are not distinguished, so nothing is checked of them but
 *       that a sweep can have been between.
 * </ul>
 */
@NullMarked
package dev.semel.storetests.simulation;

import org.jspecify.annotations.NullMarked;
