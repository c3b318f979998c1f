package dev.semel.server.audit;

import dev.semel.server.http.Audit;
import dev.semel.server.http.Problem;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of operators' actions: one JSON object on each line, two lines for each action. Every line is on the disk before the action
 * goes on. A file that has reached its size is renamed to {@code NAME.1}, the older ones move up, and the oldest is deleted, so the
 * files are bounded. A file belongs to one server, which holds a lock beside it.
 */
public final class AuditFile implements Audit, AutoCloseable {

    /** The size at which a new file is begun. */
    public static final int MAX_FILE_BYTES = 16 << 20;

    /** How many older files are kept. */
    public static final int KEPT_FILES = 8;

    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);

    private final Path file;
    private final InstantSource clock;
    private final int maxBytes;
    private final ReentrantLock lock = new ReentrantLock();
    private final FileChannel owned;
    private FileChannel channel;
    private boolean closed;

    private AuditFile(Path file, InstantSource clock, int maxBytes) throws IOException {
        this.file = file;
        this.clock = clock;
        this.maxBytes = maxBytes;
        this.owned = FileChannel.open(
                file.resolveSibling(file.getFileName() + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (!isOwned()) {
                throw new InvalidInput(
                        "Another server writes the audit log \"" + file + "\". Give each server a file of its own.");
            }
            this.channel = append(file);
        } catch (IOException | RuntimeException e) {
            owned.close();
            throw e;
        }
    }

    /**
     * Opens a file, and creates it if there is none.
     *
     * @param file the file
     * @param clock the clock for the times of entries
     * @return the file
     * @throws InvalidInput if it cannot be written, or another server writes it
     */
    public static AuditFile open(Path file, InstantSource clock) {
        return open(file, clock, MAX_FILE_BYTES);
    }

    static AuditFile open(Path file, InstantSource clock, int maxBytes) {
        try {
            return new AuditFile(file.toAbsolutePath(), clock, maxBytes);
        } catch (IOException e) {
            throw new InvalidInput(
                    "The audit log \"" + file + "\" cannot be written: " + Limits.shown(String.valueOf(e.getMessage()))
                            + ". Choose a file in a directory that the server may write to.",
                    e);
        }
    }

    private boolean isOwned() throws IOException {
        try {
            return owned.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // by another server of this process
        }
    }

    private static FileChannel append(Path file) throws IOException {
        // Names of tokens, tasks and keys are not for every user of the machine.
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        FileChannel opened =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        try {
            endHalfLine(file, opened);
        } catch (IOException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /** Ends the line that was being written when the machine lost its power, so that the next one stays readable. */
    private static void endHalfLine(Path file, FileChannel opened) throws IOException {
        long size = opened.size();
        if (size == 0) {
            return;
        }
        ByteBuffer last = ByteBuffer.allocate(1);
        try (FileChannel reading = FileChannel.open(file, StandardOpenOption.READ)) {
            reading.read(last, size - 1);
        }
        if (last.flip().get() != '\n') {
            opened.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    @Override
    public void started(Action action) {
        try {
            write(action, null, "");
        } catch (IOException e) {
            LOG.error("Audit log failed: file={} request_id={}", file, action.request(), e);
            throw new Problem(
                            503,
                            "audit-unavailable",
                            "The audit log cannot be written, so nothing was changed. Check the disk of the server, and"
                                    + " send the request again.")
                    .header("Retry-After", "5");
        }
    }

    @Override
    public void ended(Action action, int status, String details) {
        try {
            write(action, status, details);
        } catch (IOException e) {
            // The action stands, and its start is recorded.
            LOG.error("Audit log failed: file={} request_id={} status={}", file, action.request(), status, e);
        }
    }

    private void write(Action action, @Nullable Integer status, String details) throws IOException {
        Action bounded =
                new Action(action.request(), action.caller(), action.tenant(), action.name(), bounded(action.target()));
        String line = new AuditEntry(clock.instant(), bounded, status, bounded(details)).json() + "\n";
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        lock.lock();
        try {
            if (!channel.isOpen() && !closed) {
                channel = append(file); // closed by a rotation that failed, or by an interrupt
            }
            long before = channel.size();
            if (before > 0 && before + bytes.remaining() > maxBytes) {
                rotate();
                before = 0;
            }
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(false);
            } catch (IOException e) {
                // Half a line would make the next one unreadable too.
                channel.truncate(before);
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    private static String bounded(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    private void rotate() throws IOException {
        channel.close();
        for (int number = KEPT_FILES; number >= 1; number--) {
            Path from = number == 1 ? file : older(file, number - 1);
            if (Files.exists(from)) {
                Files.move(from, older(file, number), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        channel = append(file);
    }

    private static Path older(Path file, int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    /**
     * What was read.
     *
     * @param entries the entries, oldest first
     * @param unreadable how many lines are no entries: those that were being written when the machine lost its power, or that somebody else wrote
     */
    public record Contents(List<AuditEntry> entries, int unreadable) {

        /** Copies. */
        public Contents {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Returns the newest entries of a file and its older ones.
     *
     * @param file the file
     * @param limit how many entries at the most
     * @return the entries
     * @throws InvalidInput if there is no such file, or it cannot be read
     */
    public static Contents read(Path file, int limit) {
        if (!Files.exists(file)) {
            throw new InvalidInput("There is no audit log \"" + file + "\". Name the file that the server writes.");
        }
        ArrayDeque<AuditEntry> newest = new ArrayDeque<>();
        int unreadable = 0;
        for (int number = KEPT_FILES; number >= 0; number--) {
            Path one = number == 0 ? file : older(file, number);
            if (Files.exists(one)) {
                unreadable += read(one, limit, newest);
            }
        }
        return new Contents(new ArrayList<>(newest), unreadable);
    }

    /** Returns how many lines are no entries. */
    private static int read(Path file, int limit, ArrayDeque<AuditEntry> newest) {
        // Not as UTF-8: what is no text is a line that cannot be read, and no reason to show nothing.
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            int unreadable = 0;
            for (String line : (Iterable<String>) lines.filter(line -> !line.isBlank())::iterator) {
                try {
                    newest.add(AuditEntry.parse(
                            new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)));
                } catch (RuntimeException e) {
                    unreadable++;
                }
                if (newest.size() > limit) {
                    newest.remove();
                }
            }
            return unreadable;
        } catch (IOException | UncheckedIOException e) {
            throw new InvalidInput("The audit log \"" + file + "\" cannot be read: " + e.getMessage() + ".", e);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            channel.close();
            owned.close();
        } catch (IOException e) {
            LOG.warn("Audit log failed to close: file={}", file, e);
        } finally {
            lock.unlock();
        }
    }
}
