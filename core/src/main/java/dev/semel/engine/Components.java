package dev.semel.engine;

import dev.semel.store.TaskStore;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/**
 * What a worker is made of, apart from its settings.
 *
 * @param store where its tasks are
 * @param codec how inputs and results are written
 * @param clock this machine's clock
 * @param random draws lots; safe for many threads
 * @param timers runs what waits for its time
 */
public record Components(
        TaskStore store, Codec codec, InstantSource clock, RandomGenerator random, ScheduledExecutorService timers) {}
