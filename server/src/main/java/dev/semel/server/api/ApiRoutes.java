package dev.semel.server.api;

import dev.semel.server.http.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** All routes for people and for programs in any language. */
public final class ApiRoutes {

    private ApiRoutes() {}

    /**
     * Returns the routes.
     *
     * @param backend what they work with
     * @param metrics what returns the metrics in the text format of Prometheus
     * @param limits what returns the limits of a tenant and what it uses, in JSON
     * @return the routes
     */
    public static List<Route> of(Backend backend, Supplier<String> metrics, UnaryOperator<String> limits) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(new SystemRoutes(backend, metrics, limits).routes());
        routes.addAll(new SubmitRoutes(backend).routes());
        routes.addAll(new TaskRoutes(backend).routes());
        routes.addAll(new KeyRoutes(backend).routes());
        routes.addAll(new QueueRoutes(backend).routes());
        routes.addAll(new EffectRoutes(backend).routes());
        routes.addAll(new WorkflowRoutes(backend).routes());
        routes.addAll(new ScheduleRoutes(backend).routes());
        routes.addAll(new ClaimRoutes(backend).routes());
        routes.addAll(new EventRoutes(backend).routes());
        return List.copyOf(routes);
    }
}
