package dev.semel.benchmarks.peers;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** A library that takes part. */
interface Contestant {

    /** How many tasks may run at the same time in each of them. */
    int WORKERS = 64;

    /** How many submissions go into a batch. */
    int BATCH = 1_000;

    /**
     * One decision on how it is set up.
     *
     * @param what what was to be chosen
     * @param chosen what was
     * @param why the reason, with where it comes from
     */
    record Choice(String what, String chosen, String why) {}

    /** Its name for people. */
    String name();

    /** How it is set up, and why. */
    List<Choice> choices();

    /** Makes its tables in an empty database. */
    void makeTables(DataSource source);

    /** Opens it on a database with its tables. */
    Session open(Place place, Handler handler);

    /** Whether many tasks can be submitted in one call. */
    boolean hasBatches();

    /** Whether a batch may have tasks that are there already. */
    default boolean takesDuplicatesInBatches() {
        return false;
    }

    /** How long an idle worker may take to look, where nothing wakes it. */
    default Duration looksEvery() {
        return Duration.ofMillis(10);
    }

    /** A query for the number of tasks that are there but have not ended, in one row and column. */
    String unsettled();

    /** A query for the number of tasks that were stored and not removed. */
    String stored();
}
