package dev.semel.server.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the route of a method and a path. */
public final class Router {

    private final List<Route> routes;
    private final Map<Integer, List<Route>> byLength = new HashMap<>();
    // Routes without parameters by method and path: they are more specific than any other.
    private final Map<String, Match> exact = new HashMap<>();

    /**
     * A route and what its parameters are in a path.
     *
     * @param route the route
     * @param parameters the decoded parameters by name
     */
    record Match(Route route, Map<String, String> parameters) {}

    /**
     * Creates a router.
     *
     * @param routes all routes
     */
    public Router(List<Route> routes) {
        this.routes = List.copyOf(routes);
        for (Route route : routes) {
            List<Route> others = byLength.computeIfAbsent(route.segments().size(), length -> new ArrayList<>());
            if (others.stream().anyMatch(other -> other.toString().equals(route.toString()))) {
                throw new IllegalArgumentException("Expected each route once, but got " + route + " twice");
            }
            others.add(route);
            if (!route.path().contains("{")) {
                exact.put(route.toString(), new Match(route, Map.of()));
            }
        }
    }

    /** {@return all routes} */
    public List<Route> routes() {
        return routes;
    }

    Match find(String method, String path) {
        Match known = exact.get(method + " " + path);
        if (known != null) {
            return known;
        }
        List<String> segments = path.startsWith("/") ? List.of(path.substring(1).split("/", -1)) : List.of("");
        TreeSet<String> allowed = new TreeSet<>();
        Match found = null;
        for (Route route : byLength.getOrDefault(segments.size(), List.of())) {
            if (!matches(route.segments(), segments)) {
                continue;
            }
            allowed.add(route.method());
            // A route without parameters is more specific: /v1/tasks/cancel is no task of that id.
            boolean meant = route.method().equals(method)
                    || (method.equals("HEAD") && route.method().equals("GET"));
            if (meant && (found == null || !route.path().contains("{"))) {
                found = new Match(route, parameters(route.segments(), segments));
            }
        }
        if (found != null) {
            return found;
        }
        if (!allowed.isEmpty()) {
            throw new Problem(405, "method-not-allowed", "This path allows " + String.join(", ", allowed) + ".")
                    .header("Allow", String.join(", ", allowed));
        }
        throw new Problem(404, "no-such-route", "There is no such path. /v1/openapi.json lists all.");
    }

    private static boolean matches(List<String> template, List<String> segments) {
        for (int i = 0; i < template.size(); i++) {
            if (!isParameter(template.get(i)) && !template.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> parameters(List<String> template, List<String> segments) {
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < template.size(); i++) {
            String name = template.get(i);
            if (isParameter(name)) {
                parameters.put(name.substring(1, name.length() - 1), UrlText.decoded(segments.get(i), false));
            }
        }
        return parameters;
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{");
    }
}
