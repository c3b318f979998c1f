package dev.semel.benchmarks.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Connections that are opened and then left alone. */
final class Connections implements AutoCloseable {

    private final List<SocketChannel> channels = new ArrayList<>();

    /** Opens so many connections and sends on each of them one request. */
    static Connections open(int port, int count, IntFunction<byte[]> requests) throws IOException {
        Connections connections = new Connections();
        try {
            for (int i = 0; i < count; i++) {
                SocketChannel channel =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                connections.channels.add(channel);
                ByteBuffer request = ByteBuffer.wrap(requests.apply(i));
                while (request.hasRemaining()) {
                    channel.write(request);
                }
            }
            return connections;
        } catch (IOException | RuntimeException e) {
            connections.close();
            throw e;
        }
    }

    /** Sends a byte on each connection that is still open, and returns how many those are. */
    int drip(byte value) throws IOException {
        int open = 0;
        for (SocketChannel channel : channels) {
            if (channel.isOpen() && send(channel, value)) {
                open++;
            }
        }
        return open;
    }

    private static boolean send(SocketChannel channel, byte value) throws IOException {
        try {
            channel.configureBlocking(false);
            ByteBuffer answer = ByteBuffer.allocate(4_096);
            // Whatever the server answers here, a timeout or an end, it has given up on the request.
            if (channel.read(answer) != 0) {
                channel.close();
                return false;
            }
            channel.write(ByteBuffer.wrap(new byte[] {value}));
            return true;
        } catch (IOException e) {
            channel.close();
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
