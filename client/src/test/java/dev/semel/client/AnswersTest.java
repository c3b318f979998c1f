package dev.semel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.wire.About;
import dev.semel.wire.Calls;
import dev.semel.wire.Problem;
import dev.semel.wire.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client makes of the answers of servers, of proxies, and of something else at the same address. */
class AnswersTest {

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(int status, String version, byte[] body) {}

    private static final byte[] ABOUT = Calls.ABOUT.answer(new About(Protocol.VERSION, 4));
    private static final String VERSION = Integer.toString(Protocol.VERSION);

    private final AtomicReference<Answer> next = new AtomicReference<>(new Answer(200, VERSION, ABOUT));
    private final AtomicReference<String> authorization = new AtomicReference<>("");
    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            authorization.set(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.getRequestBody().readAllBytes();
            Answer answer = next.get();
            exchange.getResponseHeaders().set(Protocol.HEADER, answer.version());
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpTaskStore open() {
        return HttpTaskStore.open(
                HttpSettings.of("http://127.0.0.1:" + server.getAddress().getPort() + "/prefix/")
                        .withToken("the-token"));
    }

    @ParameterizedTest
    @CsvSource({
        "301, about:blank, StoreUnusable",
        "400, https://semel.dev/problems/invalid-input, InvalidInput",
        "400, https://semel.dev/problems/unsupported-protocol, StoreUnusable",
        "401, https://semel.dev/problems/unauthorized, StoreUnusable",
        "403, https://semel.dev/problems/forbidden, StoreUnusable",
        "404, about:blank, StoreUnusable",
        "413, https://semel.dev/problems/too-large, InvalidInput",
        "429, https://semel.dev/problems/too-many-requests, StoreUnavailable",
        "500, https://semel.dev/problems/internal-error, StoreUnavailable",
        "502, about:blank, StoreUnavailable",
        "503, https://semel.dev/problems/store-unavailable, StoreUnavailable",
        "503, https://semel.dev/problems/store-unusable, StoreUnusable",
        "504, about:blank, StoreUnavailable"
    })
    @DisplayName("The status says whether a repetition helps, and each request is sent once")
    void theStatusSaysWhetherARepetitionHelps(int status, String type, String expected) {
        try (HttpTaskStore store = open()) {
            int before = requests.get();
            next.set(new Answer(status, VERSION, new Problem(type, "Title", status, "The reason.").toBytes()));
            assertThatThrownBy(store::queues)
                    .satisfies(e -> assertThat(e.getClass().getSimpleName()).isEqualTo(expected))
                    .hasMessageContaining("The reason.");
            assertThat(requests.get() - before).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("An answer of something else at this address is not understood")
    void somethingElseAnswers() {
        try (HttpTaskStore store = open()) {
            next.set(new Answer(200, "none", "<html>Welcome</html>".getBytes(StandardCharsets.UTF_8)));
            assertThatThrownBy(store::queues).isInstanceOf(StoreUnusable.class).hasMessageContaining("version");
            next.set(new Answer(200, "2", ABOUT));
            assertThatThrownBy(store::queues).isInstanceOf(StoreUnusable.class).hasMessageContaining("\"2\"");
            next.set(new Answer(200, VERSION, "<html>".getBytes(StandardCharsets.UTF_8)));
            assertThatThrownBy(store::queues).isInstanceOf(StoreUnavailable.class);
            next.set(new Answer(400, VERSION, new byte[0]));
            assertThatThrownBy(store::queues).isInstanceOf(InvalidInput.class).hasMessageContaining("400");
        }
    }

    @Test
    @DisplayName("The token is sent, and no message shows it")
    void theTokenIsSent() {
        try (HttpTaskStore store = open()) {
            assertThat(authorization.get()).isEqualTo("Bearer the-token");
            next.set(new Answer(401, VERSION, new byte[0]));
            assertThatThrownBy(store::queues).hasMessageNotContaining("the-token");
        }
    }

    @Test
    @DisplayName("The server says how many submissions at once are worthwhile; there are no transactions; the server"
            + " maintains the store")
    void capabilities() {
        try (HttpTaskStore store = open()) {
            assertThat(store.concurrentSubmissions()).isEqualTo(4);
            assertThat(store.joining()).isEmpty();
            assertThat(store.transacting()).isEmpty();
            assertThat(store.isMaintained()).isTrue();
        }
    }

    @Test
    @DisplayName("A store does not open if the JDK would repeat requests silently")
    void silentRepetitionsAreRefused() {
        System.setProperty("jdk.httpclient.enableAllMethodRetry", "");
        try {
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreUnusable.class)
                    .hasMessageContaining("jdk.httpclient.enableAllMethodRetry");
        } finally {
            System.clearProperty("jdk.httpclient.enableAllMethodRetry");
        }
    }
}
