package dev.semel.benchmarks.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** An HTTP library. */
enum Library {
    /** Helidon's web server. */
    HELIDON("Helidon 4.5.0", "/io/helidon/"),
    /** Jetty without servlets. */
    JETTY("Jetty 12.1", "/org/eclipse/jetty/"),
    /** The module jdk.httpserver. */
    JDK("JDK's own", null);

    private final String title;
    private final @org.jspecify.annotations.Nullable String directory;

    Library(String title, @org.jspecify.annotations.Nullable String directory) {
        this.title = title;
        this.directory = directory;
    }

    String title() {
        return title;
    }

    /** Returns the size of its jars, without those that Semel needs anyway. */
    long bytes() {
        String part = directory;
        if (part == null) {
            return 0;
        }
        return Arrays.stream(System.getProperty("java.class.path").split(":"))
                .filter(entry -> entry.contains(part))
                .mapToLong(Library::size)
                .sum();
    }

    private static long size(String file) {
        try {
            return Files.size(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
