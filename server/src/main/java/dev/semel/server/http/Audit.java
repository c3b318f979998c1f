package dev.semel.server.http;

import org.jspecify.annotations.Nullable;

/**
 * Records operators' actions. An action is every request that changes something on a route with the scope {@code admin}, sent by a
 * caller who has that scope. Its intent is recorded before it is carried out and its outcome after it, so that a crash in between leaves
 * an action of unknown outcome and never an action that nobody can see.
 */
public interface Audit {

    /** The longest target or detail that is recorded, in characters. */
    int MAX_TEXT = 4_000;

    /**
     * One action.
     *
     * @param request the id of the request
     * @param caller the name of the token
     * @param tenant the caller's tenant; null for all
     * @param name the method and the path of the route
     * @param target the names and ids in the path and in the query; never an input, a result or a token
     */
    record Action(String request, String caller, @Nullable String tenant, String name, String target) {}

    /**
     * Records that an action begins.
     *
     * @param action the action
     * @throws Problem of status 503 if that cannot be recorded; then the action is not carried out
     */
    void started(Action action);

    /**
     * Records how an action ended.
     *
     * @param action the action
     * @param status the status of the reply
     * @param details what the route adds, such as the ids that a filter matched; empty for nothing
     */
    void ended(Action action, int status, String details);
}
