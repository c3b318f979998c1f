package dev.semel.storetests.storm;

import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * All laws at once, under contention: a storm on the store. Short in a build; {@code -Dstorm=30m} lets it last for half an hour,
 * and {@code -Dseed=N} begins with another seed.
 */
public abstract class StormContract implements StormStorage {

    private static final long FIRST_SEED = 1;
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final Duration SHORT_ROUND = Duration.ofMillis(1_200);
    private static final Duration LONG_ROUND = Duration.ofSeconds(3);

    /** For subclasses. */
    protected StormContract() {}

    @Override
    public abstract TaskStore open(ManualClock clock);

    @Override
    public abstract TaskStore openAnother();

    @Override
    public @Nullable StoreProcess openElsewhere() {
        return null;
    }

    @Override
    public @Nullable Connection connect() throws SQLException {
        return null;
    }

    @Override
    public void disturb(RandomGenerator random) {}

    @Test
    @DisplayName(
            "Every answer in a storm of random calls is explained by some order of the calls, and no law is broken")
    void aStormBreaksNoLaw() throws InterruptedException {
        String length = System.getProperty("storm");
        long seed = Long.getLong("seed", FIRST_SEED);
        if (length == null) {
            Storm.run(this, seed, SHORT_ROUND, SHORT);
        } else {
            Storm.run(this, seed, LONG_ROUND, Durations.parse(length));
        }
    }
}
