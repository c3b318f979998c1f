package dev.semel.s3.objects;

import java.time.Instant;

/**
 * The requests of an object service. Every call is one request, sent once: nothing below this interface retries, because a
 * conditional PUT that had succeeded and is sent again comes back as 412. {@link RetryingObjectStore} is what resolves
 * unknown outcomes.
 *
 * <p>Names are relative to one prefix. Implementations are safe for use by several threads, and check names with
 * {@link ObjectName}. A request that can never succeed (no permission, no such bucket) throws
 * {@link dev.semel.task.StoreUnusable}.
 */
public interface ObjectService extends AutoCloseable {

    /**
     * Creates an object unless one of that name exists: one PUT with {@code If-None-Match: *}.
     *
     * @param name the name
     * @param content the content
     * @param mark the mark, stored with the object
     * @return the service's answer
     * @throws RequestFailed if the outcome is not known
     */
    PutAnswer put(String name, byte[] content, Mark mark) throws RequestFailed;

    /**
     * Reads an object.
     *
     * @param name the name
     * @return the object, or that there is none
     * @throws RequestFailed if there was no answer
     */
    Reading get(String name) throws RequestFailed;

    /**
     * Lists objects in ASCII order of their names.
     *
     * @param prefix what their names begin with
     * @param after the name after which the list begins; empty for the beginning
     * @param limit the maximum number of objects, up to {@link ObjectStore#MAX_LIST}
     * @return one page
     * @throws RequestFailed if there was no answer
     */
    Listing list(String prefix, String after, int limit) throws RequestFailed;

    /**
     * Deletes an object; does nothing if there is none.
     *
     * @param name the name
     * @return the time of the answer, by the service's clock
     * @throws RequestFailed if the outcome is not known
     */
    Instant delete(String name) throws RequestFailed;

    /** Releases connections. Requests that are under way may fail. */
    @Override
    void close();
}
