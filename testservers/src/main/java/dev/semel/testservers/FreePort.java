package dev.semel.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds ports for servers that may be started again. */
final class FreePort {

    private FreePort() {}

    /**
     * Returns an unused port below the system's ephemeral range. A client's socket could take a port from that range
     * while the server is down, and the restart would fail.
     */
    static int next() throws IOException {
        for (int tries = 0; tries < 1_000; tries++) {
            int candidate = 10_000 + (int) (Math.abs(System.nanoTime() / 1_000 + tries * 7_919L) % 20_000);
            try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // in use: try the next port
            }
        }
        throw new IOException("No free port between 10,000 and 30,000");
    }
}
