package dev.semel.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.GuardStore;
import dev.semel.guard.InProgress;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.StoreUnavailable;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An HTTP handler in docs/how-to/guard.md: a client that repeats a POST gets the first answer again. */
public final class GuardedHttp {

    record Reply(int status, String body) {}

    private final Guard guard;
    private final AtomicInteger payments = new AtomicInteger();

    GuardedHttp(Guard guard) {
        this.guard = guard;
    }

    // snippet: http
    Reply post(String idempotencyKey, String body) {
        try {
            return guard.call(idempotencyKey)
                    .payload(Json.parse(body))
                    .once(Reply.class, token -> new Reply(201, "payment " + payments.incrementAndGet()));
        } catch (InProgress e) {
            return new Reply(409, "in progress, try again in " + e.retryAfter().toSeconds() + " s");
        } catch (GuardConflict e) {
            return new Reply(422, "this Idempotency-Key was used for another request");
        } catch (InvalidInput e) {
            return new Reply(400, "the body is not JSON, or the key is missing or too long");
        } catch (StoreUnavailable e) {
            return new Reply(503, "try again");
        }
    }
    // end

    private void handle(HttpExchange exchange) throws IOException {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Reply reply = post(key == null ? "" : key, body);
        byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(reply.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /**
     * Runs the program on a file.
     *
     * @param arguments the SQLite file; {@code http.db} in the working directory if there is none
     * @throws Exception if the server or the client fails
     */
    public static void main(String[] arguments) throws Exception {
        run(Path.of(arguments.length == 0 ? "http.db" : arguments[0]), System.out);
    }

    static void run(Path file, PrintStream out) throws Exception {
        try (GuardStore store = SqliteGuardStore.open(file);
                Guard guard = Guard.on(store).type("post_payment").build();
                HttpClient client = HttpClient.newHttpClient()) {
            GuardedHttp payments = new GuardedHttp(guard);
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/payments", payments::handle);
            server.start();
            try {
                URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/payments");
                send(client, uri, "k-1", "{\"cents\":100}", out);
                send(client, uri, "k-1", "{\"cents\":100}", out);
                send(client, uri, "k-1", "{\"cents\":200}", out);
                send(client, uri, "k-2", "{broken", out);
                send(client, uri, null, "{\"cents\":100}", out);
            } finally {
                server.stop(0);
            }
        }
    }

    private static void send(HttpClient client, URI uri, @Nullable String key, String body, PrintStream out)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        out.println(response.statusCode() + " " + response.body());
    }
}
