package dev.semel.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is removed with its contents when closed.
 *
 * @param path the path of the directory
 */
record TemporaryDirectory(Path path) implements AutoCloseable {

    private static final int ATTEMPTS = 100;

    /** Creates a directory in the given one, or in the system's directory for temporary files. */
    static TemporaryDirectory in(@Nullable Path parent, String prefix) throws IOException {
        return new TemporaryDirectory(
                parent == null ? Files.createTempDirectory(prefix) : Files.createTempDirectory(parent, prefix));
    }

    @Override
    public void close() throws IOException {
        // A store that is still closing may create a file while the others are being deleted.
        for (int attempt = 1; Files.exists(path); attempt++) {
            try {
                delete();
            } catch (DirectoryNotEmptyException | NoSuchFileException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void delete() throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(path)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }
}
