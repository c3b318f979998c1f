package dev.semel.store;

/**
 * What a sweep removed.
 *
 * @param tasks the number of tasks whose data was removed
 * @param records the number of records that were removed
 * @param more whether there is more to remove, so that another call is worthwhile
 */
public record Swept(int tasks, int records, boolean more) {

    /** Nothing was removed, and nothing is left to remove. */
    public static final Swept NOTHING = new Swept(0, 0, false);
}
