package dev.semel.postgresql.settle;

import dev.semel.postgresql.sql.BinaryCopy;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.table.SharedLeases.Locked;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.table.TaskEnds.Ended;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settles tasks that share a lease: completions, and extensions of all that is left of a lease. Tasks with other settlements
 * are taken out of their lease and left to {@link RunningTaskSettler}, as are tasks that share none.
 */
final class SharedLeaseSettler {

    private static final String COMPLETE = """
            INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, state, worker, result)
            SELECT task, ?, started_at, lane, 1, 'completed', worker, result
            FROM unnest(?, ?, ?, ?, ?) AS m (task, started_at, lane, worker, result)
            """;

    private static final String COPY_COMPLETED = """
            COPY semel.done (task, finished_at, started_at, lane, attempt, state, worker, result) FROM STDIN (FORMAT binary)
            """;

    private static final int COPIED_COLUMNS = 8;

    private record Completion(
            TaskId task, Locked lease, @Nullable String result) {}

    private record Extension(TaskId task, long until) {}

    private final Transaction tx;
    private final SharedLeases leases;
    private final Map<TaskId, Settled> answers = new HashMap<>();
    private final List<Completion> completions = new ArrayList<>();
    private final Map<Locked, List<Extension>> extensions = new LinkedHashMap<>();
    private final List<TaskId> out = new ArrayList<>();

    /**
     * Settles in one transaction.
     *
     * @param leases the shared leases of the settlements, locked
     */
    SharedLeaseSettler(Transaction tx, SharedLeases leases) {
        this.tx = tx;
        this.leases = leases;
    }

    /** Applies the settlements that can be applied to shared leases, and returns their answers. */
    Map<TaskId, Settled> apply(List<Settlement> settlements) throws SQLException {
        for (Settlement settlement : settlements) {
            leases.sharedBy(settlement.lease()).ifPresent(lease -> sort(settlement, lease));
        }
        // In the order of the primary key: rows that are added one behind the other touch fewer pages of its index.
        completions.sort(Comparator.comparing(Completion::task));
        extend();
        leases.takeOut(tx, out);
        complete();
        leases.save(tx);
        return answers;
    }

    private void sort(Settlement settlement, Locked lease) {
        TaskId id = settlement.lease().taskId();
        switch (settlement) {
            case Settlement.Complete complete -> {
                leases.remove(id);
                completions.add(new Completion(id, lease, complete.result()));
                answers.put(id, Settled.APPLIED);
            }
            case Settlement.Extend extend ->
                extensions
                        .computeIfAbsent(lease, key -> new ArrayList<>())
                        .add(new Extension(id, tx.after(extend.duration())));
            case Settlement.Ending ending -> out.add(id);
            case Settlement.Advance advance -> throw new IllegalStateException("An advance is a part of its own");
            case Settlement.Intend intend -> throw new IllegalStateException("An intent takes its task out before");
            case Settlement.Refer refer -> throw new IllegalStateException("A referral takes its task out before");
            case Settlement.Conclude conclude ->
                throw new IllegalStateException("An outcome takes its task out before");
        }
    }

    /** Extends a lease if all of its tasks are extended alike; otherwise takes the extended tasks out. */
    private void extend() {
        extensions.forEach((lease, all) -> {
            long until = all.getFirst().until();
            if (all.size() == lease.open() && all.stream().allMatch(one -> one.until() == until)) {
                lease.extend(until);
                all.forEach(one -> answers.put(one.task(), Settled.APPLIED));
            } else {
                all.forEach(one -> out.add(one.task()));
            }
        });
    }

    private void complete() throws SQLException {
        if (completions.isEmpty()) {
            return;
        }
        if (completions.size() >= BinaryCopy.WORTH
                && BinaryCopy.isPossible(tx.session().connection())) {
            copyCompleted();
        } else {
            insertCompleted();
        }
        TaskEnds.follow(
                tx,
                completions.stream()
                        .map(one -> new Ended(one.task(), one.lease().lane(), TaskState.COMPLETED, false, null, false))
                        .toList());
    }

    private void copyCompleted() throws SQLException {
        BinaryCopy copy = tx.session().copy(COPY_COMPLETED, COPIED_COLUMNS);
        for (Completion one : completions) {
            copy.row()
                    .with(one.task())
                    .with((Long) tx.now())
                    .with((Long) one.lease().startedAt())
                    .with((Integer) one.lease().lane())
                    .with((Integer) SharedLeases.FIRST)
                    .with(TaskState.COMPLETED.word())
                    .with(one.lease().worker())
                    .with(one.result());
        }
        long rows = copy.send();
        if (rows != completions.size()) {
            throw new IllegalStateException(
                    "Expected to add " + completions.size() + " completed tasks, but added " + rows);
        }
    }

    private void insertCompleted() throws SQLException {
        List<@Nullable String> results = new ArrayList<>();
        completions.forEach(one -> results.add(one.result()));
        tx.sql(COMPLETE)
                .with(tx.now())
                .ids(completions.stream().map(Completion::task).toList())
                .longs(completions.stream().map(one -> one.lease().startedAt()).toList())
                .ints(completions.stream().map(one -> one.lease().lane()).toList())
                .texts(completions.stream().map(one -> one.lease().worker()).toList())
                .texts(results)
                .updateExactly(completions.size());
    }
}
