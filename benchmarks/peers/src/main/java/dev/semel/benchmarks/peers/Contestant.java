package dev.semel.benchmarks.peers;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A library that takes part in the comparison. */
interface Contestant {

    /** The number of tasks that may run at the same time in each contestant. */
    int WORKERS = 64;

    /** The number of submissions in a batch. */
    int BATCH = 1_000;

    /**
     * A decision about the configuration of a contestant.
     *
     * @param what the subject of the decision
     * @param chosen the choice
     * @param why the reason and its source
     */
    record Choice(String what, String chosen, String why) {}

    /** Returns its name. */
    String name();

    /** Returns how it is configured, and why. */
    List<Choice> choices();

    /** Creates its tables in an empty database. */
    void makeTables(DataSource source);

    /** Opens it on a database with its tables. */
    Session open(Place place, Handler handler);

    /** Returns whether many tasks can be submitted in one call. */
    boolean hasBatches();

    /** Returns whether a batch may contain duplicates of existing tasks. */
    default boolean takesDuplicatesInBatches() {
        return false;
    }

    /** Returns whether it runs workflows of several steps. */
    default boolean hasWorkflows() {
        return false;
    }

    /** Returns the polling interval of an idle worker that nothing wakes. */
    default Duration looksEvery() {
        return Duration.ofMillis(10);
    }

    /** Returns a query for the number of stored tasks that have not ended, in one row and column. */
    String unsettled();

    /** Returns a query for the number of stored tasks. */
    String stored();
}
