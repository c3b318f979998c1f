package dev.semel.server.api;

import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.store.KeyRecord;
import dev.semel.task.Identity;
import java.util.List;

/** Idempotency keys: look up and release. */
final class KeyRoutes {

    private final Backend backend;

    KeyRoutes(Backend backend) {
        this.backend = backend;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/keys", this::get, TokenScope.SUBMIT, TokenScope.READ),
                Route.of("DELETE", "/v1/keys", this::release, TokenScope.ADMIN));
    }

    private Reply get(Request request) {
        Identity identity = Filters.identity(request);
        KeyRecord record = backend.store(request).records(List.of(identity)).get(identity);
        if (record == null) {
            throw unknown();
        }
        return Reply.json(TaskJson.key(record).toString());
    }

    private Reply release(Request request) {
        Identity identity = Filters.identity(request);
        return switch (backend.semel().operations().release(identity)) {
            case RELEASED -> Reply.empty(204);
            case HELD ->
                throw new Problem(409, "key-held", "The task of the key is still open, so the key cannot be released.");
            case FREE -> throw unknown();
        };
    }

    private static Problem unknown() {
        return new Problem(404, "not-found", "There is no record of this key in this scope.");
    }
}
