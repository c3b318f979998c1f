package dev.semel.sqlite.sql;

import dev.semel.task.SemelException;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** The translation of SQLite's errors into exceptions that say what to do: retry, or fix the set-up. By codes, never by texts. */
public final class ErrorTranslator {

    private ErrorTranslator() {}

    /** The code without its refinement: SQLITE_IOERR for SQLITE_IOERR_FSYNC. */
    public static int primary(SQLException e) {
        return e.getErrorCode() & 0xff;
    }

    public static SemelException translated(Path file, SQLException e) {
        String which = "The SQLite file \"" + file + "\" ";
        SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(primary(e));
        return switch (code) {
            case SQLITE_BUSY, SQLITE_LOCKED ->
                new StoreUnavailable(
                        which
                                + "is locked: another program keeps a transaction open on it. Try again, and find that"
                                + " program if it lasts.",
                        e);
            case SQLITE_FULL ->
                new StoreUnavailable(
                        which
                                + "cannot grow: the disk is full. Free some space and send the same requests again; what was"
                                + " stored already is recognised, and nothing needs a restart.",
                        e);
            case SQLITE_IOERR, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_PROTOCOL, SQLITE_ABORT ->
                new StoreUnavailable(
                        which + "could not be read or written (" + refined(e).name()
                                + "). Try again, and check the disk and the system's log if it lasts.",
                        e);
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
                new StoreUnusable(
                        which + "can be read but not written (" + refined(e).name()
                                + "). Give this user the right to write the"
                                + " file and its directory, and check whether the disk is mounted read-only.",
                        e);
            case SQLITE_CANTOPEN ->
                new StoreUnusable(
                        which + "cannot be opened (" + refined(e).name()
                                + "). Check that its directory exists and that this user may write in it.",
                        e);
            case SQLITE_NOTADB ->
                new StoreUnusable(
                        which + "is no SQLite database. Name another file, or move this one away to begin with an empty"
                                + " store.",
                        e);
            case SQLITE_CORRUPT ->
                new StoreUnusable(
                        which
                                + "is damaged. Stop all programs that use it, copy it with its \"-wal\" file, and restore a"
                                + " backup or try \"sqlite3 FILE .recover\".",
                        e);
            default ->
                new StoreUnusable(
                        which + "answered with " + refined(e).name() + ": " + e.getMessage()
                                + ". Its tables are not those that this version of Semel created; restore them.",
                        e);
        };
    }

    /** Whether another connection holds a lock. */
    public static boolean isBusy(SQLException e) {
        int code = primary(e);
        return code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code;
    }

    /** Whether an error of a handler's statement comes from the file, the disk or a lock, and not from the statement. */
    public static boolean isOfFile(SQLException e) {
        return switch (SQLiteErrorCode.getErrorCode(primary(e))) {
            case SQLITE_BUSY,
                    SQLITE_LOCKED,
                    SQLITE_FULL,
                    SQLITE_IOERR,
                    SQLITE_NOMEM,
                    SQLITE_INTERRUPT,
                    SQLITE_PROTOCOL,
                    SQLITE_READONLY,
                    SQLITE_PERM,
                    SQLITE_CANTOPEN,
                    SQLITE_NOTADB,
                    SQLITE_CORRUPT -> true;
            default -> false;
        };
    }

    /** The code with its refinement: SQLITE_IOERR_FSYNC. */
    public static SQLiteErrorCode refined(SQLException e) {
        return e instanceof SQLiteException sqlite
                ? sqlite.getResultCode()
                : SQLiteErrorCode.getErrorCode(e.getErrorCode());
    }
}
