package dev.semel.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports for servers that may be started again. */
final class FreePort {

    private FreePort() {}

    /**
     * A port that nobody uses, below the system's own range and not from it: a client's socket could otherwise take the port
     * while the server is dead, and the restart would fail.
     */
    static int next() throws IOException {
        for (int tries = 0; tries < 1_000; tries++) {
            int candidate = 10_000 + (int) (Math.abs(System.nanoTime() / 1_000 + tries * 7_919L) % 20_000);
            try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // taken: the next one
            }
        }
        throw new IOException("No free port between 10,000 and 30,000");
    }
}
