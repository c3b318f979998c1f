package dev.semel.postgresql.transaction;

import dev.semel.postgresql.sql.ErrorTranslator;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the parts of a batch, each in a transaction. A task that a caller's open transaction has locked, by replacing it,
 * holds up no other task: a part that waited too long for a lock is halved until that task is alone. Then the others are done,
 * and the whole batch is to be sent again. A part of n items is tried fewer than 2 n times, and each try that fails has waited
 * for the limit of a lock.
 *
 * @param <T> an item
 * @param <A> the answer to an item
 */
public final class BatchHalver<T, A> {

    /** Carries out a part of a batch in a transaction that waits for locks no longer than the limit of the settings. */
    public interface PartWork<T, A> {
        List<A> run(List<T> part) throws SQLException;
    }

    private final Database database;
    private final PartWork<T, A> work;
    private final List<A> answers = new ArrayList<>();
    // The first item that had to be left out, if any had to.
    private @Nullable SQLException leftOut;

    private BatchHalver(Database database, PartWork<T, A> work) {
        this.database = database;
        this.work = work;
    }

    /**
     * Carries out a batch.
     *
     * @throws dev.semel.task.StoreUnavailable if an item was locked by another transaction; all others are done
     */
    public static <T, A> List<A> run(Database database, List<List<T>> parts, PartWork<T, A> work) {
        BatchHalver<T, A> halver = new BatchHalver<>(database, work);
        parts.forEach(halver::runPart);
        if (halver.leftOut != null) {
            throw database.translated(halver.leftOut);
        }
        return halver.answers;
    }

    private void runPart(List<T> part) {
        try {
            answers.addAll(work.run(part));
        } catch (SQLException e) {
            if (!ErrorTranslator.isLockTimeout(e)) {
                throw database.translated(e);
            }
            if (part.size() == 1) {
                leftOut = leftOut == null ? e : leftOut;
                return;
            }
            runPart(part.subList(0, part.size() / 2));
            runPart(part.subList(part.size() / 2, part.size()));
        }
    }
}
