package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random requests, nearly right ones and wild ones: no answer of status 5xx, and the server goes on. Short in the build; {@code -Dfuzz=N}
 * sends N requests, {@code -Dseed=N} replays a seed.
 */
class FuzzTest {

    private static final int REQUESTS = Integer.getInteger("fuzz", 1_500);
    private static final long SEED = Long.getLong("seed", 4_711);

    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1e999",
            "99999999999999999999",
            "\"\"",
            "\"x\"",
            "\" \"",
            "\"30s\"",
            "\"-1s\"",
            "[]",
            "{}",
            "[[[]]]",
            "{\"a\":{\"a\":1}}",
            "\"\\ud800\"",
            "\"\\u0000\"",
            "\"2026-01-01T00:00:00Z\"",
            "\"type\"",
            "[\"q\"]",
            "\"custom:\"",
            "\"never, open=reject\"",
            "\"* * * * *\"",
            "1.5",
            "\"pending\"");
    private static final List<String> MEMBERS = List.of(
            "type",
            "input",
            "queue",
            "key",
            "scope",
            "ttl",
            "reuse",
            "priority",
            "delay",
            "run_at",
            "timeout",
            "max_attempts",
            "queues",
            "types",
            "limit",
            "lease",
            "worker",
            "claim",
            "action",
            "error",
            "result",
            "effect",
            "lineage",
            "window",
            "cron",
            "every",
            "at",
            "zone",
            "overlap",
            "verdict",
            "reason",
            "name",
            "value",
            "states",
            "dry_run",
            "unknown");
    private static final List<String> SEGMENTS = List.of(
            "0190b6a0-0000-7000-8000-000000000000",
            "q",
            "%2F",
            "%00",
            "%zz",
            "..",
            "",
            "a%20b",
            "%C3%A4",
            "0190b6a0.1.2",
            "0190b6a0-0000-7000-8000-000000000000.1.1",
            "x".repeat(300));

    private final Random random = new Random(SEED);

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String body(int depth) {
        StringBuilder body = new StringBuilder("{");
        int members = random.nextInt(5);
        for (int i = 0; i < members; i++) {
            body.append(i == 0 ? "" : ",")
                    .append('"')
                    .append(one(MEMBERS))
                    .append("\":")
                    .append(depth < 3 && random.nextInt(8) == 0 ? body(depth + 1) : one(VALUES));
        }
        String text = body.append('}').toString();
        return switch (random.nextInt(12)) {
            case 0 -> text.substring(0, random.nextInt(text.length()));
            case 1 -> "[" + text + "]";
            case 2 -> text.replace('"', '\'');
            case 3 -> text + (char) random.nextInt(256);
            default -> text;
        };
    }

    private String request(List<Route> routes) {
        Route route = one(routes);
        String path = route.path();
        while (path.contains("{")) {
            path = path.replaceFirst("\\{[a-z]+}", one(SEGMENTS));
        }
        if (random.nextInt(4) == 0) {
            path += "?" + one(List.of("limit", "state", "cursor", "wait", "key", "type", "scope")) + "="
                    + one(List.of("0", "1", "-1", "x", "%ff", "unknown", "custom:x", "99999999999"));
        }
        String body = body(0);
        String method = random.nextInt(10) == 0
                ? one(List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "TRACE", "X"))
                : route.method();
        String length = random.nextInt(20) == 0
                ? one(List.of("0", "1", "-1", "x", "99999999"))
                : Integer.toString(body.getBytes(StandardCharsets.ISO_8859_1).length);
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + (random.nextInt(10) == 0 ? "" : "Content-Type: application/json\r\n")
                + (random.nextInt(10) == 0 ? "Idempotency-Key: " + one(List.of("\"", "\"a\"", "b", "")) + "\r\n" : "")
                + "Content-Length: " + length + "\r\n\r\n" + body;
    }

    @Test
    void noRequestBreaksTheServer() throws IOException {
        try (ServerFixture http = ServerFixture.local()) {
            List<Route> routes = http.server.routes().stream()
                    .filter(route ->
                            !route.path().equals("/v1/events") && !route.path().startsWith("/v1/store"))
                    .toList();
            for (int i = 0; i < REQUESTS; i++) {
                String request = request(routes);
                String status = send(http.server.port(), request);
                assertThat(status)
                        .as("seed " + SEED + ", request " + i + ": " + request)
                        .satisfiesAnyOf(
                                line -> assertThat(line).isEmpty(),
                                line -> assertThat(line).startsWith("HTTP/1.1 2"),
                                line -> assertThat(line).startsWith("HTTP/1.1 4"));
            }
            assertThat(http.get("/ready").status()).isEqualTo(200);
        }
    }

    private static String send(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return answer.lines().findFirst().orElse("");
        } catch (java.net.SocketException e) {
            return "";
        }
    }
}
