package dev.semel.postgresql.transaction;

import java.time.Duration;

/**
 * What a store's operations need to know of its settings.
 *
 * @param schema the name of the schema of its tables
 * @param lockLimit how long a statement waits for a lock that a caller's own transaction may hold
 * @param joinedHints whether a caller's own transaction notifies workers of the tasks that it has submitted
 * @param clock the clock that decides
 */
public record StoreSettings(String schema, Duration lockLimit, boolean joinedHints, StoreClock clock) {}
