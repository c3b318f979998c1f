package dev.semel.storetests;

import dev.semel.task.TaskId;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes ids that rise in the order in which they are made, within one millisecond too: a store may keep the order of
 * creation by a number of its own or by the id, and the contract leaves it that choice.
 */
final class RisingIds {

    private final InstantSource clock;
    private final AtomicLong made = new AtomicLong();

    RisingIds(InstantSource clock) {
        this.clock = clock;
    }

    TaskId next() {
        return new TaskId(new UUID(clock.millis() << 16 | 0x7000L, 0x8000_0000_0000_0000L | made.incrementAndGet()));
    }
}
