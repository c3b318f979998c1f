package dev.semel.server.store;

import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.util.Set;

/**
 * A call of the wire on the server's side.
 *
 * @param name the last part of its path
 * @param parts the parts of the store that have it; one of them is enough
 * @param maxBytes the maximum size of a request
 * @param handler carries it out
 */
record StoreCall(String name, Set<StorePart> parts, int maxBytes, Handler handler) {

    /** Carries out a call. */
    @FunctionalInterface
    interface Handler {

        /**
         * Reads a request, calls the store and writes the answer.
         *
         * @param store the store, narrowed to what the caller may see
         * @param body the request
         * @return the answer
         */
        byte[] handle(TaskStore store, byte[] body);
    }

    /** Carries it out, for a server: a store that was closed is one that may be back soon. */
    byte[] answer(TaskStore store, byte[] body) {
        try {
            return handler.handle(store, body);
        } catch (StoreUnusable e) {
            if (e.isClosed()) {
                throw new StoreUnavailable("The server is shutting down.", e);
            }
            throw e;
        }
    }
}
