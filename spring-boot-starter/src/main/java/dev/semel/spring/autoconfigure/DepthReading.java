package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.Semel;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import java.time.Duration;

/** The regular reading of the depths of queues, by one of all processes that share the guard's store. */
final class DepthReading implements AutoCloseable {

    // The guard of the application has other keys in the same store.
    private static final String PREFIX = "depths/";

    private final Duration interval;
    private final Guard turns;

    DepthReading(Duration interval, GuardStore store) {
        this.interval = interval;
        this.turns = Guard.on(store).prefix(PREFIX).build();
    }

    void applyTo(Semel.Builder builder) {
        Semel.Builder unused =
                applied("semel.metrics.depths", interval, builder, given -> builder.depths(given, turns));
    }

    @Override
    public void close() {
        turns.close();
    }
}
