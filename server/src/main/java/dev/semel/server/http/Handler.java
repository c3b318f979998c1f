package dev.semel.server.http;

/** Answers the requests of one route. It runs on a virtual thread and may wait. */
@FunctionalInterface
public interface Handler {

    /**
     * Answers a request.
     *
     * @param request the request
     * @return the reply
     * @throws Problem or any exception of Semel, which becomes a problem of its own
     */
    Reply handle(Request request);
}
