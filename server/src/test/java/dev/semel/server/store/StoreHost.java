package dev.semel.server.store;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.wire.Problem;
import dev.semel.wire.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls of the wire behind a real port, with nothing else around them: no tokens, no schedules, no cleaning. */
final class StoreHost implements AutoCloseable {

    static {
        // Otherwise the system collects small answers for 40 ms. Read once, when the first server is created.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // Longer than a client keeps idle connections, so that no request meets one that is being closed.
        System.setProperty("sun.net.httpserver.idleInterval", "120");
    }

    private final TaskStore store;
    private final HttpServer server;
    private final HintFeeds feeds = new HintFeeds();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger answered = new AtomicInteger();

    private StoreHost(TaskStore store, int port) throws IOException {
        this.store = store;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        List<StoreCall> calls = StoreCalls.all();
        calls.forEach(call -> server.createContext(Protocol.PATH + call.name(), exchange -> answer(exchange, call)));
        server.createContext(Protocol.PATH + Protocol.HINTS, this::hints);
        server.setExecutor(threads);
        server.start();
    }

    static StoreHost on(TaskStore store) {
        return on(store, 0);
    }

    static StoreHost on(TaskStore store, int port) {
        try {
            return new StoreHost(store, port);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    /** How many calls were carried out. */
    int answered() {
        return answered.get();
    }

    private void answer(HttpExchange exchange, StoreCall call) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            try {
                byte[] answer = call.answer(store, body);
                answered.incrementAndGet();
                reply(exchange, 200, Protocol.JSON, answer);
            } catch (InvalidInput e) {
                problem(exchange, 400, "invalid-input", e);
            } catch (StoreUnavailable e) {
                problem(exchange, 503, "store-unavailable", e);
            } catch (RuntimeException e) {
                problem(exchange, 500, "internal-error", e);
            }
        }
    }

    private static void problem(HttpExchange exchange, int status, String name, RuntimeException e) throws IOException {
        Problem problem = new Problem(Problem.TYPES + name, name, status, String.valueOf(e.getMessage()));
        reply(exchange, status, Protocol.PROBLEM, problem.toBytes());
    }

    private static void reply(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set(Protocol.HEADER, Integer.toString(Protocol.VERSION));
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    private void hints(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", Protocol.EVENTS);
            exchange.sendResponseHeaders(200, 0);
            feeds.write(store, exchange.getResponseBody());
        }
    }

    @Override
    public void close() {
        feeds.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
