package dev.semel.storetests.process;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;

/** Restarts and continuations by processes that die at each of their calls, on the store in memory. */
class InMemoryGenerationCrashTest extends GenerationCrashContract {

    @Override
    protected TaskStore open(ManualClock storeClock) {
        return new InMemoryTaskStore(storeClock);
    }
}
