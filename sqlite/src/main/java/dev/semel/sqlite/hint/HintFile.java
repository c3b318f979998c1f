package dev.semel.sqlite.hint;

import dev.semel.sqlite.file.FilePermissions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The file by which processes that share a database wake each other: two stamps, which a process overwrites after a commit and
 * the others watch. It also records when a process could last not write its heartbeats because of
 * another connection's lock. It is a hint and never durable; where it is missing or cannot be written, the others find new work
 * when they poll.
 *
 * <p>It has a directory of its own beside the database, because only directories can be watched: in the database's
 * directory every write to its log would wake all processes.
 */
public final class HintFile {

    /** The event that a stamp stands for. */
    public enum Kind {
        /** Tasks may have become due. */
        DUE(0),
        /** Tasks may have ended. */
        ENDED(Long.BYTES);

        private final int offset;

        Kind(int offset) {
            this.offset = offset;
        }
    }

    // Behind the two stamps: when a process could last not write, and so not extend its leases.
    private static final int KEPT_OFFSET = 2 * Long.BYTES;

    // Behind that: the mark of the last commit.
    private static final int MARK_OFFSET = KEPT_OFFSET + Long.BYTES;
    private static final long MARK_CHECK = 0x53656d656c303338L;

    private static final Set<OpenOption> OPEN =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Path database;
    private final Path directory;
    private final Path stamps;
    private final SplittableRandom random = new SplittableRandom();
    private final Map<Kind, Long> seen = new EnumMap<>(Kind.class);
    private final Map<Kind, Long> written = new EnumMap<>(Kind.class);

    public HintFile(Path database) {
        this.database = database;
        directory = database.resolveSibling(database.getFileName() + "-hint");
        stamps = directory.resolve("stamps");
    }

    Path directory() {
        return directory;
    }

    /** Creates the directory, so that it can be watched, and takes the stamps as seen. */
    public synchronized void prepare() throws IOException {
        changed();
    }

    /**
     * Writes a new stamp for each of these kinds.
     *
     * @return the kinds for which another process had written a stamp that was not seen yet
     */
    public synchronized Set<Kind> stamp(Set<Kind> kinds) throws IOException {
        try (FileChannel channel = open()) {
            Set<Kind> others = changed(channel);
            for (Kind kind : kinds) {
                long stamp = random.nextLong();
                written.put(kind, stamp);
                seen.put(kind, stamp);
                channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, stamp), kind.offset);
            }
            return others;
        }
    }

    /** The kinds whose stamp another process has written since the last call. */
    public synchronized Set<Kind> changed() throws IOException {
        try (FileChannel channel = open()) {
            return changed(channel);
        }
    }

    private Set<Kind> changed(FileChannel channel) throws IOException {
        ByteBuffer both = ByteBuffer.allocate(KEPT_OFFSET);
        channel.read(both, 0);
        Set<Kind> changed = EnumSet.noneOf(Kind.class);
        for (Kind kind : Kind.values()) {
            long stamp = both.getLong(kind.offset);
            Long before = seen.put(kind, stamp);
            Long own = written.get(kind);
            if ((before == null || before != stamp) && (own == null || own != stamp)) {
                changed.add(kind);
            }
        }
        return changed;
    }

    /** Records for other processes that this one cannot write, and so its workers cannot extend their leases. */
    void keptAt(long millis) throws IOException {
        try (FileChannel channel = open()) {
            channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, millis), KEPT_OFFSET);
        }
    }

    /** When some process could not write last; 0 if that is not known. */
    long keptAt() throws IOException {
        try (FileChannel channel = open()) {
            ByteBuffer kept = ByteBuffer.allocate(Long.BYTES);
            channel.read(kept, KEPT_OFFSET);
            return kept.getLong(0);
        }
    }

    /**
     * A record outside the database of the last commit to it.
     *
     * @param time the file's time of a commit
     * @param file a hash of the identity of the database file; 0 where the system has none
     */
    public record CommitMark(long time, long file) {

        public static long named(@Nullable Object fileKey) {
            return fileKey == null
                    ? 0
                    : UUID.nameUUIDFromBytes(fileKey.toString().getBytes(StandardCharsets.UTF_8))
                            .getMostSignificantBits();
        }
    }

    public void commitMark(CommitMark mark) throws IOException {
        try (FileChannel channel = open()) {
            channel.write(
                    ByteBuffer.allocate(3 * Long.BYTES)
                            .putLong(0, mark.time())
                            .putLong(Long.BYTES, mark.file())
                            .putLong(2 * Long.BYTES, mark.time() ^ mark.file() ^ MARK_CHECK),
                    MARK_OFFSET);
        }
    }

    /** The newest mark; null if there is none, or it was damaged when the machine stopped. */
    @Nullable
    public CommitMark commitMark() throws IOException {
        if (!Files.exists(stamps)) {
            return null;
        }
        try (FileChannel channel = open()) {
            ByteBuffer mark = ByteBuffer.allocate(3 * Long.BYTES);
            channel.read(mark, MARK_OFFSET);
            long time = mark.getLong(0);
            long file = mark.getLong(Long.BYTES);
            return mark.getLong(2 * Long.BYTES) == (time ^ file ^ MARK_CHECK) ? new CommitMark(time, file) : null;
        }
    }

    /**
     * Opens the file, for a moment only: a file that stays open keeps its directory, and a process that watches
     * it would not notice that both were removed.
     */
    private FileChannel open() throws IOException {
        try {
            return FileChannel.open(stamps, OPEN);
        } catch (NoSuchFileException e) {
            FilePermissions.createBeside(database, directory, stamps);
            return FileChannel.open(stamps, OPEN);
        }
    }
}
