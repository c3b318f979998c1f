package dev.semel.server.http;

/** Is told of every request after its reply. */
@FunctionalInterface
public interface RequestLog {

    /**
     * One request and its reply.
     *
     * @param id what names the request
     * @param caller who sent it; "-" if that is not known
     * @param method its method
     * @param route the path of its route, with names instead of values; "-" if there is none
     * @param status the status of the reply
     * @param nanos how long it took
     */
    record Entry(String id, String caller, String method, String route, int status, long nanos) {}

    /**
     * Notes a request.
     *
     * @param entry the request
     */
    void note(Entry entry);
}
