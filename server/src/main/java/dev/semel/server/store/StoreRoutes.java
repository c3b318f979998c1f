package dev.semel.server.store;

import dev.semel.server.http.Problem;
import dev.semel.server.http.Reply;
import dev.semel.server.http.Request;
import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.tenant.Stores;
import dev.semel.store.TaskStore;
import dev.semel.task.Limits;
import dev.semel.wire.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The routes that {@code HttpTaskStore} speaks to: one for each call of the wire, and the stream of hints. */
public final class StoreRoutes implements AutoCloseable {

    private static final String VERSION = Integer.toString(Protocol.VERSION);

    private final Stores stores;
    private final HintFeeds feeds = new HintFeeds();

    /**
     * Creates the routes.
     *
     * @param stores gives each caller the store that it may see
     */
    public StoreRoutes(Stores stores) {
        this.stores = stores;
    }

    /** {@return the routes} */
    public List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        for (StoreCall call : StoreCalls.all()) {
            routes.add(new Route("POST", Protocol.PATH + call.name(), scopes(call), request -> answer(call, request)));
        }
        routes.add(Route.of("GET", Protocol.PATH + Protocol.HINTS, this::hints, TokenScope.values()));
        return List.copyOf(routes);
    }

    private static Set<TokenScope> scopes(StoreCall call) {
        return call.parts().stream()
                .map(part -> switch (part) {
                    case SUBMIT -> TokenScope.SUBMIT;
                    case WORK -> TokenScope.WORK;
                    case READ -> TokenScope.READ;
                    case ADMIN -> TokenScope.ADMIN;
                })
                .collect(Collectors.toSet());
    }

    private Reply answer(StoreCall call, Request request) {
        checkVersion(request);
        TaskStore store = stores.of(request.caller());
        byte[] body = request.body(call.maxBytes());
        if (call.parts().contains(StorePart.ADMIN)) {
            request.audit(OperationText.of(call, body));
        }
        byte[] answer = call.answer(store, body);
        return Reply.bytes(200, Protocol.JSON, answer).header(Protocol.HEADER, VERSION);
    }

    private Reply hints(Request request) {
        checkVersion(request);
        TaskStore store = stores.of(request.caller());
        return Reply.stream(Protocol.EVENTS, out -> feeds.write(store, out)).header(Protocol.HEADER, VERSION);
    }

    private static void checkVersion(Request request) {
        String version = request.header(Protocol.HEADER).orElse("none");
        if (!version.equals(VERSION)) {
            throw new Problem(
                    400,
                    "unsupported-protocol",
                    "This server speaks version " + VERSION + " of the protocol between stores, but got version \""
                            + Limits.shown(version) + "\". Use a client and a server of the same release.");
        }
    }

    /** Ends the streams of hints. */
    @Override
    public void close() {
        feeds.close();
    }
}
