package dev.semel.server;

import dev.semel.server.http.Route;
import dev.semel.wire.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Makes requests, nearly right ones and wild ones, from a seed. */
final class RequestFuzzer {

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

    private final List<Route> routes;
    private final Random random;

    RequestFuzzer(List<Route> routes, long seed) {
        this.routes = routes;
        this.random = new Random(seed);
    }

    /**
     * A request.
     *
     * @param text what is sent, in ISO 8859-1
     * @param isHead whether its answer has no body
     * @param isLast whether nothing can follow on the same connection, because its length is wrong
     */
    record Fuzzed(String text, boolean isHead, boolean isLast) {

        byte[] bytes() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

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

    Fuzzed next() {
        Route route = one(routes);
        String path = route.path();
        while (path.contains("{")) {
            path = path.replaceFirst("\\{[a-z]+}", one(SEGMENTS));
        }
        if (random.nextInt(4) == 0) {
            path += "?" + one(List.of("limit", "state", "cursor", "wait", "key", "type", "scope")) + "="
                    + one(List.of("0", "1", "-1", "x", "%ff", "unknown", "custom:x", "99999999999"));
        }
        String body = route.path().startsWith(Protocol.PATH) && random.nextBoolean()
                ? "[" + body(0) + "," + body(0) + "]"
                : body(0);
        String method = random.nextInt(10) == 0
                ? one(List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "TRACE", "X"))
                : route.method();
        boolean wrong = random.nextInt(20) == 0;
        String length = wrong
                ? one(List.of("0", "1", "-1", "x", "99999999"))
                : Integer.toString(body.getBytes(StandardCharsets.ISO_8859_1).length);
        String text = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                + (wrong ? "Connection: close\r\n" : "")
                + (random.nextInt(10) == 0 ? "" : "Content-Type: application/json\r\n")
                + (random.nextInt(10) == 0 ? "Idempotency-Key: " + one(List.of("\"", "\"a\"", "b", "")) + "\r\n" : "")
                + (random.nextInt(10) == 0
                        ? one(List.of("Prefer: wait=0", "Semel-Tenant: t", "Content-Encoding: gzip", "Expect: x"))
                                + "\r\n"
                        : "")
                + (random.nextInt(20) == 0 ? "" : Protocol.HEADER + ": " + Protocol.VERSION + "\r\n")
                + "Content-Length: " + length + "\r\n\r\n" + body;
        return new Fuzzed(text, method.equals("HEAD"), wrong);
    }
}
