package dev.semel.s3.client;

/** Where credentials come from. */
public interface CredentialSource {

    /**
     * Returns credentials that are valid now; may have to fetch them.
     *
     * @return the credentials
     * @throws dev.semel.task.StoreUnusable if there are none
     */
    Credentials credentials();

    /** Forgets credentials that the service has refused as expired, so that they are fetched again. */
    default void discard() {}
}
