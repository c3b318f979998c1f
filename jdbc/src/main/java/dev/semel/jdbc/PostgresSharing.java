package dev.semel.jdbc;

import dev.semel.jdbc.PostgresEnds.Ended;
import dev.semel.jdbc.PostgresLeases.LeaseKey;
import dev.semel.jdbc.PostgresLeases.Locked;
import dev.semel.jdbc.PostgresLeases.Position;
import dev.semel.store.Applied;
import dev.semel.store.Transition;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The moves of workers on tasks that share a lease, as far as this process knows where they are: completions, and extensions
 * of all that is left of a lease. Tasks with other moves are taken out. What is not answered here is for
 * {@link PostgresSettling}.
 */
final class PostgresSharing {

    // The number of a first attempt, which is all that shares a lease.
    private static final int FIRST = 1;

    private static final String COLUMNS = "task, finished_at, started_at, lane, attempt, state, worker, result";

    private static final String COMPLETED = "INSERT INTO semel.done (" + COLUMNS + ")"
            + " SELECT task, ?, started_at, lane, 1, 'completed', worker, result"
            + " FROM unnest(?, ?, ?, ?, ?) AS m (task, started_at, lane, worker, result)";

    private static final String COPY = "COPY semel.done (" + COLUMNS + ") FROM STDIN (FORMAT binary)";

    private record Completion(
            TaskId task, Locked lease, @Nullable String result) {}

    private record Extension(TaskId task, int number, long until) {}

    private final PostgresTransaction tx;
    private final Map<TaskId, Position> positions = new HashMap<>();
    private final Map<LeaseKey, Locked> locked = new HashMap<>();
    private final Map<TaskId, Applied> answers = new HashMap<>();
    private final List<Completion> completions = new ArrayList<>();
    private final Map<Locked, List<Extension>> extensions = new LinkedHashMap<>();
    private final Map<TaskId, Locked> out = new LinkedHashMap<>();

    PostgresSharing(PostgresTransaction tx) {
        this.tx = tx;
    }

    /**
     * Locks the leases that the tasks of these moves share.
     *
     * @param searched tasks that may be in a lease although it is not known here
     */
    void lock(List<Transition.ByWorker> moves, Set<TaskId> searched) throws SQLException {
        for (Transition.ByWorker move : moves) {
            Position position = tx.leases().known(move.lease().taskId());
            if (position != null) {
                positions.put(move.lease().taskId(), position);
            }
        }
        if (!searched.isEmpty()) {
            positions.putAll(PostgresLeases.search(tx, searched));
        }
        if (!positions.isEmpty()) {
            locked.putAll(PostgresLeases.lock(
                    tx, positions.values().stream().map(Position::lease).collect(Collectors.toSet())));
        }
    }

    /** Gives rows of their own to the tasks of these moves that share a lease. */
    void takeOut(List<Transition.ByWorker> moves) throws SQLException {
        Map<TaskId, Locked> now = new LinkedHashMap<>();
        for (Transition.ByWorker move : moves) {
            Position position = positions.get(move.lease().taskId());
            if (position == null) {
                continue;
            }
            Locked lease = locked.get(position.lease());
            if (lease != null && lease.has(position.number())) {
                lease.remove(position.number());
                now.put(move.lease().taskId(), lease);
            }
        }
        PostgresLeases.takeOut(tx, now);
    }

    /** Makes the moves that can be made here, and tells how they were answered. */
    Map<TaskId, Applied> apply(List<Transition.ByWorker> moves) throws SQLException {
        for (Transition.ByWorker move : moves) {
            TaskId id = move.lease().taskId();
            Position position = positions.get(id);
            if (position == null) {
                continue;
            }
            Locked lease = locked.get(position.lease());
            if (lease != null && lease.has(position.number()) && move.lease().attempt() == FIRST) {
                note(move, lease, position.number());
            }
            if (!(move instanceof Transition.Extend)) {
                tx.leases().forget(id);
            }
        }
        extend();
        PostgresLeases.takeOut(tx, out);
        complete();
        PostgresLeases.save(tx, locked.values());
        return answers;
    }

    private void note(Transition.ByWorker move, Locked lease, int number) {
        TaskId id = move.lease().taskId();
        switch (move) {
            case Transition.Complete complete -> {
                lease.remove(number);
                completions.add(new Completion(id, lease, complete.result()));
                answers.put(id, Applied.APPLIED);
            }
            case Transition.Extend extend ->
                extensions
                        .computeIfAbsent(lease, key -> new ArrayList<>())
                        .add(new Extension(id, number, tx.after(extend.duration())));
            case Transition.Ending ending -> {
                lease.remove(number);
                out.put(id, lease);
            }
            case Transition.Intend intend -> throw new IllegalStateException("An intent takes its task out before");
            case Transition.Conclude conclude ->
                throw new IllegalStateException("An outcome takes its task out before");
        }
    }

    /** Extends leases as a whole, or takes those out that are extended without the others. */
    private void extend() {
        extensions.forEach((lease, all) -> {
            long until = all.getFirst().until();
            if (all.size() == lease.open() && all.stream().allMatch(one -> one.until() == until)) {
                lease.extend(until);
                all.forEach(one -> answers.put(one.task(), Applied.APPLIED));
            } else {
                all.forEach(one -> {
                    lease.remove(one.number());
                    out.put(one.task(), lease);
                });
            }
        });
    }

    private void complete() throws SQLException {
        if (completions.isEmpty()) {
            return;
        }
        if (completions.size() >= PostgresCopy.WORTH
                && PostgresCopy.isPossible(tx.session().connection())) {
            PostgresCopy copy = tx.session().copy(COPY, 8);
            for (Completion one : completions) {
                copy.row()
                        .with(one.task())
                        .with((Long) tx.now())
                        .with((Long) one.lease().startedAt())
                        .with((Integer) one.lease().lane())
                        .with((Integer) FIRST)
                        .with(TaskState.COMPLETED.word())
                        .with(one.lease().worker())
                        .with(one.result());
            }
            PostgresRecords.checkAdded(copy.send(), completions.size());
        } else {
            int rows = tx.sql(COMPLETED)
                    .with(tx.now())
                    .ids(completions.stream().map(Completion::task).toList())
                    .longs(completions.stream()
                            .map(one -> one.lease().startedAt())
                            .toList())
                    .ints(completions.stream().map(one -> one.lease().lane()).toList())
                    .texts(completions.stream().map(one -> one.lease().worker()).toList())
                    .texts(results())
                    .update();
            PostgresRecords.checkAdded(rows, completions.size());
        }
        PostgresEnds.follow(
                tx,
                completions.stream()
                        .map(one -> new Ended(one.task(), one.lease().lane(), TaskState.COMPLETED, false, null))
                        .toList());
    }

    private List<@Nullable String> results() {
        List<@Nullable String> results = new ArrayList<>();
        completions.forEach(one -> results.add(one.result()));
        return results;
    }
}
