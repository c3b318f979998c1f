package dev.semel.sqlite.file;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * The permissions of a database file and of the files beside it. SQLite would create a file with the permissions that the
 * process's umask leaves, which usually lets every user of the machine read it. It gives its own files beside a database
 * ({@code -wal}, {@code -shm}) the permissions of the database.
 */
public final class FilePermissions {

    private FilePermissions() {}

    /** Creates an empty file, which SQLite takes for an empty database, unless it is there. */
    static void create(Path file, Set<PosixFilePermission> permissions) {
        if (!isPosix(file)) {
            return; // SQLite creates it
        }
        try {
            createFile(file, permissions);
        } catch (FileAlreadyExistsException e) {
            return; // it keeps what it has
        } catch (IOException e) {
            throw new StoreUnusable(
                    "The SQLite file \"" + file + "\" cannot be created (" + e
                            + "). Give this user the right to write in its directory, or name another file.",
                    e);
        }
    }

    /** Creates the directory of hints and its file for the users that may use the database. */
    public static void createBeside(Path database, Path directory, Path file) throws IOException {
        if (!isPosix(database) || Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            return;
        }
        Set<PosixFilePermission> permissions = ofExisting(database);
        Set<PosixFilePermission> searchable = EnumSet.copyOf(permissions);
        for (PosixFilePermission permission : permissions) {
            switch (permission) {
                case OWNER_READ -> searchable.add(PosixFilePermission.OWNER_EXECUTE);
                case GROUP_READ -> searchable.add(PosixFilePermission.GROUP_EXECUTE);
                case OTHERS_READ -> searchable.add(PosixFilePermission.OTHERS_EXECUTE);
                default -> {
                    // who may not read a directory has no use for searching it
                }
            }
        }
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(searchable));
            // What the umask took away, for a file whose owner wants to share it.
            Files.setPosixFilePermissions(directory, searchable);
            createFile(file, permissions);
        } catch (FileAlreadyExistsException e) {
            return; // another process was faster
        }
    }

    /** Returns the permissions of the database; those of its owner alone if it is gone. */
    private static Set<PosixFilePermission> ofExisting(Path database) throws IOException {
        try {
            return Files.getPosixFilePermissions(database);
        } catch (NoSuchFileException e) {
            return EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        }
    }

    private static void createFile(Path file, Set<PosixFilePermission> permissions) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(permissions));
        Files.setPosixFilePermissions(file, permissions);
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
