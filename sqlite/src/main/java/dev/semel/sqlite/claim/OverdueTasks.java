package dev.semel.sqlite.claim;

import dev.semel.sqlite.submit.DeadLetters;
import dev.semel.sqlite.table.TaskEnds;
import dev.semel.sqlite.table.TaskMapper;
import dev.semel.sqlite.table.TaskReference;
import dev.semel.sqlite.table.TaskRow;
import dev.semel.sqlite.table.TimeLimitRows;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.AttemptEnd;
import dev.semel.store.TimeLimitDecision;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends tasks for which nothing but time has passed: those that were asked to cancel and whose lease has expired, and those of which a time limit
 * has passed.
 */
public final class OverdueTasks {

    private OverdueTasks() {}

    /**
     * Ends tasks of a lane that were asked to cancel and whose lease has expired.
     *
     * @return how many, at most as many as the limit
     */
    static int endVanished(Transaction tx, Lane lane, int limit) throws SQLException {
        return endVanished(tx, TaskEnds.vanished(tx, lane, limit));
    }

    /** The same for all lanes: in one that no worker claims from, a replaced task would otherwise block its successor for ever. */
    public static int endAllVanished(Transaction tx, int limit) throws SQLException {
        return endVanished(tx, TaskEnds.allVanished(tx, limit));
    }

    private static int endVanished(Transaction tx, List<TaskReference> vanished) throws SQLException {
        if (vanished.isEmpty() || tx.leasesHeld()) {
            return 0;
        }
        // In one order in all stores, which is that of the dead letters that follow.
        List<TaskReference> inOrder = vanished.stream()
                .sorted(Comparator.comparing(TaskReference::id))
                .toList();
        for (TaskReference task : inOrder) {
            AttemptEnd end =
                    AttemptEnd.vanished(true, tx.nowInstant()).ifOverdue(TimeLimitRows.takeError(tx, task.id()));
            DeadLetters.submit(tx, TaskEnds.end(tx, task, end), task.id());
        }
        return vanished.size();
    }

    /**
     * Ends tasks of a lane of which a time limit has passed, or asks them to cancel.
     *
     * @return how many were looked at, at most as many as the limit
     */
    static int end(Transaction tx, Lane lane, int limit) throws SQLException {
        return end(tx, TimeLimitRows.passedInLane(tx, lane.id(), limit));
    }

    /** The same for all lanes. */
    public static int endAll(Transaction tx, int limit) throws SQLException {
        return end(tx, TimeLimitRows.passed(tx, limit));
    }

    private static int end(Transaction tx, List<TaskId> passed) throws SQLException {
        for (TaskId id : passed) {
            pass(tx, id, TaskRow.find(tx, id));
        }
        return passed.size();
    }

    private static void pass(Transaction tx, TaskId id, @Nullable TaskRow task) throws SQLException {
        if (task == null || !task.state().isOpen()) {
            TimeLimitRows.remove(tx, id);
            return;
        }
        switch (TimeLimitDecision.decide(TaskMapper.find(tx, id), tx.nowInstant())) {
            case TimeLimitDecision.Expire(String error) -> {
                TimeLimitRows.remove(tx, id);
                DeadLetters.submit(tx, TaskEnds.expire(tx, task.seq(), id, task.state(), error), id);
            }
            case TimeLimitDecision.Stop(String error) -> {
                TaskEnds.askToCancel(tx, task.seq());
                TimeLimitRows.stop(tx, id, task.lane(), error);
            }
            case TimeLimitDecision.Later(Instant at) -> TimeLimitRows.save(tx, id, task.lane(), at);
            case TimeLimitDecision.Nothing nothing -> TimeLimitRows.remove(tx, id);
        }
    }
}
