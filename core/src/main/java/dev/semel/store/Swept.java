package dev.semel.store;

/**
 * What a sweep removed.
 *
 * @param tasks how many tasks' data went
 * @param records how many records went
 * @param more whether there is more to remove, so that another call is worth while
 */
public record Swept(int tasks, int records, boolean more) {}
