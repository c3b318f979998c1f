package dev.semel.benchmarks.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A server on one library whose handlers do nothing: a POST reads its body and is answered with as many bytes as a submission, and a
 * GET waits until the server ends. Handlers run on virtual threads; everything else is as the library has it.
 */
final class EmptyServer {

    private static final byte[] ANSWER =
            "{\"task_id\":\"019a9480-7e4c-7b22-b0e2-9a45d2c6a001\",\"created\":true,\"run\":1,\"state\":\"pending\"}"
                    .getBytes(StandardCharsets.UTF_8);
    private static final String TYPE = "application/json";
    private static final int BACKLOG = 1_024;

    private final AtomicInteger waiting = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private final int port;

    private EmptyServer(Library library) throws Exception {
        this.port = switch (library) {
            case HELIDON -> helidon();
            case JETTY -> jetty();
            case JDK -> jdk();
        };
    }

    static EmptyServer on(Library library) throws Exception {
        return new EmptyServer(library);
    }

    int port() {
        return port;
    }

    int waiting() {
        return waiting.get();
    }

    private void awaitEnd() {
        waiting.incrementAndGet();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.decrementAndGet();
        }
    }

    private int helidon() {
        HttpRouting.Builder routing = HttpRouting.builder()
                .post("/v1/tasks", (request, response) -> {
                    byte[] unused = request.content().as(byte[].class);
                    response.status(Status.CREATED_201)
                            .header("Content-Type", TYPE)
                            .send(ANSWER);
                })
                .get("/wait", (request, response) -> {
                    awaitEnd();
                    response.send();
                });
        return WebServer.builder()
                .address(InetAddress.getLoopbackAddress())
                .port(0)
                .routing(routing)
                .build()
                .start()
                .port();
    }

    private int jetty() throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(16, 4);
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        connector.setAcceptQueueSize(BACKLOG);
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                if (request.getMethod().equals("GET")) {
                    // Otherwise it closes what waits for longer than 30 s.
                    request.addIdleTimeoutListener(timeout -> false);
                    awaitEnd();
                } else {
                    ByteBuffer unused = Content.Source.asByteBuffer(request);
                }
                response.setStatus(201);
                response.getHeaders().put("Content-Type", TYPE);
                response.getHeaders().put("Content-Length", ANSWER.length);
                response.write(true, ByteBuffer.wrap(ANSWER), callback);
                return true;
            }
        });
        server.start();
        return connector.getLocalPort();
    }

    private int jdk() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("GET")) {
                awaitEnd();
            } else {
                byte[] unused = exchange.getRequestBody().readAllBytes();
            }
            exchange.getResponseHeaders().add("Content-Type", TYPE);
            exchange.sendResponseHeaders(201, ANSWER.length);
            exchange.getResponseBody().write(ANSWER);
        }
    }
}
