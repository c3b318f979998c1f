package dev.semel.benchmarks.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The versions of all contestants, from the build. */
final class Versions {

    private static final Properties PROPERTIES = read();

    private Versions() {}

    static String of(String name) {
        return Objects.requireNonNull(PROPERTIES.getProperty(name), name);
    }

    private static Properties read() {
        Properties properties = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream("/dev-semel-peers.properties")) {
            properties.load(Objects.requireNonNull(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
