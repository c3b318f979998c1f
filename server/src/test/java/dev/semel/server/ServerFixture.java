package dev.semel.server;

import dev.semel.server.http.ListenerSettings;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.token.TokenFile;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.TaskStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A server on a real port, and a client that speaks to it. */
final class ServerFixture implements AutoCloseable {

    final SemelServer server;
    final TaskStore store;
    private final HttpClient client = HttpClient.newHttpClient();
    private final @Nullable TokenFile tokens;

    ServerFixture(SemelServer server, TaskStore store, @Nullable TokenFile tokens) {
        this.server = server;
        this.store = store;
        this.tokens = tokens;
    }

    static ServerFixture local() {
        return on(new InMemoryTaskStore(InstantSource.system()));
    }

    static ServerFixture on(TaskStore store) {
        return new ServerFixture(
                SemelServer.on(store)
                        .listen(ListenerSettings.plain("127.0.0.1", 0))
                        .start(),
                store,
                null);
    }

    static ServerFixture withTokens() {
        try {
            Path file = Files.createTempDirectory("semel-tokens").resolve("tokens.json");
            TokenFile tokens = new TokenFile(file, InstantSource.system());
            tokens.create("first", null, EnumSet.allOf(TokenScope.class), null);
            TaskStore store = new InMemoryTaskStore(InstantSource.system());
            return new ServerFixture(
                    SemelServer.on(store)
                            .listen(ListenerSettings.plain("127.0.0.1", 0))
                            .tokens(file)
                            .start(),
                    store,
                    tokens);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    String token(@Nullable String tenant, TokenScope... scopes) {
        if (tokens == null) {
            throw new IllegalStateException("Expected a server with tokens");
        }
        return tokens.create("test", tenant, Set.of(scopes), null).secret();
    }

    TokenFile tokens() {
        return java.util.Objects.requireNonNull(tokens);
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    /** An answer and what it says. */
    record Answer(int status, Map<String, String> headers, String body) {

        JsonMembers json() {
            return JsonDocument.parse(body).members("answer");
        }

        String text(String member) {
            return json().text(member);
        }

        @Nullable
        String header(String name) {
            return headers.get(name.toLowerCase(java.util.Locale.ROOT));
        }

        String problem() {
            return text("type").replace("https://semel.dev/problems/", "");
        }
    }

    Answer get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    Answer post(String path, String body, String... headers) {
        return send("POST", path, body, headers);
    }

    Answer send(String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(90))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            Map<String, String> all = new HashMap<>();
            response.headers().map().forEach((name, values) -> all.put(name, values.getFirst()));
            return new Answer(response.statusCode(), all, response.body());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
