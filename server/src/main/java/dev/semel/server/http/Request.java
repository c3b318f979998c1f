package dev.semel.server.http;

import java.util.Optional;

/** One request, after its route was found and its caller admitted. */
public interface Request {

    /** {@return the method} */
    String method();

    /** {@return the path, as it was sent} */
    String path();

    /**
     * Returns a parameter of the path.
     *
     * @param name its name in the route
     * @return its decoded value
     */
    String parameter(String name);

    /**
     * Returns a parameter of the query.
     *
     * @param name its name
     * @return its decoded value; empty if it is absent
     */
    Optional<String> query(String name);

    /**
     * Rejects parameters of the query other than these, so that a misspelt filter is not silently ignored.
     *
     * @param names what the route knows
     */
    void allowQueries(String... names);

    /**
     * Returns a header.
     *
     * @param name its name
     * @return its value; empty if it is absent
     */
    Optional<String> header(String name);

    /**
     * Reads the body.
     *
     * @param maxBytes how long it may be; longer ones are rejected as soon as that is known
     * @return the body
     */
    byte[] body(int maxBytes);

    /**
     * Reads the body as a JSON text in UTF-8.
     *
     * @param maxBytes how long it may be
     * @return the text
     */
    String text(int maxBytes);

    /** {@return who sends it} */
    Caller caller();

    /**
     * Adds details to what the audit log says about this request: ids, names and counts, never an input, a result or a token.
     *
     * @param details the details
     */
    void audit(String details);

    /** {@return what names this request in logs} */
    String id();
}
