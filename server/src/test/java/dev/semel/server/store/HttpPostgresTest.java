package dev.semel.server.store;

import dev.semel.store.TaskStore;
import dev.semel.storetests.LookContract;
import dev.semel.storetests.MoveContract;
import dev.semel.storetests.SubmitContract;
import dev.semel.testkit.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The parts of the contract in which client, server and PostgreSQL meet most; {@link HttpPostgresContract} is the whole. */
class HttpPostgresTest {

    private final Hosts hosts = new Hosts();
    private final HttpPostgres postgres = new HttpPostgres(hosts);

    @AfterEach
    void close() throws Exception {
        hosts.close();
    }

    /** See its contract. */
    @Nested
    class Submitting extends SubmitContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return postgres.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return postgres.openAnother();
        }
    }

    /** See its contract. */
    @Nested
    class Moving extends MoveContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return postgres.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return postgres.openAnother();
        }
    }

    /** See its contract. */
    @Nested
    class Looking extends LookContract {

        @Override
        protected TaskStore open(ManualClock clock) {
            return postgres.open(clock);
        }

        @Override
        protected TaskStore openAnother() {
            return postgres.openAnother();
        }
    }
}
