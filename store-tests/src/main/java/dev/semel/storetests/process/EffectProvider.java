package dev.semel.storetests.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A provider that honours tokens, in the process of the test: it outlives the processes that call it. A call with a token that
 * it knows is answered as the first time and charges nothing.
 */
final class EffectProvider implements AutoCloseable {

    private static final String NOTHING = "nothing";

    private final ServerSocket socket;
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();
    private final Map<String, String> receipts = new ConcurrentHashMap<>();

    EffectProvider() throws IOException {
        socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("provider").start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** How often a token was sent to be charged. */
    int calls(String token) {
        return calls.getOrDefault(token, 0);
    }

    /** The receipt of a token that was charged. */
    Optional<String> receipt(String token) {
        return Optional.ofNullable(receipts.get(token));
    }

    private void accept() {
        while (!socket.isClosed()) {
            try (Socket caller = socket.accept();
                    BufferedReader in = reader(caller);
                    PrintWriter out = writer(caller)) {
                String[] words = in.readLine().split(" ", 2);
                out.println(words[0].equals("charge") ? charge(words[1]) : receipts.getOrDefault(words[1], NOTHING));
            } catch (IOException e) {
                // A caller that was killed, or the end of the test.
            }
        }
    }

    private String charge(String token) {
        calls.merge(token, 1, Integer::sum);
        return receipts.computeIfAbsent(token, fresh -> "receipt-" + (receipts.size() + 1));
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static PrintWriter writer(Socket socket) throws IOException {
        return new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The way to a provider from any process. */
    record Client(int port) {

        /** Charges, once for each token; gives the receipt. */
        String charge(String token) {
            return asked("charge " + token);
        }

        /** The receipt of a token, if it was charged. */
        Optional<String> find(String token) {
            String answer = asked("find " + token);
            return answer.equals(NOTHING) ? Optional.empty() : Optional.of(answer);
        }

        private String asked(String line) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    PrintWriter out = writer(socket);
                    BufferedReader in = reader(socket)) {
                out.println(line);
                return in.readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
