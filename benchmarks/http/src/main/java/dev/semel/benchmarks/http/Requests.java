package dev.semel.benchmarks.http;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Requests as bytes. */
final class Requests {

    private static final String FILLER = "x".repeat(70);

    private Requests() {}

    /** Submissions with keys that were not used yet. */
    static Supplier<byte[]> keyed(String prefix) {
        int[] next = {0};
        return () -> {
            int number = next[0]++;
            return post(
                    "Idempotency-Key: \"" + prefix + "-" + number + "\"\r\n",
                    "{\"type\":\"noop\",\"queue\":\"bench\",\"input\":" + input(number) + "}");
        };
    }

    /** Batches of submissions with keys, written beforehand. */
    static Supplier<byte[]> batches(String prefix, int batches, int size) {
        byte[][] all = new byte[batches][];
        for (int batch = 0; batch < batches; batch++) {
            StringBuilder body = new StringBuilder("[");
            for (int i = 0; i < size; i++) {
                int number = batch * size + i;
                body.append(i == 0 ? "" : ",")
                        .append("{\"type\":\"noop\",\"queue\":\"bench\",\"key\":\"")
                        .append(prefix)
                        .append('-')
                        .append(number)
                        .append("\",\"input\":")
                        .append(input(number))
                        .append('}');
            }
            all[batch] = post("", body.append(']').toString());
        }
        int[] next = {0};
        return () -> all[next[0]++];
    }

    static String input(int number) {
        return "{\"number\":" + number + ",\"filler\":\"" + FILLER + "\"}";
    }

    private static byte[] post(String headers, String body) {
        return ("POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] get(String path) {
        return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] claim(int number) {
        String body = "{\"queues\":[\"idle\"],\"types\":[\"noop\"],\"worker\":\"w" + number
                + "\",\"limit\":1,\"wait\":\"60s\"}";
        return ("POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
