package dev.semel.server.http;

import java.util.Optional;
import java.util.function.Function;

/** Finds out who sends a request. */
@FunctionalInterface
public interface Authenticator {

    /**
     * Finds the caller.
     *
     * @param headers the headers of the request by name
     * @return the caller
     * @throws Problem of status 401 or 403 if the request is not admitted
     */
    Caller caller(Function<String, Optional<String>> headers);
}
