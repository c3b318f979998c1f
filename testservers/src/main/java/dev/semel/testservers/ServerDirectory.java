package dev.semel.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Directories of servers. The name of a directory contains the process id of its JVM. A killed JVM cannot remove its
 * directory, so the next JVM that starts a server of the same kind does.
 */
final class ServerDirectory {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private ServerDirectory() {}

    /** The work on a directory whose JVM has ended, before it is removed. */
    interface OrphanCleanup {
        void to(Path directory) throws IOException;
    }

    /** Creates a directory, and removes those of the same kind whose JVM has ended. */
    static Path create(String kind, OrphanCleanup cleanup) throws IOException {
        removeOrphans(kind, cleanup);
        return Files.createTempDirectory(kind + "-" + ProcessHandle.current().pid() + "-");
    }

    private static void removeOrphans(String kind, OrphanCleanup cleanup) throws IOException {
        Pattern name = Pattern.compile(Pattern.quote(kind) + "-([0-9]{1,18})-[0-9]+");
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, kind + "-*")) {
            for (Path directory : all) {
                Matcher matcher = name.matcher(directory.getFileName().toString());
                if (matcher.matches()
                        && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty()
                        && Files.isWritable(directory)) {
                    cleanup.to(directory);
                    remove(directory);
                }
            }
        }
    }

    /** Removes a directory with its contents. Retries, because a server that is ending may still write. */
    static void remove(Path directory) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (Files.exists(directory)) {
            try {
                Files.walkFileTree(directory, new Removal());
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw new UncheckedIOException(e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    private static final class Removal extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // the file was deleted meanwhile; if not, removing its directory fails
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
