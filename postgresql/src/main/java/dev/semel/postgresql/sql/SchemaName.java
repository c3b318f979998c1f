package dev.semel.postgresql.sql;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.util.Set;
import java.util.regex.Pattern;

/** The name of the schema of Semel's tables: the rules for it, and statements with it in place of the standard name. */
public final class SchemaName {

    /** The name unless it is set otherwise, and the one that statements are written with. */
    public static final String STANDARD = "semel";

    // Unquoted in every statement, so it is a plain lower-case name.
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    // Words that PostgreSQL takes for the name of a schema only in quotation marks.
    private static final Set<String> RESERVED = Set.of("""
            all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
            column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
            current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
            from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like
            limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
            references returning right select session_user similar some symmetric system_user table tablesample then to
            trailing true union unique user using variadic verbose when where window with""".split("\\s+"));

    private SchemaName() {}

    /** Returns the name, if a schema of Semel's tables can have it. */
    public static String checked(String name) {
        if (!NAME.matcher(Limits.notNull("schema name", name)).matches()) {
            throw new InvalidInput("A schema name has 1 to 63 lower-case letters, digits or _ and does not begin with a"
                    + " digit, but got \"" + Limits.shown(name) + "\".");
        }
        if (RESERVED.contains(name) || name.startsWith("pg_") || name.equals("information_schema")) {
            throw new InvalidInput("The schema of Semel's tables has a name of its own, but got \"" + name
                    + "\", which is a word of SQL or belongs to PostgreSQL. Choose another, for example \"" + STANDARD
                    + "_"
                    + name + "\".");
        }
        return name;
    }

    /** Returns SQL that is written for the standard schema as it reads for the schema of this name. */
    public static String inSchema(String sql, String schema) {
        return sql.replace(STANDARD + ".", schema + ".");
    }
}
