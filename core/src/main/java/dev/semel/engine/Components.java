package dev.semel.engine;

import dev.semel.observe.Observation;
import dev.semel.store.TaskStore;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/**
 * The parts that the workers of one instance share.
 *
 * @param store the store of their tasks
 * @param codec converts inputs and results
 * @param clock this machine's clock
 * @param random the source of randomness; thread-safe
 * @param timers runs delayed steps
 * @param threads runs store calls
 * @param observation observes the workers
 * @param steps prepares the steps of workflows
 */
public record Components(
        TaskStore store,
        Codec codec,
        InstantSource clock,
        RandomGenerator random,
        ScheduledExecutorService timers,
        OwnThreads threads,
        Observation observation,
        StepPreparer steps) {}
