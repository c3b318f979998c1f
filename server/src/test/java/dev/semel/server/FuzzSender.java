package dev.semel.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sends fuzzed requests over one connection, and over a new one whenever the server has closed it. */
final class FuzzSender implements AutoCloseable {

    private final int port;
    private final RequestFuzzer fuzzer;
    private final long seed;
    private final Map<Integer, Integer> counts = new TreeMap<>();
    private @Nullable Socket socket;
    private @Nullable InputStream in;
    private int sent;
    private String before = "";

    FuzzSender(int port, RequestFuzzer fuzzer, long seed) {
        this.port = port;
        this.fuzzer = fuzzer;
        this.seed = seed;
    }

    static Map<Integer, Integer> counts(List<FuzzSender> all) {
        Map<Integer, Integer> sum = new TreeMap<>();
        all.forEach(sender -> sender.counts.forEach((status, count) -> sum.merge(status, count, Integer::sum)));
        return sum;
    }

    void send(int requests) {
        for (int i = 0; i < requests; i++) {
            RequestFuzzer.Fuzzed request = fuzzer.next();
            int status = answer(request);
            counts.merge(status, 1, Integer::sum);
            if (status >= 500) {
                throw new AssertionError("Expected no status of 500 or more, but got " + status + ": seed " + seed
                        + ", request " + sent + ": " + request.text());
            }
            sent++;
            before = status + " " + request.text();
        }
    }

    /** Returns the status of the answer; 0 if the server closed the connection instead. */
    private int answer(RequestFuzzer.Fuzzed request) {
        try {
            Socket open = socket;
            if (open == null) {
                open = new Socket(InetAddress.getLoopbackAddress(), port);
                open.setTcpNoDelay(true);
                open.setSoTimeout(20_000);
                socket = open;
                in = new BufferedInputStream(open.getInputStream());
            }
            open.getOutputStream().write(request.bytes());
            if (request.isLast()) {
                open.shutdownOutput();
            }
            int status = read(request);
            if (request.isLast() || status == 0) {
                close();
            }
            return status;
        } catch (SocketException e) {
            close();
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException("seed " + seed + ", request " + sent + ": " + request.text(), e);
        }
    }

    private int read(RequestFuzzer.Fuzzed request) throws IOException {
        String first = line();
        if (first.isEmpty()) {
            return 0;
        }
        if (!first.startsWith("HTTP/1.1 ")) {
            throw new AssertionError("Expected the line of a status, but got \"" + first + "\": seed " + seed
                    + ", request " + sent + ", " + socket + ", before it: " + before + "\n--- now: " + request.text());
        }
        int status = Integer.parseInt(first.split(" ", 3)[1]);
        int length = -1;
        boolean closes = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            length = lower.startsWith("content-length:")
                    ? Integer.parseInt(lower.substring(15).strip())
                    : length;
            closes |= lower.equals("connection: close");
        }
        // Without a length the answer ends with the connection. The answer to a HEAD that could not be parsed has a
        // body.
        if (closes || length < 0 || request.isHead() || in == null) {
            close();
        } else {
            in.skipNBytes(length);
        }
        return status;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        InputStream from = in;
        int next = from == null ? -1 : from.read();
        while (next >= 0 && next != '\n') {
            if (next != '\r') {
                line.append((char) next);
            }
            next = from.read();
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            socket = null;
            in = null;
        }
    }
}
