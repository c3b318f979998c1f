package dev.semel.jdbc;

import dev.semel.jdbc.SqliteNames.Group;
import dev.semel.jdbc.SqliteNames.Lane;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.task.Lease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claiming. The claim looks only at lanes that may have something due, lets their groups take turns, and reads of each lane
 * no more than its share. So its cost follows what it takes, not what is stored.
 */
final class SqliteClaims {

    // Lanes of one queue that one claim looks at: four for each task that it may take, because some may turn out to be
    // empty,
    // within these bounds. Those that waited longest come first, so the others' turn comes as well.
    private static final int FEWEST_LANES = 64;
    private static final int MOST_LANES = 1_024;

    // Vanished tasks with a wish to cancel that one claim ends for each lane; the next one goes on.
    private static final int MOST_ENDED = 100;

    // Rounds in which a claim looks again because those that it found have to wait for a mutex, or because it found
    // none.
    private static final int MOST_ROUNDS = 256;

    // Lanes whose wake time is looked into until a claim says when the next task is due.
    private static final int MOST_LOOKS = 64;

    // When to ask again while leases are held.
    private static final Duration HELD = Duration.ofMillis(500);

    private static final int MOST_REMEMBERED = 50_000;

    private static final String DUE_LANES =
            "SELECT id, mutexes FROM semel_lane WHERE queue = ? AND wake_at <= ? ORDER BY wake_at";

    private static final String NEXT_LANES =
            "SELECT id, wake_at FROM semel_lane WHERE queue = ? AND wake_at IS NOT NULL ORDER BY wake_at";

    private static final String TAKEN_BEFORE =
            "SELECT " + SqliteTasks.COLUMNS + " FROM semel_task INDEXED BY semel_task_suspect"
                    + " WHERE (state = 'running' OR (state = 'pending' AND vanished > 0)) AND state = 'running' AND claim = ?"
                    + " ORDER BY seq";

    private static final String ARCHIVE_VANISHED = """
            INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome)
            SELECT seq, attempt, worker, started_at, ?2, 'vanished' FROM semel_task
            WHERE seq IN (SELECT value FROM json_each(?1)) AND state = 'running'
            """;

    private static final String BEGIN_ATTEMPTS = """
            UPDATE semel_task SET state = 'running', attempt = attempt + 1, vanished = vanished + (state = 'running'),
              order_at = ?2 - priority * 60000, due_at = ?2, claim = ?3, worker = ?4, started_at = ?5
            WHERE seq IN (SELECT value FROM json_each(?1))
            RETURNING\s""" + SqliteTasks.RUNNING_COLUMNS;

    // When each group was served last, by this process. Lost with it, and that is no harm: it only keeps turns even.
    private final Map<Group, Long> served = new HashMap<>();
    private long turn;

    Claims claim(SqliteTransaction tx, ClaimRequest request) throws SQLException {
        SqliteAllowances allowances = new SqliteAllowances(tx, request);
        Map<Group, List<Lane>> due = endVanished(tx, request, dueGroups(tx, request, allowances), allowances);
        if (request.repeated()) {
            List<Claimed> taken = takenBefore(tx, request.claim());
            if (!taken.isEmpty()) {
                return new Claims(taken, nextDue(tx, request, allowances));
            }
        }
        List<Claimed> taken = new ArrayList<>();
        boolean left = take(tx, request, allowances, due, taken);
        allowances.settle();
        Duration nextDue = left ? Duration.ZERO : nextDue(tx, request, allowances);
        // What is due and may not be taken for now: nobody needs to ask again at once.
        boolean held = taken.isEmpty() && nextDue != null && nextDue.isZero() && tx.leasesHeld();
        return new Claims(taken, held ? HELD : nextDue);
    }

    /** Takes what the claim may take, and tells whether something due is left that it did not take. */
    private boolean take(
            SqliteTransaction tx,
            ClaimRequest request,
            SqliteAllowances allowances,
            Map<Group, List<Lane>> due,
            List<Claimed> taken)
            throws SQLException {
        Map<Group, List<Lane>> groups = due;
        int suspects = request.suspects();
        ClaimRoom room = new ClaimRoom(request);
        for (int round = 0; ; round++) {
            Turns turns = new Turns(tx, allowances, groups, mostLanes(request), request.isBoundByBytes());
            List<SqliteTurn.Candidate> chosen = turns.choose(room.tasks(), suspects);
            List<SqliteTurn.Candidate> free = allowances.unblocked(chosen, room);
            free.forEach(candidate -> remember(candidate.lane().group()));
            if (!free.isEmpty()) {
                taken.addAll(begin(tx, request, free));
                suspects -= (int)
                        free.stream().filter(SqliteTurn.Candidate::suspect).count();
            }
            boolean left = turns.settle();
            // Some of those that it looked at wait from now on, or none of many lanes had anything and now their wake
            // times say so: look at others.
            boolean again = free.size() < chosen.size() || (taken.isEmpty() && chosen.isEmpty() && turns.manyLanes);
            if (!again || round == MOST_ROUNDS || room.isFull()) {
                return left;
            }
            groups = dueGroups(tx, request, allowances);
        }
    }

    /** The groups that may have something due, with the lanes that the request wants. */
    private static Map<Group, List<Lane>> dueGroups(
            SqliteTransaction tx, ClaimRequest request, SqliteAllowances allowances) throws SQLException {
        Map<Group, List<Lane>> groups = new LinkedHashMap<>();
        int most = mostLanes(request);
        for (String queue : request.queues()) {
            int lanes = 0;
            try (ResultSet row = tx.sql(DUE_LANES).with(queue).with(tx.now()).query()) {
                while (lanes < most && row.next()) {
                    Lane lane = tx.names().lane(row.getInt(1));
                    if (wanted(lane, request.types())) {
                        groups.computeIfAbsent(lane.group(), group -> new ArrayList<>())
                                .add(lane);
                        lanes++;
                        if (row.getBoolean(2)) {
                            allowances.hasMutexes(lane.id());
                        }
                    }
                }
            }
        }
        return groups;
    }

    private static int mostLanes(ClaimRequest request) {
        return Math.clamp(4L * request.limit(), FEWEST_LANES, MOST_LANES);
    }

    private static boolean wanted(Lane lane, @Nullable Set<String> types) {
        return types == null || types.contains(lane.type());
    }

    private static Map<Group, List<Lane>> endVanished(
            SqliteTransaction tx, ClaimRequest request, Map<Group, List<Lane>> due, SqliteAllowances allowances)
            throws SQLException {
        int ended = 0;
        for (List<Lane> lanes : due.values()) {
            for (Lane lane : lanes) {
                ended += SqliteTasks.endVanished(tx, lane, MOST_ENDED);
            }
        }
        // Whoever waited for one of them may be due now.
        return ended == 0 ? due : dueGroups(tx, request, allowances);
    }

    private static List<Claimed> takenBefore(SqliteTransaction tx, long claim) throws SQLException {
        List<Claimed> taken = new ArrayList<>();
        try (ResultSet row = tx.sql(TAKEN_BEFORE).with(claim).query()) {
            while (row.next()) {
                taken.add(claimed(SqliteTasks.task(row, tx.names())));
            }
        }
        return taken;
    }

    private static Claimed claimed(Task task) {
        return new Claimed(task, new Lease(task.id(), task.progress().attempt()));
    }

    /** The groups that give to one claim, in turn, those that waited longest for a turn first. */
    private final class Turns {

        private final SqliteTransaction tx;
        private final SqliteAllowances allowances;
        private final Deque<Map.Entry<Group, List<Lane>>> unvisited;
        private final boolean manyLanes;
        private final boolean sized;
        private final List<SqliteTurn> visited = new ArrayList<>();
        private int share;

        Turns(
                SqliteTransaction tx,
                SqliteAllowances allowances,
                Map<Group, List<Lane>> due,
                int mostLanes,
                boolean sized) {
            this.tx = tx;
            this.sized = sized;
            this.allowances = allowances;
            // Types of a group share a place here, so this may be said too early, which does no harm.
            this.manyLanes = due.values().stream().mapToInt(List::size).sum() >= mostLanes;
            this.unvisited = due.entrySet().stream()
                    .filter(group -> allowances.isOpen(group.getKey().queue()))
                    .sorted(Comparator.comparingLong(group -> served.getOrDefault(group.getKey(), 0L)))
                    .collect(Collectors.toCollection(ArrayDeque::new));
        }

        List<SqliteTurn.Candidate> choose(int limit, int allowedSuspects) throws SQLException {
            List<SqliteTurn> open = new ArrayList<>();
            List<SqliteTurn.Candidate> chosen = new ArrayList<>();
            share = limit / Math.max(1, unvisited.size()) + 1;
            int suspects = allowedSuspects;
            int at = 0;
            while (chosen.size() < limit) {
                if (at >= open.size()) {
                    if (!unvisited.isEmpty()) {
                        open.add(visit(unvisited.poll()));
                    } else if (open.isEmpty()) {
                        break;
                    } else {
                        at = 0;
                    }
                }
                SqliteTurn turn = open.get(at);
                String queue = turn.group().queue();
                SqliteTurn.Candidate next = allowances.isOpen(queue) ? turn.next(suspects) : null;
                if (next == null) {
                    open.remove(at);
                } else {
                    chosen.add(next);
                    allowances.take(queue);
                    suspects -= next.suspect() ? 1 : 0;
                    at++;
                }
            }
            return chosen;
        }

        private SqliteTurn visit(Map.Entry<Group, List<Lane>> group) {
            SqliteTurn turn = new SqliteTurn(tx, group.getKey(), group.getValue(), share, sized);
            visited.add(turn);
            return turn;
        }

        /** Corrects the wake times of what was visited, and tells whether something due is left. */
        boolean settle() throws SQLException {
            boolean left = false;
            for (Map.Entry<Group, List<Lane>> group : unvisited) {
                left |= !allowances.holdsBack(group.getKey().queue());
            }
            for (SqliteTurn turn : visited) {
                boolean due = turn.settle(manyLanes);
                left |= due && !allowances.holdsBack(turn.group().queue());
            }
            return left;
        }
    }

    private void remember(Group group) {
        if (served.size() >= MOST_REMEMBERED) {
            served.clear();
        }
        served.put(group, ++turn);
    }

    private static List<Claimed> begin(SqliteTransaction tx, ClaimRequest request, List<SqliteTurn.Candidate> chosen)
            throws SQLException {
        Map<Long, Integer> places = new HashMap<>();
        boolean suspects = false;
        for (SqliteTurn.Candidate candidate : chosen) {
            places.put(candidate.seq(), places.size());
            suspects |= candidate.suspect();
        }
        String json = SqliteTurn.Candidate.json(chosen);
        if (suspects) {
            tx.sql(ARCHIVE_VANISHED).with(json).with(tx.now()).update();
        }
        long leaseEnd = SqliteValues.after(tx.now(), request.lease());
        tx.leased(leaseEnd);
        Claimed[] begun = new Claimed[chosen.size()];
        int rows = 0;
        try (ResultSet row = tx.sql(BEGIN_ATTEMPTS)
                .with(json)
                .with(leaseEnd)
                .with(request.claim())
                .with(request.worker())
                .with(tx.now())
                .query()) {
            while (row.next()) {
                Task task = SqliteTasks.running(row, tx.names(), Instant.ofEpochMilli(leaseEnd));
                begun[places.getOrDefault(SqliteTasks.seqOfRunning(row), -1)] = claimed(task);
                rows++;
            }
        }
        if (rows != begun.length) {
            throw new IllegalStateException("Expected to claim " + begun.length + " tasks, but claimed " + rows);
        }
        return List.of(begun);
    }

    /** How long until a queue gives the next task of these types, or null if none does. */
    private static @Nullable Duration nextDue(SqliteTransaction tx, ClaimRequest request, SqliteAllowances allowances)
            throws SQLException {
        Long next = nextDue(
                tx,
                request.queues().stream()
                        .filter(queue -> !allowances.holdsBack(queue))
                        .toList(),
                request.types());
        for (String queue : request.queues()) {
            Long dueAt = allowances.holdsBack(queue) && allowances.isLimited(queue)
                    ? nextDue(tx, List.of(queue), request.types())
                    : null;
            Long given = dueAt == null ? null : allowances.next(queue, dueAt);
            next = given != null && (next == null || given < next) ? given : next;
        }
        return next == null ? null : Duration.ofMillis(Math.max(0, next - tx.now()));
    }

    /**
     * When the next task of these queues and types is due, or null if there is none. Wake times may be too early (a lease
     * was extended, a task ended), so the earliest is looked into, and corrected, until it is true.
     */
    private static @Nullable Long nextDue(SqliteTransaction tx, List<String> queues, @Nullable Set<String> types)
            throws SQLException {
        for (int looks = 0; ; looks++) {
            Wake earliest = null;
            for (String queue : queues) {
                Wake wake = earliest(tx, queue, types);
                earliest = wake != null && (earliest == null || wake.at() < earliest.at()) ? wake : earliest;
            }
            if (earliest == null) {
                return null;
            }
            Long dueAt = SqliteTurn.nextDue(tx, earliest.lane());
            if (looks == MOST_LOOKS || (dueAt != null && dueAt == earliest.at())) {
                return earliest.at();
            }
            tx.wake(earliest.lane(), dueAt);
        }
    }

    /** A lane and its wake time. */
    private record Wake(Lane lane, long at) {}

    private static @Nullable Wake earliest(SqliteTransaction tx, String queue, @Nullable Set<String> types)
            throws SQLException {
        try (ResultSet row = tx.sql(NEXT_LANES).with(queue).query()) {
            while (row.next()) {
                Lane lane = tx.names().lane(row.getInt(1));
                if (wanted(lane, types)) {
                    return new Wake(lane, row.getLong(2));
                }
            }
            return null;
        }
    }
}
