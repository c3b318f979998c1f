package dev.semel.server.http;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens, and what it lets clients do.
 *
 * @param host the address
 * @param port the port; 0 for any free one
 * @param certificate the file of the certificate chain in PEM; null for plain HTTP
 * @param privateKey the file of its private key in PEM (PKCS 8); null for plain HTTP
 * @param maxConnections how many connections may be open; further ones wait to be accepted
 * @param idleTimeout how long a connection may send and receive nothing, outside of a request that waits
 * @param headerTimeout how long the headers of a request may take to arrive, from its first byte
 * @param bodyTimeout how long the body of a request may take to arrive, per started 64 KiB
 * @param grace how long a shutdown waits for requests that were accepted
 */
public record ListenerSettings(
        String host,
        int port,
        @Nullable Path certificate,
        @Nullable Path privateKey,
        int maxConnections,
        Duration idleTimeout,
        Duration headerTimeout,
        Duration bodyTimeout,
        Duration grace) {

    /** The header of a request has at most this many bytes, its first line included. */
    public static final int HEADER_BYTES = 16 << 10;

    /** The bodies that are held in memory at one time have together at most this many bytes, or an eighth of the heap. */
    public static final long BODY_BUDGET = 256L << 20;

    /** Checks that a certificate has its key. */
    public ListenerSettings {
        if ((certificate == null) != (privateKey == null)) {
            throw new dev.semel.task.InvalidInput(
                    "TLS needs the file of a certificate and the file of its private key, but got only one of them.");
        }
    }

    /**
     * Returns the settings for plain HTTP with the usual limits.
     *
     * @param host the address
     * @param port the port; 0 for any free one
     * @return the settings
     */
    public static ListenerSettings plain(String host, int port) {
        return new ListenerSettings(
                host,
                port,
                null,
                null,
                20_000,
                // Longer than clients keep idle connections, so that no request meets one that is just being closed.
                Duration.ofSeconds(75),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30));
    }
}
