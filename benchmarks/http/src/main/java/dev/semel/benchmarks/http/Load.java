package dev.semel.benchmarks.http;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Connections that each send the next request as soon as the last one is answered. One thread serves all of them and does as little as
 * possible, because it takes its time from the same cores as the server.
 */
final class Load {

    private static final int FEWEST_LAPS = 5;
    private static final int MOST_LAPS = 12;

    private final Supplier<byte[]> requests;
    private long answered;

    private Load(Supplier<byte[]> requests) {
        this.requests = requests;
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer received = ByteBuffer.allocate(256 << 10);
        private ByteBuffer sending = ByteBuffer.allocate(0);

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /** Sends requests for some time, and returns how many were answered in a second. */
    static double perSecond(int port, int connections, Supplier<byte[]> requests, double seconds) throws IOException {
        Load load = new Load(requests);
        long nanos = load.run(port, connections, System.nanoTime() + (long) (seconds * 1e9), Long.MAX_VALUE);
        return load.answered * 1e9 / nanos;
    }

    /** Sends requests until that does not become faster any more. */
    static void warmUp(int port, int connections, Supplier<byte[]> requests) throws IOException {
        double best = 0;
        for (int lap = 0; lap < MOST_LAPS; lap++) {
            double perSecond = perSecond(port, connections, requests, 3);
            if (lap >= FEWEST_LAPS && perSecond < best * 1.05) {
                return;
            }
            best = Math.max(best, perSecond);
        }
    }

    /** Sends so many requests, and returns how many were answered in a second. */
    static double perSecondOf(int port, int connections, Supplier<byte[]> requests, int count) throws IOException {
        Load load = new Load(requests);
        long nanos = load.run(port, connections, Long.MAX_VALUE, count);
        return load.answered * 1e9 / nanos;
    }

    private long run(int port, int connections, long end, long most) throws IOException {
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < connections; i++) {
                SocketChannel channel =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ, new Connection(channel));
            }
            long begun = System.nanoTime();
            long sent = 0;
            for (SelectionKey key : selector.keys()) {
                if (sent < most) {
                    send(key);
                    sent++;
                }
            }
            long underWay = sent;
            while (underWay > 0) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (!continueOn(key)) {
                        continue;
                    }
                    answered++;
                    if (sent < most && System.nanoTime() < end) {
                        send(key);
                        sent++;
                    } else {
                        underWay--;
                    }
                }
                selector.selectedKeys().clear();
            }
            long nanos = System.nanoTime() - begun;
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            return nanos;
        }
    }

    private void send(SelectionKey key) throws IOException {
        Connection connection = (Connection) key.attachment();
        connection.sending = ByteBuffer.wrap(requests.get());
        write(key, connection);
    }

    private static void write(SelectionKey key, Connection connection) throws IOException {
        connection.channel.write(connection.sending);
        int wanted = connection.sending.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    /** Writes or reads on, and returns whether an answer has arrived completely. */
    private static boolean continueOn(SelectionKey key) throws IOException {
        Connection connection = (Connection) key.attachment();
        if (key.isWritable()) {
            write(key, connection);
            return false;
        }
        if (connection.channel.read(connection.received) < 0) {
            throw new EOFException("A server closed a connection");
        }
        if (!isComplete(connection.received)) {
            return false;
        }
        connection.received.clear();
        return true;
    }

    @SuppressWarnings("ByteBufferBackingArray") // made by Connection, from the beginning of its array
    private static boolean isComplete(ByteBuffer received) {
        byte[] bytes = received.array();
        int size = received.position();
        for (int i = 3; i < size; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n') {
                int length = length(bytes, i);
                if (size > i + 1 + length) {
                    throw new IllegalStateException("Got more than one answer to a request");
                }
                return size == i + 1 + length;
            }
        }
        return false;
    }

    private static int length(byte[] bytes, int end) {
        if (bytes[9] != '2') {
            throw new IllegalStateException(
                    "Expected status 2xx, but got: " + new String(bytes, 0, end, StandardCharsets.US_ASCII));
        }
        String headers = new String(bytes, 0, end, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        int at = headers.indexOf("content-length:");
        if (at < 0) {
            throw new IllegalStateException("Expected the length of the answer, but got: " + headers);
        }
        return Integer.parseInt(
                headers.substring(at + 15, headers.indexOf('\r', at)).strip());
    }
}
