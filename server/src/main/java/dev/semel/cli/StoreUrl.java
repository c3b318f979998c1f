package dev.semel.cli;

import dev.semel.jdbc.SqliteSettings;
import dev.semel.jdbc.SqliteTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.StoreUnusable;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Where tasks are kept, as {@code --store} names it.
 *
 * @param file the SQLite file
 */
record StoreUrl(Path file) {

    /** A file in the working directory. */
    static final String DEFAULT = "sqlite:semel.db";

    private static final String SQLITE = "sqlite:";

    static StoreUrl parse(String url) {
        if (url.startsWith(SQLITE)) {
            String file = url.substring(SQLITE.length());
            if (file.isBlank()) {
                throw new InvalidInput("A SQLite store names its file, but got \"" + Limits.shown(url)
                        + "\". Write, for example, \"" + DEFAULT + "\".");
            }
            if (file.indexOf('?') >= 0) {
                throw new InvalidInput(
                        "A SQLite store names a file without \"?\", which SQLite takes for options, but got \""
                                + Limits.shown(url) + "\". Choose another name.");
            }
            try {
                return new StoreUrl(Path.of(file));
            } catch (InvalidPathException e) {
                throw new InvalidInput(
                        "A SQLite store names a file that this system can have, but got \"" + Limits.shown(url) + "\" ("
                                + e.getReason() + "). Choose another name.",
                        e);
            }
        }
        int colon = url.indexOf(':');
        // Only the kind is shown: what follows may hold a password.
        throw new InvalidInput(
                colon > 0
                        ? "A store is \"sqlite:FILE\", but got one of the kind \""
                                + Limits.shown(url.substring(0, colon))
                                + "\", which this version does not know. Write, for example, \"" + DEFAULT + "\"."
                        : "A store is \"sqlite:FILE\", but got \"" + Limits.shown(url) + "\". Write \"sqlite:"
                                + Limits.shown(url) + "\" if that is the file.");
    }

    /** Opens the store, and creates it if it is not there. */
    TaskStore open() {
        return SqliteTaskStore.open(file);
    }

    /** Opens a store that must be there: whoever looks for something should not leave an empty file behind. */
    TaskStore openExisting() {
        if (!Files.exists(file)) {
            throw new StoreUnusable("There is no store \"" + this + "\" (file \"" + file.toAbsolutePath()
                    + "\"). Name another with --store or SEMEL_STORE; the first submission creates it.");
        }
        return SqliteTaskStore.open(file, SqliteSettings.standard().withCreate(false));
    }

    @Override
    public String toString() {
        return SQLITE + file;
    }
}
