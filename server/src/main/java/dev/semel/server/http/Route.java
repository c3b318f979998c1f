package dev.semel.server.http;

import java.util.List;
import java.util.Set;

/**
 * A method and a path, who may use them, and what answers.
 *
 * @param method the method
 * @param path the path, with parameters in braces: {@code /v1/tasks/{id}}
 * @param anyOf the scopes of which one is enough; empty if no token is needed
 * @param handler what answers
 */
public record Route(String method, String path, Set<TokenScope> anyOf, Handler handler) {

    /** Copies. */
    public Route {
        anyOf = Set.copyOf(anyOf);
    }

    /**
     * Creates a route.
     *
     * @param method the method
     * @param path the path
     * @param handler what answers
     * @param anyOf the scopes of which one is enough; none if no token is needed
     * @return the route
     */
    public static Route of(String method, String path, Handler handler, TokenScope... anyOf) {
        return new Route(method, path, Set.of(anyOf), handler);
    }

    /** Returns whether it changes what others did, or what applies to others. */
    boolean isOperation() {
        return anyOf.contains(TokenScope.ADMIN) && !method.equals("GET");
    }

    List<String> segments() {
        return List.of(path.substring(1).split("/", -1));
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
