package dev.semel.server.api;

import dev.semel.server.http.Problem;

/** Limits of a tenant: decides before a submission whether there is room for it. */
@FunctionalInterface
public interface Admission {

    /** No limits. */
    Admission ANY = (tenant, tasks, bytes) -> {};

    /**
     * Admits a submission.
     *
     * @param tenant the tenant
     * @param tasks how many tasks
     * @param bytes the size of their inputs
     * @throws Problem of status 429 if there is no room
     */
    void admit(String tenant, int tasks, long bytes);
}
