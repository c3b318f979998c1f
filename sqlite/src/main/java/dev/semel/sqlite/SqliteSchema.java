package dev.semel.sqlite;

import dev.semel.sqlite.schema.TaskSchema;

/** The tables of Semel in a SQLite file and their version. A store creates them by itself when it opens a file. */
public final class SqliteSchema {

    /** The version of the schema that this program creates. */
    public static final int VERSION = TaskSchema.VERSION;

    private SqliteSchema() {}

    /**
     * Returns all statements that create the newest schema in an empty file, as they are run.
     *
     * @return SQL with comments
     */
    public static String print() {
        return TaskSchema.print();
    }
}
