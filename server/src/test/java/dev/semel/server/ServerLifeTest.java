package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.server.http.TokenScope;
import dev.semel.server.token.TokenFile;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.task.InvalidInput;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting, stopping, TLS, and the life of tokens. */
class ServerLifeTest {

    @TempDir
    Path directory;

    @Test
    void aShutdownLetsWaitingRequestsGo() {
        ServerFixture http = ServerFixture.local();
        CompletableFuture<Answer> claim =
                CompletableFuture.supplyAsync(() -> http.post("/v1/claims", "{\"queues\":[\"q\"],\"wait\":\"60s\"}"));
        String id = http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"queue\":\"other\"}")
                .text("task_id");
        CompletableFuture<Answer> result =
                CompletableFuture.supplyAsync(() -> http.get("/v1/tasks/" + id + "/result?wait=60"));
        Awaitility.await().until(() -> http.server.running() == 2);
        http.server.close();
        assertThat(claim.join().body()).contains("\"tasks\":[]");
        assertThat(result.join().status()).isEqualTo(202);
    }

    @Test
    void anotherAddressThanALoopbackOneNeedsTokens() {
        assertThatThrownBy(() -> SemelServer.on(new InMemoryTaskStore())
                        .listen(ListenerSettings.plain("0.0.0.0", 0))
                        .start())
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("semel token create");
    }

    @Test
    void aTokenIsRefusedOnceItIsRevokedOrExpired() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        Path file = directory.resolve("tokens.json");
        TokenFile tokens = new TokenFile(file, now::get);
        TokenFile.Created first = tokens.create("a", null, Set.of(TokenScope.READ), Duration.ofDays(1));
        TokenFile.Created second = tokens.create("b", "acme", Set.of(TokenScope.READ), null);
        assertThat(file)
                .content()
                .doesNotContain(first.secret())
                .contains(first.token().hash());
        try (ServerFixture http = new ServerFixture(
                SemelServer.on(new InMemoryTaskStore())
                        .listen(ListenerSettings.plain("127.0.0.1", 0))
                        .tokens(file)
                        .clock(now::get)
                        .start(),
                new InMemoryTaskStore(),
                null)) {
            assertThat(whoami(http, first).body()).isEqualTo("{\"name\":\"a\",\"scopes\":[\"read\"]}");
            assertThat(whoami(http, second).text("tenant")).isEqualTo("acme");
            now.set(now.get().plus(Duration.ofDays(1)));
            assertThat(whoami(http, first).status()).isEqualTo(401);
            assertThat(tokens.revoke(second.token().id())).isTrue();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .until(() -> whoami(http, second).status() == 401);
        }
    }

    private static Answer whoami(ServerFixture http, TokenFile.Created token) {
        return http.get("/v1/whoami", "Authorization", "Bearer " + token.secret());
    }

    @Test
    void tlsByCertificateFiles() throws Exception {
        Path keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "semel",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        keys.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            store.load(in, "secret".toCharArray());
        }
        Path certificate = pem("CERTIFICATE", store.getCertificate("semel").getEncoded());
        Path key =
                pem("PRIVATE KEY", store.getKey("semel", "secret".toCharArray()).getEncoded());
        ListenerSettings plain = ListenerSettings.plain("127.0.0.1", 0);
        try (SemelServer server = SemelServer.on(new InMemoryTaskStore())
                        .listen(new ListenerSettings(
                                "127.0.0.1",
                                0,
                                certificate,
                                key,
                                plain.maxConnections(),
                                plain.idleTimeout(),
                                plain.headerTimeout(),
                                plain.bodyTimeout(),
                                plain.grace()))
                        .start();
                HttpClient client =
                        HttpClient.newBuilder().sslContext(trusting(store)).build()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/health"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
        }
    }

    private Path pem(String kind, byte[] bytes) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                directory.resolve(kind.replace(' ', '-') + ".pem"),
                "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    private static SSLContext trusting(KeyStore store) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore only = KeyStore.getInstance("PKCS12");
        only.load(null, null);
        only.setCertificateEntry("semel", store.getCertificate("semel"));
        trust.init(only);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
