package dev.semel.server.api;

import org.jspecify.annotations.Nullable;

/** Is told of every action by which an operator changes what others did. */
@FunctionalInterface
public interface Audit {

    /**
     * One action.
     *
     * @param request what names the request
     * @param caller who did it
     * @param tenant the caller's tenant; null for all
     * @param action what was done
     * @param what to what; never an input, a result or a token
     */
    record Entry(String request, String caller, @Nullable String tenant, String action, String what) {}

    /**
     * Notes an action, after it was carried out.
     *
     * @param entry the action
     */
    void note(Entry entry);
}
