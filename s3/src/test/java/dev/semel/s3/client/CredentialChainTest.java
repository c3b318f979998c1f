package dev.semel.s3.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.task.StoreUnusable;
import dev.semel.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each place for credentials, and their order. */
class CredentialChainTest {

    private static final String SECRET = "a-secret-that-nobody-may-see";

    @TempDir
    Path home;

    private final ManualClock clock = new ManualClock();
    private final Map<String, String> environment = new HashMap<>(Map.of("AWS_EC2_METADATA_DISABLED", "true"));
    private final AtomicInteger asked = new AtomicInteger();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> answer(exchange, json("container")));
        server.createContext("/latest/api/token", exchange -> answer(exchange, "a-token"));
        server.createContext(
                "/latest/meta-data/iam/security-credentials/",
                exchange -> answer(
                        exchange,
                        exchange.getRequestURI().getPath().endsWith("/my-role") ? json("instance") : "my-role"));
        server.createContext(
                "/sts",
                exchange -> answer(
                        exchange,
                        "<R xmlns=\"x\"><C><AccessKeyId>web</AccessKeyId><SecretAccessKey>" + SECRET
                                + "</SecretAccessKey><SessionToken>t</SessionToken><Expiration>" + expiry()
                                + "</Expiration></C></R>"));
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange, String text) throws IOException {
        asked.incrementAndGet();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private String expiry() {
        return clock.instant().plus(Duration.ofHours(1)).toString();
    }

    private String json(String key) {
        return "{\"AccessKeyId\":\"" + key + "\",\"SecretAccessKey\":\"" + SECRET + "\",\"Token\":\"a\\/b\","
                + "\"Expiration\":\"" + expiry() + "\"}";
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private CredentialChain chain() {
        return new CredentialChain(new Surroundings(environment, home, clock), null, "us-east-1");
    }

    private void file(String name, String... lines) throws IOException {
        Files.createDirectories(home.resolve(".aws"));
        Files.write(home.resolve(".aws").resolve(name), List.of(lines));
    }

    @Test
    void eachPlaceIsFoundAndTheFirstWins() throws Exception {
        assertThatThrownBy(() -> chain().credentials())
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("AWS_ACCESS_KEY_ID");
        environment.put("AWS_EC2_METADATA_DISABLED", "false");
        environment.put("AWS_EC2_METADATA_SERVICE_ENDPOINT", url(""));
        environment.put("AWS_METADATA_SERVICE_TIMEOUT", "60"); // on a busy machine a second is short
        assertThat(chain().credentials().accessKey()).isEqualTo("instance");
        environment.put("AWS_CONTAINER_CREDENTIALS_FULL_URI", url("/keys"));
        assertThat(chain().credentials().accessKey()).isEqualTo("container");
        assertThat(chain().credentials().sessionToken()).isEqualTo("a/b");
        file(
                "credentials",
                "[other]",
                "aws_access_key_id=no",
                "[default]",
                "# a comment",
                "aws_access_key_id = profile",
                "aws_secret_access_key=" + SECRET);
        assertThat(chain().credentials().accessKey()).isEqualTo("profile");
        file("token", "an-identity");
        environment.put(
                "AWS_WEB_IDENTITY_TOKEN_FILE", home.resolve(".aws/token").toString());
        environment.put("AWS_ROLE_ARN", "arn:aws:iam::1:role/x");
        environment.put("AWS_ENDPOINT_URL_STS", url("/sts"));
        assertThat(chain().credentials().accessKey()).isEqualTo("web");
        environment.put("AWS_ACCESS_KEY_ID", "environment");
        environment.put("AWS_SECRET_ACCESS_KEY", SECRET);
        assertThat(chain().credentials().accessKey()).isEqualTo("environment");
        assertThat(chain().credentials()).hasToString("Credentials[permanent]");
    }

    @Test
    void aNamedProfileIsReadFromBothFilesAndWinsOverTheEnvironment() throws Exception {
        file("config", "[profile mine]", "region = eu-north-1", "s3 =", "  aws_access_key_id = nested");
        file("credentials", "[mine]", "aws_access_key_id=mine", "aws_secret_access_key=" + SECRET);
        environment.put("AWS_ACCESS_KEY_ID", "environment");
        environment.put("AWS_SECRET_ACCESS_KEY", SECRET);
        Surroundings surroundings = new Surroundings(environment, home, clock);
        assertThat(new CredentialChain(surroundings, "mine", "r").credentials().accessKey())
                .isEqualTo("mine");
        assertThat(ProfileFiles.read(surroundings, "mine").property("region")).contains("eu-north-1");
        assertThatThrownBy(() -> new CredentialChain(surroundings, "absent", "r").credentials())
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("\"absent\"");
    }

    @Test
    void temporaryCredentialsAreKeptUntilShortlyBeforeTheyExpire() {
        environment.put("AWS_CONTAINER_CREDENTIALS_FULL_URI", url("/keys"));
        CredentialChain chain = chain();
        chain.credentials();
        clock.advance(Duration.ofMinutes(54));
        chain.credentials();
        assertThat(asked).hasValue(1);
        clock.advance(Duration.ofMinutes(2));
        chain.credentials();
        assertThat(asked).hasValue(2);
        chain.discard();
        chain.credentials();
        assertThat(asked).hasValue(3);
    }

    @Test
    void aContainerWithoutTlsElsewhereIsRefused() {
        environment.put("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.com/keys");
        assertThatThrownBy(() -> chain().credentials()).isInstanceOf(StoreUnusable.class);
    }
}
