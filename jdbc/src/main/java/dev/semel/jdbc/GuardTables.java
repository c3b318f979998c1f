package dev.semel.jdbc;

import dev.semel.task.StoreUnusable;

/**
 * The tables of the guard. They are separate from those of tasks and have versions of their own, because a program with a guard
 * need not have tasks. The version is a row in {@code semel_guard_schema}.
 */
public final class GuardTables {

    /** The version of the guard's tables that this program creates. */
    public static final int VERSION = 1;

    private GuardTables() {}

    /**
     * Reads the script that creates the tables.
     *
     * @param beside a class in the package of the script
     * @return its text
     */
    public static String script(Class<?> beside) {
        return SqlScript.read(beside, "guard-V" + VERSION + ".sql");
    }

    /**
     * Refuses tables of a later version, unless they say of themselves that this program can work on them.
     *
     * @param where names the database in the message
     * @param version the version of the tables
     * @param readableFrom the oldest version whose programs can work on them
     * @throws StoreUnusable if this program cannot work on them
     */
    public static void checkReadable(String where, int version, int readableFrom) {
        if (version > VERSION && (version > VERSION + 1 || readableFrom > VERSION)) {
            throw new StoreUnusable("The guard's tables in " + where + " have version " + version
                    + ", but this program knows version " + VERSION
                    + ". Run the version of Semel that created them, or a later one.");
        }
    }
}
