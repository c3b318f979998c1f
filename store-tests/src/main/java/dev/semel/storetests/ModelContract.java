package dev.semel.storetests;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * All laws at once: long random sequences of operations, on the store under test and on the one in memory in lock step.
 * Every answer and all that is stored must be the same.
 *
 * <p>{@code -Dseed=N} runs one seed alone, {@code -Dseeds=N} runs more of them or fewer.
 */
public abstract class ModelContract extends StoreContract {

    private static final int SEEDS = 20;
    private static final int STEPS = 200;

    /** For subclasses. */
    protected ModelContract() {}

    @Test
    @DisplayName("Random operations are answered, and leave behind, the same as with the store in memory")
    void randomOperationsAnswerAsTheModel() {
        Seeds.each(SEEDS, seed -> {
            ManualClock itsClock = new ManualClock();
            TaskStore real = fresh(itsClock);
            LockStep lockStep = new LockStep(real, new InMemoryTaskStore(itsClock), itsClock, seed);
            lockStep.run(STEPS);
            knows(lockStep.identities());
            finish(real);
        });
    }
}
