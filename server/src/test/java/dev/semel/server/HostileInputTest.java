package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Answer;
import dev.semel.server.http.ListenerSettings;
import dev.semel.store.InMemoryTaskStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hostile input is a problem of status 4xx or a closed connection, never a stack trace, and the server goes on. */
class HostileInputTest {

    private static final String BEGIN =
            "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

    private final ServerFixture http = new ServerFixture(
            SemelServer.on(new InMemoryTaskStore())
                    .listen(new ListenerSettings(
                            "127.0.0.1",
                            0,
                            null,
                            null,
                            200,
                            Duration.ofSeconds(2),
                            Duration.ofMillis(400),
                            Duration.ofMillis(400),
                            Duration.ofSeconds(2)))
                    .start(),
            new InMemoryTaskStore(),
            null);

    @AfterEach
    void close() {
        assertThat(http.get("/health").status()).isEqualTo(200);
        http.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.server.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private String raw(String text) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return answer(socket);
        }
    }

    private static String answer(Socket socket) throws IOException {
        try (InputStream in = socket.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void isRefused(String answer) {
        assertThat(answer)
                .satisfiesAnyOf(
                        text -> assertThat(text).isEmpty(),
                        text -> assertThat(text)
                                .startsWith("HTTP/1.1 4")
                                .doesNotContain("Exception")
                                .doesNotContain("at dev.semel"));
    }

    @Test
    void aBodyIsRefusedAsSoonAsItIsTooLong() throws IOException {
        isRefused(raw(BEGIN + "Content-Length: 99999999999\r\n\r\n{"));
        isRefused(raw(BEGIN + "Content-Length: 99999999999999999999999\r\n\r\n{"));
        Answer answer = http.post("/v1/tasks", "{\"type\":\"t\",\"input\":\"" + "x".repeat(1 << 20) + "\"}");
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.json().number("max_bytes")).contains(1 << 20);
    }

    @Test
    void brokenRequestsAreProblems() throws IOException {
        isRefused(raw("NONSENSE\r\n\r\n"));
        isRefused(raw("GET /v1/tasks/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        isRefused(raw("GET /v1/tasks/%c3%28 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        isRefused(raw("GET /v1/tasks?state=%ff HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        isRefused(raw("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        isRefused(raw("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + "a".repeat(20_000) + "\r\n\r\n"));
        isRefused(raw(BEGIN + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello"));
        isRefused(raw(BEGIN + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"));
        isRefused(raw("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }

    @Test
    void jsonHasLimits() {
        assertThat(http.post("/v1/tasks", "[" + "0,".repeat(1 << 20) + "0]").text("detail"))
                .contains("at most 50000 members and elements");
        String deep = "[".repeat(100_000);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":" + deep).status())
                .isEqualTo(400);
        String nested = "[".repeat(65) + "]".repeat(65);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":" + nested + "}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":{\"a\":1,\"a\":2}}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":\"\\ud800\"}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1e99999999999}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"priority\":1e9}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"priority\":99999999999}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"delay\":\"99999999999999999d\"}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "{\"type\":\"t\",\"input\":1,\"run_at\":\"+999999999-12-31T23:59:59Z\"}")
                        .status())
                .isEqualTo(400);
        assertThat(http.post("/v1/tasks", "[" + "{\"type\":\"t\",\"input\":1},".repeat(1_000) + "{}]")
                        .status())
                .isEqualTo(413);
    }

    @Test
    void clientsThatSendSlowlyAreCutOff() throws IOException {
        try (Socket unfinished = connect();
                Socket header = connect();
                Socket body = connect();
                Socket silent = connect()) {
            body.getOutputStream().write((BEGIN + "Content-Length: 1000\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            unfinished
                    .getOutputStream()
                    .write((BEGIN + "Content-Length: 9\r\n\r\n{").getBytes(StandardCharsets.US_ASCII));
            // One byte now and then, which resets every timeout that only looks at silence.
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(Duration.ofSeconds(15))
                    .until(() -> dripped(header, 'G') && dripped(body, '{'));
            assertThat(answer(unfinished)).startsWith("HTTP/1.1 408 ").contains("too-slow");
            assertThat(silent.getInputStream().read())
                    .as("an idle connection is closed")
                    .isEqualTo(-1);
        }
        Awaitility.await().until(() -> http.server.running() == 0);
    }

    private static boolean dripped(Socket socket, char next) {
        try {
            socket.getOutputStream().write(next);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aClientThatLeavesInTheMiddleCostsNothing() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (Socket socket = connect()) {
                socket.getOutputStream()
                        .write((BEGIN + "Content-Length: 1000\r\n\r\n{\"type\"").getBytes(StandardCharsets.US_ASCII));
            }
        }
        Awaitility.await().until(() -> http.server.running() == 0);
    }
}
