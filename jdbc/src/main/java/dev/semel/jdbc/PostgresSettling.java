package dev.semel.jdbc;

import dev.semel.jdbc.PostgresEnds.Ended;
import dev.semel.store.Applied;
import dev.semel.store.Attempt.Outcome;
import dev.semel.store.DeadLetter;
import dev.semel.store.Task;
import dev.semel.store.Transition;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The moves of workers, many with one statement: an end deletes the row of the running task, and that is its fence, because
 * the row has the number of the attempt and only one can delete it. What finds no row is compared with what was kept.
 */
final class PostgresSettling {

    // The error of a failure counts, whatever becomes of the task; a task that was asked to cancel is not pending
    // again.
    private static final String END = """
            WITH gone AS (
              DELETE FROM semel.running r USING unnest(?, ?, ?, ?, ?, ?) AS m (task, attempt, outcome, due_at, error, result)
              WHERE r.task = ANY (ARRAY[m.task]) AND r.attempt = m.attempt
              RETURNING r.task, r.seq, r.order_at, r.started_at, r.lane, r.attempt, r.failures, r.vanished, r.priority, r.asked,
                r.worker, r.mutex, m.outcome, m.due_at, m.error, m.result
            ), step AS (
              SELECT *, failures + CASE WHEN outcome IN ('retried', 'failed', 'timed_out') THEN 1 ELSE 0 END AS failed,
                CASE WHEN outcome = 'completed' THEN 'completed' WHEN asked OR outcome = 'cancelled' THEN 'cancelled'
                  WHEN outcome IN ('failed', 'timed_out') THEN outcome END AS state
              FROM gone
            ), ended AS (
              INSERT INTO semel.done (task, finished_at, started_at, lane, attempt, failures, vanished, asked, bare, state,
                outcome, worker, error, result)
              SELECT task, ?, started_at, lane, attempt, failed, vanished, asked, false, state, outcome, worker, error, result
              FROM step WHERE state IS NOT NULL
            ), kept AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker, error)
              SELECT task, attempt, started_at, ?, outcome, worker, error FROM step WHERE state IS NULL
            ), back AS (
              INSERT INTO semel.ready (task, seq, order_at, lane, attempt, failures, vanished, priority, suspect, mutex)
              SELECT task, seq, due_at - priority * 60000::bigint, lane, attempt, failed, vanished, priority, vanished > 0,
                mutex
              FROM step WHERE state IS NULL AND due_at IS NOT NULL
            ), parked AS (
              INSERT INTO semel.waiting (task, seq, order_at, lane, attempt, failures, vanished, priority)
              SELECT task, seq, order_at, lane, attempt, failed, vanished, priority
              FROM step WHERE state IS NULL AND due_at IS NULL
            )
            SELECT task, lane, state, asked, mutex FROM step
            """;

    private static final String EXTEND = """
            UPDATE semel.running r SET order_at = m.lease_end - r.priority * 60000::bigint
            FROM unnest(?, ?, ?) AS m (task, attempt, lease_end)
            WHERE r.task = ANY (ARRAY[m.task]) AND r.attempt = m.attempt
            RETURNING r.task, r.asked
            """;

    // How the attempt ended, if it did.
    private static final String OUTCOMES = """
            SELECT m.task, CASE WHEN d.attempt = m.attempt AND d.worker IS NOT NULL THEN coalesce(d.outcome, d.state) ELSE a.outcome END
            FROM unnest(?, ?) AS m (task, attempt)
            CROSS JOIN LATERAL (SELECT x.id FROM semel.task x WHERE x.id = m.task LIMIT 1) t
            LEFT JOIN LATERAL (
              SELECT x.attempt, x.worker, x.outcome, x.state FROM semel.done x WHERE x.task = m.task LIMIT 1) d ON true
            LEFT JOIN LATERAL (
              SELECT x.outcome FROM semel.attempt x WHERE x.task = m.task AND x.number = m.attempt LIMIT 1) a ON true
            """;

    private final PostgresTransaction tx;
    private final PostgresSharing sharing;
    private final Set<TaskId> searched;

    /**
     * For one transaction.
     *
     * @param sharing has locked the leases that are known
     * @param searched the tasks for which it has searched
     */
    PostgresSettling(PostgresTransaction tx, PostgresSharing sharing, Set<TaskId> searched) {
        this.tx = tx;
        this.sharing = sharing;
        this.searched = searched;
    }

    /** Makes moves of different tasks. */
    List<Applied> apply(List<Transition.ByWorker> moves) throws SQLException {
        // Sorted, as locks are taken.
        List<Transition.ByWorker> sorted = new ArrayList<>(moves);
        sorted.sort(Comparator.comparing(move -> move.lease().taskId()));
        Map<TaskId, Applied> answers = sharing.apply(sorted);
        apply(sorted, moves, answers);
        List<Transition.ByWorker> open = open(sorted, answers);
        if (!searched.containsAll(ids(open))) {
            // Claimed by another process, perhaps. Leases are locked before rows of running tasks, so the search comes
            // first.
            searched.addAll(ids(open));
            throw new PostgresFailures.Race("it is not known which leases some tasks share");
        }
        compare(open, answers);
        return moves.stream()
                .map(move -> Objects.requireNonNull(answers.get(move.lease().taskId())))
                .toList();
    }

    /** Those that are not answered yet. */
    private static List<Transition.ByWorker> open(List<Transition.ByWorker> moves, Map<TaskId, Applied> answers) {
        return moves.stream()
                .filter(move -> !answers.containsKey(move.lease().taskId()))
                .toList();
    }

    private void apply(
            List<Transition.ByWorker> sorted, List<Transition.ByWorker> inOrder, Map<TaskId, Applied> answers)
            throws SQLException {
        List<Transition.Extend> extensions = new ArrayList<>();
        List<Transition.Ending> ends = new ArrayList<>();
        for (Transition.ByWorker move : open(sorted, answers)) {
            switch (move) {
                case Transition.Extend extend -> extensions.add(extend);
                case Transition.Ending ending -> ends.add(ending);
                case Transition.Intend intend -> throw new IllegalStateException("An intent ends nothing");
                case Transition.Conclude conclude -> throw new IllegalStateException("An outcome ends nothing");
            }
        }
        extend(extensions, answers);
        end(ends, inOrder, answers);
    }

    private void extend(List<Transition.Extend> moves, Map<TaskId, Applied> answers) throws SQLException {
        if (moves.isEmpty()) {
            return;
        }
        List<Long> ends = new ArrayList<>();
        moves.forEach(move -> ends.add(tx.after(move.duration())));
        tx.sql(EXTEND).ids(ids(moves)).ints(attempts(moves)).longs(ends).list(row -> {
            TaskId id = PostgresStatement.id(row, 1);
            tx.lockedRunning(id);
            return answers.put(id, row.getBoolean(2) ? Applied.CANCEL_REQUESTED : Applied.APPLIED);
        });
    }

    private void end(List<Transition.Ending> moves, List<Transition.ByWorker> inOrder, Map<TaskId, Applied> answers)
            throws SQLException {
        if (moves.isEmpty()) {
            return;
        }
        List<String> outcomes = new ArrayList<>();
        List<@Nullable Long> dueAt = new ArrayList<>();
        List<@Nullable String> errors = new ArrayList<>();
        List<@Nullable String> results = new ArrayList<>();
        Set<TaskId> parked = new PostgresEffects(tx, searched)
                .park(moves.stream()
                        .filter(Transition.Park.class::isInstance)
                        .map(Transition.Park.class::cast)
                        .toList());
        for (Transition.Ending move : moves) {
            outcomes.add(move.outcome().word());
            switch (move) {
                case Transition.Complete complete -> add(dueAt, null, errors, null, results, complete.result());
                case Transition.Park park ->
                    add(
                            dueAt,
                            parked.contains(park.lease().taskId()) ? null : tx.now(),
                            errors,
                            park.reason(),
                            results,
                            null);
                case Transition.Retry retry ->
                    add(dueAt, tx.after(retry.delay()), errors, retry.error(), results, null);
                case Transition.Fail fail -> add(dueAt, null, errors, fail.error(), results, null);
                case Transition.PutBack putBack -> add(dueAt, tx.after(putBack.delay()), errors, null, results, null);
                case Transition.Cancelled cancelled -> add(dueAt, null, errors, null, results, null);
            }
        }
        Map<TaskId, Ended> ended = new HashMap<>();
        tx.sql(END)
                .ids(ids(moves))
                .ints(attempts(moves))
                .texts(outcomes)
                .longs(dueAt)
                .texts(errors)
                .texts(results)
                .with(tx.now())
                .with(tx.now())
                .list(row -> {
                    TaskId id = PostgresStatement.id(row, 1);
                    tx.lockedRunning(id);
                    String state = row.getString(3);
                    return ended.put(
                            id,
                            new Ended(
                                    id,
                                    row.getInt(2),
                                    state == null ? null : TaskState.parse(state),
                                    row.getBoolean(4),
                                    row.getString(5)));
                });
        ended.keySet().forEach(id -> answers.put(id, Applied.APPLIED));
        List<Ended> follow = new ArrayList<>();
        for (Transition.ByWorker move : inOrder) {
            Ended end = ended.get(move.lease().taskId());
            if (end != null) {
                follow.add(end);
            }
        }
        PostgresEnds.follow(tx, follow);
        tellDeadLetterQueues(tx, follow);
    }

    private static void add(
            List<@Nullable Long> dueAt,
            @Nullable Long due,
            List<@Nullable String> errors,
            @Nullable String error,
            List<@Nullable String> results,
            @Nullable String result) {
        dueAt.add(due);
        errors.add(PostgresTasks.storable(error));
        results.add(result);
    }

    static void tellDeadLetterQueues(PostgresTransaction tx, List<Ended> all) throws SQLException {
        if (tx.queues().isEmpty()) {
            return;
        }
        for (Ended end : all) {
            TaskState state = end.state();
            String queue = tx.queues().of(tx.lane(end.lane()).queue()).deadLettersTo();
            if (state != null && state.isDead() && queue != null) {
                Task dead = PostgresTasks.find(tx.session(), tx.names(), List.of(end.id()))
                        .getFirst();
                new PostgresSubmissions(tx.unordered(), PostgresFindings.expectingRepeats())
                        .submit(List.of(tx.asked(DeadLetter.of(dead, queue, tx.nowInstant()))));
            }
        }
    }

    /** Moves that found no lease of theirs: sent before, too late, or of no task that is there. */
    private void compare(List<Transition.ByWorker> open, Map<TaskId, Applied> answers) throws SQLException {
        if (open.isEmpty()) {
            return;
        }
        Map<TaskId, List<Outcome>> kept = new HashMap<>();
        tx.sql(OUTCOMES).ids(ids(open)).ints(attempts(open)).list(row -> {
            String outcome = row.getString(2);
            return kept.put(PostgresStatement.id(row, 1), outcome == null ? List.of() : List.of(outcome(outcome)));
        });
        for (Transition.ByWorker move : open) {
            TaskId id = move.lease().taskId();
            List<Outcome> outcome = kept.get(id);
            boolean same =
                    outcome != null && move instanceof Transition.Ending ending && outcome.contains(ending.outcome());
            answers.put(id, outcome == null ? Applied.NOT_FOUND : same ? Applied.APPLIED : Applied.STALE);
        }
    }

    static Outcome outcome(String word) {
        return Outcome.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static List<TaskId> ids(List<? extends Transition.ByWorker> moves) {
        return moves.stream().map(move -> move.lease().taskId()).toList();
    }

    private static List<Integer> attempts(List<? extends Transition.ByWorker> moves) {
        return moves.stream().map(move -> move.lease().attempt()).toList();
    }
}
