package dev.semel.jdbc;

import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The tables of the guard: apart from those of tasks, because who has a guard need not have tasks, with versions of their
 * own. The version is a row in {@code semel_guard_schema}.
 */
final class GuardScript {

    /** The version of the guard's tables that this program makes. */
    static final int VERSION = 1;

    private GuardScript() {}

    static String read(String database) {
        String name = database + "/guard-V" + VERSION + ".sql";
        try (InputStream in = GuardScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The program is incomplete: \"" + name + "\" is missing from its jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses tables of a later version, unless they say of themselves that this program can work on them. */
    static void checkReadable(String where, int version, int readableFrom) {
        if (version > VERSION && (version > VERSION + 1 || readableFrom > VERSION)) {
            throw new StoreUnusable("The guard's tables in " + where + " have version " + version
                    + ", but this program knows version " + VERSION
                    + ". Run the version of Semel that made them, or a later one.");
        }
    }
}
