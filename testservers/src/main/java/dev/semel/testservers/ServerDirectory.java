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
 * Directories of servers. Their names tell whose they are: a JVM that was killed could not remove its own, so the next one
 * that starts a server of the same kind does.
 */
final class ServerDirectory {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private ServerDirectory() {}

    /** What to do with a directory whose owner has gone, before it is removed. */
    interface Farewell {
        void to(Path directory) throws IOException;
    }

    /** Makes a directory, and removes those of the same kind whose JVM is dead. */
    static Path create(String kind, Farewell farewell) throws IOException {
        removeOrphans(kind, farewell);
        return Files.createTempDirectory(kind + "-" + ProcessHandle.current().pid() + "-");
    }

    private static void removeOrphans(String kind, Farewell farewell) throws IOException {
        Pattern name = Pattern.compile(Pattern.quote(kind) + "-([0-9]{1,18})-[0-9]+");
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, kind + "-*")) {
            for (Path directory : all) {
                Matcher matcher = name.matcher(directory.getFileName().toString());
                if (matcher.matches()
                        && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty()
                        && Files.isWritable(directory)) {
                    farewell.to(directory);
                    remove(directory);
                }
            }
        }
    }

    /** Removes a directory with all that is in it. A server that is just ending may still write: then it tries again. */
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
            return FileVisitResult.CONTINUE; // it went by itself; if not, its directory cannot be removed
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
