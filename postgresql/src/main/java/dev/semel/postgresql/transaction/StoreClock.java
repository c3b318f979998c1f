package dev.semel.postgresql.transaction;

import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The clock that decides what is due and what has expired: the database's, or one that a test gives.
 *
 * @param source the test's clock, or null for the database's
 */
public record StoreClock(@Nullable InstantSource source) {

    /** Returns the time of the test's clock, in milliseconds since 1970, or null if the database's clock decides. */
    @Nullable
    Long given() {
        return source == null ? null : (Long) source.millis();
    }

    /** Returns the time that decides, given what was read from the database's clock. */
    long decide(long read) {
        return source == null ? read : source.millis();
    }

    /** Returns whether the database's clock decides. */
    boolean isOfDatabase() {
        return source == null;
    }
}
