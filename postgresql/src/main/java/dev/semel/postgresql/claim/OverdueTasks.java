package dev.semel.postgresql.claim;

import dev.semel.postgresql.sql.ErrorTranslator;
import dev.semel.postgresql.submit.DeadLetters;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskEnds.Ended;
import dev.semel.postgresql.table.TaskLocker;
import dev.semel.postgresql.table.TaskReader;
import dev.semel.postgresql.table.TimeLimitRows;
import dev.semel.postgresql.table.TimeLimitRows.Passed;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Task;
import dev.semel.store.TimeLimitDecision;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Ends tasks of which a time limit has passed, or asks them to cancel, in transactions of its own. A task that another transaction has locked is left to the
 * next sweep: a caller's own transaction may stay open for as long as it likes, and must hold up neither claims nor the limits of other tasks.
 */
public final class OverdueTasks {

    // Tasks of one transaction.
    private static final int MOST = 500;

    private OverdueTasks() {}

    /** Ends those that a claim has met, as far as one transaction does and nothing has to be waited for; the sweep ends the rest. */
    static void end(Database database, Collection<TaskId> met) {
        List<TaskId> some = met.stream().limit(MOST).toList();
        try {
            int unused = database.writeOrThrow(tx -> end(tx, TimeLimitRows.passed(tx, some)));
        } catch (SQLException e) {
            if (!ErrorTranslator.isLockTimeout(e)) {
                throw database.translated(e);
            }
        }
    }

    /** Ends all that have passed by now. Of those that pass meanwhile, none is waited for: the next sweep ends them. */
    public static void endAll(Database database) {
        record Page(long now, List<Passed> rows) {}
        Page page = database.write(tx -> new Page(tx.now(), TimeLimitRows.passed(tx, tx.now(), null, MOST)));
        long now = page.now();
        while (!page.rows().isEmpty()) {
            endPart(database, page.rows());
            Passed last = page.rows().getLast();
            page = page.rows().size() < MOST
                    ? new Page(now, List.of())
                    : database.write(tx -> new Page(now, TimeLimitRows.passed(tx, now, last, MOST)));
        }
    }

    /** Halves a part that has waited too long for a lock until the task that waits is alone, and leaves that one out. */
    private static void endPart(Database database, List<Passed> part) {
        try {
            int unused = database.writeOrThrow(tx -> end(tx, part));
        } catch (SQLException e) {
            if (!ErrorTranslator.isLockTimeout(e)) {
                throw database.translated(e);
            }
            if (part.size() > 1) {
                endPart(database, part.subList(0, part.size() / 2));
                endPart(database, part.subList(part.size() / 2, part.size()));
            }
        }
    }

    /** Ends tasks, or asks them to cancel, and returns how many were changed. */
    private static int end(Transaction tx, List<Passed> rows) throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        List<TaskId> passed = rows.stream().map(Passed::task).toList();
        Set<TaskId> locked = TaskLocker.lockFree(tx, passed);
        List<Ended> ended = new ArrayList<>();
        Set<TaskId> left = new HashSet<>();
        SortedMap<TaskId, Long> later = new TreeMap<>();
        Map<TaskId, Task> tasks = new HashMap<>();
        TaskReader.find(tx.session(), tx.names(), passed).forEach(task -> tasks.put(task.id(), task));
        // In one order in all stores, which is that of the dead letters that follow.
        for (TaskId id : passed) {
            Task task = tasks.get(id);
            if (task == null) {
                continue;
            }
            if (task.state().isOpen() && !locked.contains(id)) {
                left.add(id);
                continue;
            }
            switch (TimeLimitDecision.decide(task, tx.nowInstant())) {
                case TimeLimitDecision.Expire(String error) -> ended.add(TaskEnds.expire(tx, id, task.state(), error));
                case TimeLimitDecision.Stop(String error) -> TaskEnds.stop(tx, id, error);
                case TimeLimitDecision.Later(Instant at) -> later.put(id, at.toEpochMilli());
                case TimeLimitDecision.Nothing nothing -> {}
            }
        }
        TaskEnds.follow(tx, ended);
        DeadLetters.submit(tx, ended);
        TimeLimitRows.remove(
                tx,
                rows.stream()
                        .filter(row -> !left.contains(row.task()) && !later.containsKey(row.task()))
                        .toList());
        TimeLimitRows.save(tx, later);
        return rows.size() - left.size();
    }
}
