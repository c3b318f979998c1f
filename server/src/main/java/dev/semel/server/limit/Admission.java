package dev.semel.server.limit;

import dev.semel.server.http.Problem;

/** Decides before a submission whether its tenant has room for it. */
@FunctionalInterface
public interface Admission {

    /** An admission without limits. */
    Admission ANY = (tenant, tasks, bytes) -> () -> {};

    /** A submission that was admitted. It is closed when the store has answered. */
    @FunctionalInterface
    interface Ticket extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * Admits a submission as a whole.
     *
     * @param tenant the tenant
     * @param tasks how many tasks
     * @param bytes the size of their inputs
     * @return what to close when the store has answered
     * @throws Problem of status 429 if there is no room
     */
    Ticket admit(String tenant, int tasks, long bytes);
}
