package dev.semel.postgresql.claim;

import dev.semel.postgresql.sql.Race;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Ends tasks of which a time limit has passed, or asks them to cancel, in transactions of its own: they wait for locks in the order of
 * all operations, which a claim and a sweep must not.
 */
public final class OverdueTasks {

    // Tasks of one transaction.
    private static final int MOST = 500;

    private OverdueTasks() {}

    /** Ends all that are overdue. */
    public static void end(Database database) {
        while (database.write(OverdueTasks::endSome) == MOST) {
            // There may be more.
        }
    }

    /** Ends some of them, and returns how many were looked at. */
    private static int endSome(Transaction tx) throws SQLException {
        List<Passed> rows = TimeLimitRows.passed(tx, MOST);
        if (rows.isEmpty()) {
            return 0;
        }
        List<TaskId> passed = rows.stream().map(Passed::task).toList();
        Set<TaskId> locked = TaskLocker.lock(tx, passed, List.of());
        List<Ended> ended = new ArrayList<>();
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
                throw new Race("a task moved on while its time limit was looked at");
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
                rows.stream().filter(row -> !later.containsKey(row.task())).toList());
        TimeLimitRows.save(tx, later);
        return passed.size();
    }
}
