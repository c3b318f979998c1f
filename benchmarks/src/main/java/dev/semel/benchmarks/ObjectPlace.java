package dev.semel.benchmarks;

import dev.semel.s3.S3Settings;
import dev.semel.s3.objects.Listing;
import dev.semel.s3.objects.ObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** A fresh prefix below that of a URL, and a directory for replicas. Closing it deletes both. */
final class ObjectPlace implements AutoCloseable {

    private final String url;
    private final Path directory;

    private ObjectPlace(String url, Path directory) {
        this.url = url;
        this.directory = directory;
    }

    static ObjectPlace below(String url) {
        byte[] random = new byte[6];
        new SecureRandom().nextBytes(random);
        String own = S3Settings.below(url, "bench-" + HexFormat.of().formatHex(random));
        try {
            return new ObjectPlace(own, Files.createTempDirectory("semel-bench-objects"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return url;
    }

    Path directory() {
        return directory;
    }

    ObjectProcess open(Duration delay) {
        return new ObjectProcess(url, directory, delay);
    }

    /** Opens it without a kept replica, as another machine does. */
    ObjectProcess openElsewhere() throws IOException {
        return new ObjectProcess(url, Files.createTempDirectory(directory, "elsewhere"), Duration.ZERO);
    }

    @Override
    public void close() {
        try (ObjectStore objects = S3Settings.of(url).objects()) {
            for (Listing page = list(objects); !page.objects().isEmpty(); page = list(objects)) {
                page.objects().parallelStream().forEach(object -> objects.delete(object.name()));
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Listing list(ObjectStore objects) {
        return objects.list("", "", ObjectStore.MAX_LIST);
    }
}
