package dev.semel.storetests.storm;

import dev.semel.store.TaskStore;
import dev.semel.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** How a storm gets at the store that it tries: all that the author of a store has to say. */
public interface StormStorage {

    /**
     * Opens a fresh, empty store.
     *
     * @param clock the store's only notion of now
     * @return the store
     */
    TaskStore open(ManualClock clock);

    /**
     * Opens a second handle on the data of the store that was opened last, as another process would: for a durable store
     * another instance, for the store in memory the same one.
     *
     * @return the handle
     */
    TaskStore openAnother();

    /**
     * Opens a handle on the data of the store that was opened last in another process, which the storm may kill.
     *
     * @return the process, or null if there is no such thing, as for the store in memory
     */
    default @Nullable StoreProcess openElsewhere() {
        return null;
    }

    /**
     * Connects to the database of the store that was opened last, for submissions that join a transaction.
     *
     * @return a new connection, or null if the store cannot be joined
     * @throws SQLException if the database rejects
     */
    default @Nullable Connection connect() throws SQLException {
        return null;
    }

    /**
     * Disturbs the surroundings of the store that was opened last, for example cuts one of its connections. What was answered
     * must stay, and the store must continue.
     *
     * @param random decides how
     */
    default void disturb(RandomGenerator random) {}
}
