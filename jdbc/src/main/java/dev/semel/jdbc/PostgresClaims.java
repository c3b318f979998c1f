package dev.semel.jdbc;

import dev.semel.jdbc.PostgresDatabase.Opening;
import dev.semel.jdbc.PostgresNames.Group;
import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.jdbc.PostgresTurns.Kind;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.store.Task.Progress;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Claiming. Its cost follows what it takes: of each lane no more is read than its share. */
final class PostgresClaims {

    // Up to this many lanes are asked for tasks directly; of more, a first look finds those that have something due.
    private static final int FEW_LANES = 64;

    // Vanished tasks with a wish to cancel that one claim ends; the next one goes on.
    private static final int MOST_ENDED = 1_000;

    // Rounds in which a claim looks again because a group has more than its share, or those found wait for a mutex.
    private static final int MOST_ROUNDS = 100;
    private static final int MOST_READ = 2_000;
    private static final int MOST_GROWTH = 1_024;

    private static final int MOST_REMEMBERED = 50_000;

    // The lock makes a claim that is sent again, because the first one gave no answer yet, wait for the first one's
    // end. Its
    // first number keeps it apart from other people's locks; claims that share the second only wait for each other.
    private static final String LANES = PostgresDatabase.BEGIN + """
            ;
            SELECT l.id, l.queue, l.tenant, l.type, EXISTS (SELECT 1 FROM semel.running WHERE asked),
              EXISTS (
                SELECT 1 FROM semel.lease
                WHERE until <= coalesce(?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)),\s""" + PostgresStarts.COUNT + """
             FROM (SELECT pg_advisory_xact_lock(736635, hashint8(?))) AS once
            JOIN semel.lane l ON l.queue = ANY (?) AND (?::text[] IS NULL OR l.type = ANY (?))
            """;

    // Reads one entry of an index for each lane, and stops when it has found enough.
    private static final String DUE_LANES = """
            SELECT l.lane FROM unnest(?) AS l (lane)
            WHERE EXISTS (
                SELECT 1 FROM semel.ready WHERE lane = l.lane AND NOT suspect AND order_at <= ?
                  AND order_at + priority * 60000::bigint <= ?)
              OR EXISTS (
                SELECT 1 FROM semel.ready WHERE lane = l.lane AND suspect AND order_at <= ?
                  AND order_at + priority * 60000::bigint <= ?)
              OR EXISTS (
                SELECT 1 FROM semel.running WHERE lane = l.lane AND order_at <= ?
                  AND order_at + priority * 60000::bigint <= ?)
            LIMIT ?
            """;

    // Looked up for each: a plain join may read all tasks instead, if its plan was made while there were none.
    private static final String ITS_TASK =
            " JOIN LATERAL (SELECT * FROM semel.task x WHERE x.id = b.task LIMIT 1) t ON true ";

    private static final String LAST_ERROR = """
             LEFT JOIN LATERAL (
               SELECT coalesce(a.given_up, a.error) AS error FROM semel.attempt a WHERE a.task = t.id AND a.error IS NOT NULL
               ORDER BY a.number DESC LIMIT 1) e ON b.attempt > 1
            """;

    // Those that share a lease from now on.
    private static final String TAKE_TOGETHER =
            """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?) RETURNING task, seq, lane
            ),\s""" + PostgresLeases.BEGIN + "SELECT " + PostgresTasks.SUBMITTED + """
            , 1, 0, 0, NULL, false, NULL::bigint
            FROM taken b
            """ + ITS_TASK;

    private static final String TAKE = """
            WITH taken AS (
              DELETE FROM semel.ready WHERE ctid = ANY (?)
              RETURNING task, seq, lane, attempt + 1 AS attempt, failures, vanished, priority, mutex
            ), begun AS (
              INSERT INTO semel.running (task, seq, order_at, started_at, claim, lane, attempt, failures, vanished, priority,
                asked, worker, mutex)
              SELECT task, seq, ? - priority * 60000::bigint, ?, ?, lane, attempt, failures, vanished, priority, false, ?,
                mutex
              FROM taken
            )
            SELECT\s""" + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, false, NULL::bigint
            FROM taken b
            """ + ITS_TASK + LAST_ERROR;

    private static final String STEAL = """
            WITH vanished AS (
              INSERT INTO semel.attempt (task, number, started_at, ended_at, outcome, worker)
              SELECT task, attempt, started_at, ?, 'vanished', worker FROM semel.running WHERE task = ANY (?)
            ), begun AS (
              UPDATE semel.running SET attempt = attempt + 1, vanished = vanished + 1,
                order_at = ? - priority * 60000::bigint, started_at = ?, claim = ?, worker = ?
              WHERE task = ANY (?)
              RETURNING task, attempt, failures, vanished, asked
            )
            SELECT\s""" + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, b.asked, NULL::bigint
            FROM begun b
            """ + ITS_TASK + LAST_ERROR;

    // Running tasks are few, and a repeated claim is rare: no index by the number of the claim.
    private static final String TAKEN_BEFORE =
            "SELECT " + PostgresTasks.SUBMITTED + """
            , b.attempt, b.failures, b.vanished, e.error, b.asked, b.until
            FROM (
              SELECT task, attempt, failures, vanished, asked, order_at + priority * 60000::bigint AS until
              FROM semel.running WHERE lane = ANY (?) AND claim = ?
              UNION ALL
              SELECT u.task, 1, 0, 0, false, l.until
              FROM semel.lease l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS u (task, n)
              WHERE l.lane = ANY (?) AND l.claim = ? AND get_bit(l.ended, (u.n - 1)::integer) = 0
            ) b
            """ + ITS_TASK + LAST_ERROR + " ORDER BY t.seq";

    // The first of each lane, and those of higher priority that rank behind it but are due before it.
    private static final String NEXT_DUE = """
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.ready
                WHERE lane = l.lane AND suspect = s.suspect AND order_at < f.due))
            FROM unnest(?) AS l (lane) CROSS JOIN (VALUES (false), (true)) AS s (suspect)
            CROSS JOIN LATERAL (
              SELECT order_at + priority * 60000::bigint AS due FROM semel.ready
              WHERE lane = l.lane AND suspect = s.suspect ORDER BY order_at, seq LIMIT 1) f
            UNION ALL
            SELECT l.lane, least(f.due, (
                SELECT min(order_at + priority * 60000::bigint) FROM semel.running
                WHERE lane = l.lane AND order_at < f.due))
            FROM unnest(?) AS l (lane)
            CROSS JOIN LATERAL (
              SELECT order_at + priority * 60000::bigint AS due FROM semel.running
              WHERE lane = l.lane ORDER BY order_at, seq LIMIT 1) f
            UNION ALL
            SELECT lane, min(until) FROM semel.lease WHERE lane = ANY (?) GROUP BY lane
            """;

    // When each group was served last, by this process. Lost with it, and that is no harm: it only keeps turns even.
    private final Map<Group, Long> served = new ConcurrentHashMap<>();
    private final AtomicLong turn = new AtomicLong();
    private final PostgresStarts starts = new PostgresStarts();
    private final int sharedFrom;

    /**
     * Claims for one store.
     *
     * @param sharedFrom how many tasks of a lane share a lease at the least
     */
    PostgresClaims(int sharedFrom) {
        this.sharedFrom = sharedFrom;
    }

    /** A lane that a claim wants, and whether something has to be done before it takes anything. */
    private record Wanted(Lane lane, boolean asked, boolean expired, long read) {}

    Claims claim(PostgresDatabase database, ClaimRequest request) {
        Set<String> types = request.types();
        Opening<Wanted> opening = new Opening<>(
                LANES,
                statement -> statement
                        .withLong(database.clockMillis())
                        .with(request.claim())
                        .texts(request.queues())
                        .textsOrNull(types)
                        .textsOrNull(types),
                row -> new Wanted(
                        database.names().remember(row.getInt(1), row.getString(2), row.getString(3), row.getString(4)),
                        row.getBoolean(5),
                        row.getBoolean(6),
                        row.getLong(7)));
        return database.write(opening, tx -> claim(tx, request, opening.rows()));
    }

    private Claims claim(PostgresTransaction tx, ClaimRequest request, List<Wanted> wanted) throws SQLException {
        List<Lane> lanes = lanes(tx, wanted);
        PostgresAllowances allowances = new PostgresAllowances(tx, request);
        if (lanes.isEmpty()) {
            allowances.settle();
            return new Claims(List.of(), null);
        }
        List<Claimed> taken = new ArrayList<>();
        if (request.repeated()) {
            taken.addAll(takenBefore(tx, request, lanes));
        }
        if (taken.isEmpty()) {
            take(tx, request, allowances, lanes, wanted.getFirst().read(), taken);
            if (taken.size() < request.limit()
                    && starts.beginAnew(lanes.stream().map(Lane::id).toList())) {
                take(tx, request, allowances, lanes, null, taken);
            }
            allowances.settle();
            if (taken.size() == request.limit()) {
                // Perhaps there is more. Who took all that it may has no use for knowing when.
                return new Claims(taken, Duration.ZERO);
            }
        }
        return new Claims(taken, nextDue(tx, lanes, allowances));
    }

    /** The lanes that the request wants. Ends first what has to be ended there. */
    private static List<Lane> lanes(PostgresTransaction tx, List<Wanted> wanted) throws SQLException {
        List<Lane> lanes = wanted.stream().map(Wanted::lane).toList();
        List<Integer> numbers = lanes.stream().map(Lane::id).toList();
        if (wanted.stream().anyMatch(Wanted::asked)) {
            PostgresEnds.endVanished(tx, numbers, MOST_ENDED);
        }
        if (wanted.stream().anyMatch(Wanted::expired)) {
            PostgresLeases.takeExpiredApart(tx, numbers);
        }
        return lanes;
    }

    private void take(
            PostgresTransaction tx,
            ClaimRequest request,
            PostgresAllowances allowances,
            List<Lane> lanes,
            @Nullable Long readBefore,
            List<Claimed> taken)
            throws SQLException {
        int suspects = request.suspects()
                - (int) taken.stream()
                        .filter(claimed -> claimed.task().progress().vanished() > 0)
                        .count();
        Map<Group, List<Lane>> groups = groups(tx, allowances, lanes, request.limit());
        int growth = 1;
        for (int round = 0; round < MOST_ROUNDS && !groups.isEmpty(); round++) {
            int left = request.limit() - taken.size();
            int share = (int) Math.min((left / groups.size() + 1L) * growth, Math.max(MOST_READ, left));
            if (growth == 1) {
                // One group takes all that is left, and no queue gives more than its limits allow: what is read is
                // locked.
                share = groups.size() == 1 ? left : share;
                share = Math.min(share, most(groups.keySet(), allowances));
            }
            PostgresTurns turns =
                    new PostgresTurns(tx, groups, starts, round == 0 ? readBefore : null, share, suspects);
            List<Candidate> chosen = turns.choose(
                    (int) Math.min((long) left * growth, Integer.MAX_VALUE), suspects, allowances, this::served);
            List<Candidate> free = allowances.unblocked(chosen, left);
            taken.addAll(begin(tx, request, free));
            free.forEach(starts::took);
            suspects -= (int) free.stream().filter(Candidate::suspect).count();
            if (taken.size() == request.limit()) {
                return;
            }
            boolean blocked = free.size() < chosen.size();
            // Thousands may wait behind one mutex: look further each time.
            growth = blocked ? Math.min(growth * 4, MOST_GROWTH) : growth;
            groups.keySet().retainAll(new HashSet<>(turns.withMore()));
            groups.keySet().removeIf(group -> !allowances.isOpen(group.queue()));
        }
    }

    private static int most(Collection<Group> groups, PostgresAllowances allowances) {
        long most = 1;
        for (Group group : groups) {
            most = Math.max(most, allowances.left(group.queue()));
        }
        return (int) Math.min(most, Integer.MAX_VALUE);
    }

    private void served(Group group) {
        if (served.size() >= MOST_REMEMBERED) {
            served.clear();
        }
        served.put(group, turn.incrementAndGet());
    }

    /** The groups of open queues that may have something due, those that waited longest for a turn first. */
    private Map<Group, List<Lane>> groups(
            PostgresTransaction tx, PostgresAllowances allowances, List<Lane> lanes, int limit) throws SQLException {
        Map<Group, List<Lane>> all = new LinkedHashMap<>();
        lanes.stream()
                .filter(lane -> allowances.isOpen(lane.queue()))
                .sorted(Comparator.comparingLong(lane -> served.getOrDefault(lane.group(), 0L)))
                .forEach(lane -> all.computeIfAbsent(lane.group(), group -> new ArrayList<>())
                        .add(lane));
        if (lanes.size() <= FEW_LANES) {
            return all;
        }
        List<Integer> ids =
                all.values().stream().flatMap(List::stream).map(Lane::id).toList();
        Set<Integer> due = new HashSet<>(tx.sql(DUE_LANES)
                .ints(ids)
                .with(tx.now())
                .with(tx.now())
                .with(tx.now())
                .with(tx.now())
                .with(tx.now())
                .with(tx.now())
                .with(Math.clamp(4L * limit, FEW_LANES, MOST_READ))
                .list(row -> row.getInt(1)));
        all.values().forEach(some -> some.removeIf(lane -> !due.contains(lane.id())));
        all.values().removeIf(List::isEmpty);
        return all;
    }

    private static List<Claimed> takenBefore(PostgresTransaction tx, ClaimRequest request, List<Lane> lanes)
            throws SQLException {
        List<Integer> numbers = lanes.stream().map(Lane::id).toList();
        return tx.sql(TAKEN_BEFORE)
                .ints(numbers)
                .with(request.claim())
                .ints(numbers)
                .with(request.claim())
                .list(row -> claimed(tx, row, row.getLong(18)));
    }

    private List<Claimed> begin(PostgresTransaction tx, ClaimRequest request, List<Candidate> chosen)
            throws SQLException {
        Set<Integer> sharingLanes = sharingLanes(chosen);
        List<Candidate> together = new ArrayList<>();
        List<String> ready = new ArrayList<>();
        for (Candidate candidate : chosen) {
            if (mayShare(candidate) && sharingLanes.contains(candidate.lane().id())) {
                together.add(candidate);
            } else if (candidate.kind() != Kind.EXPIRED) {
                ready.add(candidate.place());
            }
        }
        List<TaskId> expired = expired(chosen);
        long leaseEnd = tx.after(request.lease());
        Map<TaskId, Claimed> begun = new HashMap<>();
        if (!together.isEmpty()) {
            tx.sql(TAKE_TOGETHER)
                    .places(together.stream().map(Candidate::place).toList())
                    .with(request.claim())
                    .with(tx.now())
                    .with(leaseEnd)
                    .withText(request.worker())
                    .list(row -> put(begun, claimed(tx, row, leaseEnd)));
            tx.leases().remember(together);
        }
        if (!ready.isEmpty()) {
            tx.sql(TAKE)
                    .places(ready)
                    .with(leaseEnd)
                    .with(tx.now())
                    .with(request.claim())
                    .withText(request.worker())
                    .list(row -> put(begun, claimed(tx, row, leaseEnd)));
        }
        if (!expired.isEmpty()) {
            tx.sql(STEAL)
                    .with(tx.now())
                    .ids(expired)
                    .with(leaseEnd)
                    .with(tx.now())
                    .with(request.claim())
                    .withText(request.worker())
                    .ids(expired)
                    .list(row -> put(begun, claimed(tx, row, leaseEnd)));
        }
        if (begun.size() != chosen.size()) {
            throw new IllegalStateException(
                    "Expected to claim " + chosen.size() + " tasks, but claimed " + begun.size());
        }
        List<Claimed> inOrder = new ArrayList<>(chosen.size());
        for (Candidate candidate : chosen) {
            inOrder.add(Objects.requireNonNull(begun.get(candidate.task())));
        }
        return inOrder;
    }

    private static boolean put(Map<TaskId, Claimed> begun, Claimed claimed) {
        begun.put(claimed.task().id(), claimed);
        return true;
    }

    private static List<TaskId> expired(Collection<Candidate> chosen) {
        return chosen.stream()
                .filter(candidate -> candidate.kind() == Kind.EXPIRED)
                .map(Candidate::task)
                .toList();
    }

    /** The lanes in which enough tasks are claimed that may share a lease. */
    private Set<Integer> sharingLanes(List<Candidate> chosen) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (Candidate candidate : chosen) {
            if (mayShare(candidate)) {
                counts.merge(candidate.lane().id(), 1, Integer::sum);
            }
        }
        counts.values().removeIf(count -> count < sharedFrom);
        return counts.keySet();
    }

    /** Whether it is a plain first attempt. */
    private static boolean mayShare(Candidate candidate) {
        return candidate.kind() == Kind.READY && candidate.attempt() == 0 && candidate.mutex() == null;
    }

    private static Claimed claimed(PostgresTransaction tx, ResultSet row, long leaseEnd) throws SQLException {
        Progress progress = new Progress(
                TaskState.RUNNING,
                row.getInt(13),
                row.getInt(14),
                row.getInt(15),
                Instant.ofEpochMilli(leaseEnd),
                row.getBoolean(17),
                null,
                null,
                row.getString(16));
        Task task = PostgresTasks.submitted(row, tx.session(), tx.names(), progress);
        return new Claimed(task, new Lease(task.id(), progress.attempt()));
    }

    /** How long until a queue gives the next task of these lanes, or null if none does. */
    private static @Nullable Duration nextDue(PostgresTransaction tx, List<Lane> lanes, PostgresAllowances allowances)
            throws SQLException {
        List<Integer> ids = lanes.stream().map(Lane::id).toList();
        Map<String, Long> dueByQueue = new HashMap<>();
        record Due(int lane, long at) {}
        for (Due due :
                tx.sql(NEXT_DUE).ints(ids).ints(ids).ints(ids).list(row -> new Due(row.getInt(1), row.getLong(2)))) {
            dueByQueue.merge(tx.lane(due.lane()).queue(), due.at(), Math::min);
        }
        Long next = null;
        for (Map.Entry<String, Long> due : dueByQueue.entrySet()) {
            Long given =
                    allowances.holdsBack(due.getKey()) ? allowances.next(due.getKey(), due.getValue()) : due.getValue();
            next = given != null && (next == null || given < next) ? given : next;
        }
        return next == null ? null : Duration.ofMillis(Math.max(0, next - tx.now()));
    }
}
