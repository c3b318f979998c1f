package dev.semel.sqlite.hint;

import dev.semel.sqlite.file.DatabaseFile;
import dev.semel.sqlite.hint.HintFile.CommitMark;
import dev.semel.sqlite.sql.Session;
import dev.semel.sqlite.time.FileClock;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check, when a file is opened, that no commits are missing from it: its log may have been deleted after a crash, or an
 * older copy put in its place. The file alone is consistent then, so the time of the last commits is also recorded beside it.
 */
public final class CommitLossCheck {

    private static final Logger LOG = LoggerFactory.getLogger(CommitLossCheck.class);

    private CommitLossCheck() {}

    public static void check(Session session, DatabaseFile file) throws SQLException {
        HintFile hints = new HintFile(file.path());
        CommitMark mark;
        try {
            mark = hints.commitMark();
        } catch (IOException e) {
            LOG.debug("Commit mark cannot be read: directory=\"{}\"", hints.directory(), e);
            return;
        }
        // Read after the mark: another process may commit at this moment.
        long time = FileClock.stored(session);
        if (mark == null || time >= mark.time()) {
            return;
        }
        String missing = "The SQLite file \"" + file.path() + "\" "
                + (time == 0 ? "holds no commit" : "holds no commit after " + Instant.ofEpochMilli(time))
                + ", but the last one was made at " + Instant.ofEpochMilli(mark.time()) + ": commits are missing.";
        if (mark.file() != CommitMark.named(file.health().key())) {
            LOG.warn("Another file was put in the place of the SQLite file, and is used as it is: {}", missing);
            return;
        }
        throw new StoreUnusable(
                missing + " Its \"-wal\" was deleted after a crash, or an older copy was written over it."
                        + " Put the \"-wal\" back if you can. To continue with what the file holds, remove the directory \""
                        + hints.directory() + "\".");
    }
}
