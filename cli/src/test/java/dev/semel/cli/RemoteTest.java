package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.semel.store.QueueDepth;
import dev.semel.wire.About;
import dev.semel.wire.Calls;
import dev.semel.wire.Problem;
import dev.semel.wire.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that speak to a server: which one, with which token, and which commands cannot. */
class RemoteTest {

    private static final String TOKEN = "t0ken-of-a-test";

    @TempDir
    Path directory;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;

    /** A server with one call besides {@code about}; all others are forbidden. */
    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String call = exchange.getRequestURI().getPath().substring(Protocol.PATH.length());
            requests.add(call + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] unused = exchange.getRequestBody().readAllBytes();
            int status = 200;
            byte[] body;
            if (call.equals(Calls.ABOUT.name())) {
                body = Calls.ABOUT.answer(new About(Protocol.VERSION, 1));
            } else if (call.equals(Calls.DEPTHS.name())) {
                body = Calls.DEPTHS.answer(Map.of("payments", new QueueDepth(3, 0, 0, 0, 0, null)));
            } else if (call.equals(Calls.ALL_QUEUES.name())) {
                body = Calls.ALL_QUEUES.answer(Map.of());
            } else {
                status = 403;
                body = new Problem(Problem.TYPES + "forbidden", "Forbidden", 403, "The scope is missing.").toBytes();
            }
            exchange.getResponseHeaders().set(Protocol.HEADER, Integer.toString(Protocol.VERSION));
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    @DisplayName("A server is given by an option, by the environment or by the configuration")
    void aServerIsGiven() throws IOException {
        Path config = directory.resolve("semel.toml");
        Files.writeString(config, "server = \"" + url() + "\"\n");
        for (Cli.Ran ran : List.of(
                Cli.bare("", Map.of(), "queue", "list", "--json", "--server", url()),
                Cli.bare("", Map.of(), "queue", "list", "--json", "--store", url()),
                Cli.bare("", Map.of("SEMEL_SERVER", url()), "queue", "list", "--json"),
                Cli.bare("", Map.of(), "queue", "list", "--json", "--config", config.toString()))) {
            assertThat(ran.exits(ExitCode.DONE).out()).contains("payments");
        }
        assertThat(requests).contains("depths null");
    }

    @Test
    @DisplayName("The token is in a file or in the environment, and no output shows it")
    void theTokenIsSent() throws IOException {
        Path file = directory.resolve("token");
        Files.writeString(file, TOKEN + "\n");
        Cli.bare("", Map.of(), "queue", "list", "--server", url(), "--token-file", file.toString())
                .exits(ExitCode.DONE);
        assertThat(requests).allMatch(request -> request.endsWith("Bearer " + TOKEN));
        requests.clear();
        Cli.Ran refused =
                Cli.bare("", Map.of("SEMEL_TOKEN", TOKEN), "task", "list", "--json", "--verbose", "--server", url());
        assertThat(requests).isNotEmpty().allMatch(request -> request.endsWith("Bearer " + TOKEN));
        assertThat(refused.code()).isNotZero();
        assertThat(refused.out() + refused.err())
                .contains("The scope is missing.")
                .doesNotContain(TOKEN);
    }

    @Test
    @DisplayName("A server that is not there is a store that is unavailable")
    void aMissingServerIsUnavailable() {
        server.stop(0);
        Cli.bare("", Map.of(), "task", "list", "--server", url()).exits(ExitCode.STORE_UNAVAILABLE);
    }

    @Test
    @DisplayName("Commands that need the storage itself reject a server")
    void someCommandsNeedTheStorage() {
        for (String command : List.of("migrate", "doctor", "clean", "demo")) {
            Cli.Ran ran = Cli.bare("", Map.of(), command, "--server", url()).exits(ExitCode.BAD_INPUT);
            assertThat(ran.err()).as(command).contains("server");
        }
        assertThat(requests).isEmpty();
    }

    @Test
    @DisplayName("A store and a server, a token without a server, and a server that is none are rejected")
    void contradictionsAreRejected() {
        List<String[]> wrong = new ArrayList<>();
        wrong.add(new String[] {"task", "list", "--server", url(), "--store", "sqlite:x.db"});
        wrong.add(new String[] {"task", "list", "--store", "sqlite:x.db", "--token-file", "token"});
        wrong.add(new String[] {"task", "list", "--server", url(), "--token-file", "/no/such/file"});
        wrong.add(new String[] {"task", "list", "--server", "sqlite:x.db"});
        wrong.add(new String[] {"task", "list", "--server", "https://user:secret@host"});
        wrong.add(new String[] {"task", "list", "--server", ""});
        for (String[] arguments : wrong) {
            Cli.Ran ran = Cli.bare("", Map.of(), arguments).exits(ExitCode.BAD_INPUT);
            assertThat(ran.err()).doesNotContain("secret");
        }
        Cli.bare("", Map.of("SEMEL_SERVER", url(), "SEMEL_STORE", "sqlite:x.db"), "task", "list")
                .exits(ExitCode.BAD_INPUT);
    }
}
