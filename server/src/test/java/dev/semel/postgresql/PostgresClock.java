package dev.semel.postgresql;

import java.time.InstantSource;

/** Sets the clock of a store, which only its own tests may do. */
public final class PostgresClock {

    private PostgresClock() {}

    /**
     * Returns settings with another clock.
     *
     * @param settings the settings
     * @param clock the clock
     * @return new settings
     */
    public static PostgresSettings of(PostgresSettings settings, InstantSource clock) {
        return settings.withClock(clock);
    }
}
