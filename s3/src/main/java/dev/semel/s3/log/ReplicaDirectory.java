package dev.semel.s3.log;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of this process's own for its replica. It is kept between runs, so that the next one only reads what is new. A
 * replica whose process did not end by closing it is discarded: its commits do not wait for the disk.
 */
final class ReplicaDirectory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaDirectory.class);

    private static final String LOCK = "lock";
    private static final String CLEAN = "clean";
    private static final String FILE = "replica.db";

    /** A directory that nobody has opened for this long is deleted: its log may be gone, or its version. */
    static final Duration ABANDONED = Duration.ofDays(30);

    // Processes on one machine that work on one log at the same time.
    private static final int MOST = 256;

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private ReplicaDirectory(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Finds a directory that no other process uses.
     *
     * @param parent where the directories are
     * @param name identifies the log, and the version of the tables
     */
    static ReplicaDirectory open(Path parent, String name) {
        try {
            Files.createDirectories(parent);
            for (int i = 0; i < MOST; i++) {
                ReplicaDirectory directory = tryOpen(parent.resolve(name + "-" + i));
                if (directory != null) {
                    directory.prepare();
                    directory.deleteAbandoned(parent);
                    return directory;
                }
            }
        } catch (IOException e) {
            throw new StoreUnusable("The directory \"" + parent + "\" for replicas cannot be used: " + e.getMessage()
                    + ". Name another one.");
        }
        throw new StoreUnusable("The directory \"" + parent + "\" has " + MOST
                + " replicas that are in use. Name another" + " directory, or close stores that are no longer needed.");
    }

    private static @Nullable ReplicaDirectory tryOpen(Path path) throws IOException {
        Files.createDirectories(path);
        return tryLock(path);
    }

    private static @Nullable ReplicaDirectory tryLock(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new ReplicaDirectory(path, channel, lock);
            }
        } catch (OverlappingFileLockException e) {
            LOG.trace("Replica is used by another store of this process: directory=\"{}\"", path);
        }
        channel.close();
        return null;
    }

    /** Deletes directories that were opened much earlier than this one, by the clock of their file system. */
    private void deleteAbandoned(Path parent) {
        try (Stream<Path> all = Files.list(parent)) {
            Instant limit = opened(path).minus(ABANDONED);
            for (Path each :
                    all.filter(each -> Files.isRegularFile(each.resolve(LOCK))).toList()) {
                if (opened(each).isBefore(limit)) {
                    delete(each);
                }
            }
        } catch (IOException e) {
            // They only take space.
            LOG.debug("Abandoned replicas not deleted: directory=\"{}\"", parent, e);
        }
    }

    private static Instant opened(Path directory) throws IOException {
        return Files.getLastModifiedTime(directory.resolve(LOCK)).toInstant();
    }

    private static void delete(Path path) throws IOException {
        ReplicaDirectory abandoned = tryLock(path);
        if (abandoned != null) {
            try {
                abandoned.discard();
                Files.delete(path.resolve(LOCK));
            } finally {
                abandoned.close();
            }
            Files.delete(path);
        }
    }

    private void prepare() throws IOException {
        // So that the file's time says when the replica was last used.
        channel.write(ByteBuffer.wrap(new byte[] {'1'}), 0);
        if (!Files.deleteIfExists(path.resolve(CLEAN))) {
            discard();
        }
    }

    private void discard() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(path)) {
            files = all.filter(file -> !file.equals(path) && !file.equals(path.resolve(LOCK)))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }

    Path file() {
        return path.resolve(FILE);
    }

    /** Records that the replica was closed and can be used again. */
    void keep() {
        try {
            try (FileChannel database = FileChannel.open(file(), StandardOpenOption.WRITE)) {
                database.force(true);
            }
            try (FileChannel mark =
                    FileChannel.open(path.resolve(CLEAN), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                mark.force(true);
            }
        } catch (IOException e) {
            LOG.debug("Replica is not kept: directory=\"{}\"", path, e);
        }
    }

    @Override
    public void close() {
        try {
            lock.release();
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
