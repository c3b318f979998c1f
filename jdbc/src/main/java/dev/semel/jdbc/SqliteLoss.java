package dev.semel.jdbc;

import dev.semel.jdbc.SqliteHintFile.CommitMark;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;

/**
 * Notices at opening that commits are missing from a file: its log was deleted after a crash, or an older copy was put in its
 * place. The file alone looks sound then, so the time of the last commits is also noted beside it.
 */
final class SqliteLoss {

    private SqliteLoss() {}

    static void check(SqliteSession session, SqliteFile file) throws SQLException {
        SqliteHintFile hints = new SqliteHintFile(file.path());
        CommitMark mark;
        try {
            mark = hints.commitMark();
        } catch (IOException e) {
            SqliteReaders.LOG.debug("What was committed last cannot be read in \"{}\"", hints.directory(), e);
            return;
        }
        // Read after the mark: another process may commit at this moment.
        long time = SqliteClock.stored(session);
        if (mark == null || time >= mark.time()) {
            return;
        }
        String missing = "The SQLite file \"" + file.path() + "\" "
                + (time == 0 ? "holds no commit" : "holds no commit after " + Instant.ofEpochMilli(time))
                + ", but the last one was made at " + Instant.ofEpochMilli(mark.time()) + ": commits are missing.";
        if (mark.file() != CommitMark.named(file.health().key())) {
            SqliteReaders.LOG.warn("{} Another file was put in its place since then, and is used as it is.", missing);
            return;
        }
        throw new StoreUnusable(
                missing + " Its \"-wal\" was deleted after a crash, or an older copy was written over it."
                        + " Put the \"-wal\" back if you can. To go on with what the file holds, remove the directory \""
                        + hints.directory() + "\".");
    }
}
