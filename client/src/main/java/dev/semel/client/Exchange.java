package dev.semel.client;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.wire.Problem;
import dev.semel.wire.Protocol;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests and says what became of them. Nothing is ever sent twice. */
final class Exchange implements AutoCloseable {

    /** A property of the JDK that makes its client repeat any request after a connection broke. */
    private static final String REPEATS = "jdk.httpclient.enableAllMethodRetry";

    private final HttpSettings settings;
    private final HttpClient client;
    private final Executor threads =
            task -> Thread.ofVirtual().name("semel-http").start(task);
    private final Semaphore room;
    private final String base;

    Exchange(HttpSettings settings) {
        String repeats = System.getProperty(REPEATS);
        if (repeats != null && (repeats.isEmpty() || repeats.equalsIgnoreCase("true"))) {
            throw new StoreUnusable("The system property \"" + REPEATS + "\" lets the JDK send requests twice without"
                    + " a word, and a batch would be answered by what its own first copy did. Remove the property.");
        }
        this.settings = settings;
        this.room = new Semaphore(settings.connections(), true);
        String url = settings.server().toString();
        this.base = (url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + Protocol.PATH;
        this.client = HttpClient.newBuilder()
                // Of HTTP 2 a client may repeat requests that the server says it did not process; of HTTP 1.1 no POST.
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.connectTimeout())
                .executor(threads)
                .build();
    }

    HttpClient client() {
        return client;
    }

    Executor threads() {
        return threads;
    }

    String server() {
        return settings.server().toString();
    }

    /** Begins a request: its address, its version and its token. */
    HttpRequest.Builder request(String name) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + name))
                .header(Protocol.HEADER, Integer.toString(Protocol.VERSION));
        String token = settings.token();
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    /** Sends a request once, and returns the body of a successful answer. */
    byte[] post(String name, byte[] body) {
        Duration longest = settings.requestTimeout();
        try {
            if (!room.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StoreUnavailable("The request \"" + name + "\" was not sent: " + settings.connections()
                        + " others have been under way for " + longest + ".");
            }
        } catch (InterruptedException e) {
            throw interrupted(name, e);
        }
        try {
            HttpRequest request = request(name)
                    .header("Content-Type", Protocol.JSON)
                    .timeout(longest)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build();
            return answer(name, await(name, client.sendAsync(request, LimitedBody.handler())));
        } finally {
            room.release();
        }
    }

    private HttpResponse<byte[]> await(String name, CompletableFuture<HttpResponse<byte[]>> sent) {
        // The time limit of the request ends with the headers of its answer.
        long longest = settings.requestTimeout().plus(settings.connectTimeout()).toMillis();
        try {
            return sent.get(longest, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw interrupted(name, e);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new StoreUnavailable(server() + " did not answer \"" + name + "\" within " + longest + " ms.", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new StoreUnavailable(
                    server() + " did not answer \"" + name + "\": "
                            + cause.getClass().getSimpleName()
                            + (cause.getMessage() == null ? "" : ": " + Limits.shown(cause.getMessage())) + ".",
                    cause);
        }
    }

    private static StoreUnavailable interrupted(String name, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new StoreUnavailable(
                "The request \"" + name + "\" was interrupted, and it is not known whether it was done.", e);
    }

    private byte[] answer(String name, HttpResponse<byte[]> response) {
        if (response.statusCode() != 200) {
            throw refusal(name, response);
        }
        String version = response.headers().firstValue(Protocol.HEADER).orElse("none");
        if (!version.equals(Integer.toString(Protocol.VERSION))) {
            throw new StoreUnusable("Expected version " + Protocol.VERSION + " of the protocol, but " + server()
                    + " answered with version \"" + Limits.shown(version)
                    + "\". Use a client and a server of the same release, and check the URL.");
        }
        return response.body();
    }

    private SemelException refusal(String name, HttpResponse<byte[]> response) {
        Problem problem = Problem.read(response.body()).orElseGet(() -> new Problem("about:blank", "", 0, ""));
        String reason = problem.detail().isEmpty() ? problem.title() : problem.detail();
        String message = server() + " answered \"" + name + "\" with status " + response.statusCode()
                + (reason.isEmpty() ? "." : ": " + reason);
        return switch (response.statusCode()) {
            case 400, 413, 422 ->
                problem.name().equals("unsupported-protocol")
                        ? new StoreUnusable(message)
                        : new InvalidInput(reason.isEmpty() ? message : reason);
            case 408, 425, 429, 500, 502, 504 -> new StoreUnavailable(message);
            case 503 ->
                problem.name().equals("store-unusable") ? new StoreUnusable(message) : new StoreUnavailable(message);
            // Redirections, a missing scope, a wrong token, a wrong path: another try would not help.
            default -> new StoreUnusable(message);
        };
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
