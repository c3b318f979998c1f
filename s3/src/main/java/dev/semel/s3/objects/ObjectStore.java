package dev.semel.s3.objects;

import dev.semel.task.InvalidInput;
import java.time.Instant;

/**
 * Immutable objects below one prefix of an object service, created if absent. It is all that the stores on object storage
 * rely on: nothing is ever replaced, because many services get replace-if-match wrong under concurrency.
 *
 * <p>Every operation may throw {@link dev.semel.task.StoreUnavailable} when the service gave no usable answer for as long
 * as {@link RetrySettings#patience()}, or when the waiting thread was interrupted; the outcome is then not known.
 * {@link dev.semel.task.StoreUnusable} says that retrying is of no use. Safe for use by several threads and processes.
 *
 * <h2>Laws</h2>
 *
 * <p>The numbers are those of the tests in {@code ObjectStoreContract}.
 *
 * <ol>
 *   <li>O1: of any number of concurrent creations of one name exactly one is {@link Creation.Created}, and all others get
 *       {@link Creation.Exists} with the object of that one.
 *   <li>O2: a creation that was created is so whenever it is repeated with the same mark and the same content, for as long
 *       as the object exists; what happened to the answers in between does not matter.
 *   <li>O3: once a creation has been answered, every read finds the object, unchanged, until it is deleted.
 *   <li>O4: content, mark and name are read as they were written, up to {@link #MAX_BYTES}.
 *   <li>O5: a list has names with the prefix, after the given name, in ASCII order, at most as many as the limit. It is a
 *       hint: it may lack objects that were created lately and have some that were deleted lately. Only a read tells the
 *       truth.
 *   <li>O6: a deletion is sent once, and its outcome may stay unknown. It is not repeated, because a repetition that
 *       arrives late could delete a newer object of the same name. A deleted object is not found, and its name can be created again.
 *   <li>O7: the time of an answer is the service's, not this machine's.
 *   <li>O8: names that could leave the prefix are refused, and nothing is sent.
 * </ol>
 *
 * <p>What O1 and O2 do not promise: a request whose answer was lost may be applied <em>later</em>, even after its author
 * has given up, and after somebody has deleted the name. Whoever deletes must therefore leave names alone that a live
 * author may still be sending, and whoever creates after a long time must check that what it builds on is still there.
 */
public interface ObjectStore extends AutoCloseable {

    /** The maximum number of bytes of one object. */
    int MAX_BYTES = 64 << 20;

    /** The maximum number of objects of one page of a list. */
    int MAX_LIST = 1_000;

    /**
     * Creates an object unless one of that name exists, and finds out what happened, whatever happened to the answers: the
     * identical bytes are sent to the same name until the outcome is known, and the author recognises its own write by the
     * mark.
     *
     * @param name the name, as {@link ObjectName} allows it
     * @param content the content; it must not be changed afterwards
     * @param mark a new mark, or that of an earlier call with the same name and content whose outcome is not known
     * @return whether this write created the object
     */
    Creation create(String name, byte[] content, Mark mark);

    /**
     * Reads an object.
     *
     * @param name the name
     * @return the object, or that there is none
     */
    Reading get(String name);

    /**
     * Lists objects, as a hint (O5).
     *
     * @param prefix what their names begin with; may be empty, and may end with a slash
     * @param after the name after which the list begins; empty for the beginning
     * @param limit the maximum number of objects, 1 to {@link #MAX_LIST}
     * @return one page
     */
    Listing list(String prefix, String after, int limit);

    /**
     * Deletes an object; does nothing if there is none. The request is sent once (O6).
     *
     * @param name the name
     * @return the time of the answer, by the service's clock
     */
    Instant delete(String name);

    /** Closes the store and the service below. Every later operation is refused. */
    @Override
    void close();

    /**
     * Checks the content of an object, for implementations.
     *
     * @param content the content
     * @return the content
     * @throws InvalidInput if it is too large
     */
    static byte[] checkContent(byte[] content) {
        if (content.length > MAX_BYTES) {
            throw new InvalidInput(
                    "An object has at most " + MAX_BYTES + " bytes, but got \"" + content.length + "\".");
        }
        return content;
    }

    /**
     * Checks the limit of a list, for implementations.
     *
     * @param limit the limit
     * @return the limit
     * @throws InvalidInput if it is not allowed
     */
    static int checkLimit(int limit) {
        if (limit < 1 || limit > MAX_LIST) {
            throw new InvalidInput("A list has 1 to " + MAX_LIST + " objects, but got \"" + limit + "\".");
        }
        return limit;
    }
}
