package dev.semel.sqlite.claim;

import dev.semel.sqlite.sql.ColumnValues;
import dev.semel.sqlite.table.TaskMapper;
import dev.semel.sqlite.transaction.Group;
import dev.semel.sqlite.transaction.Lane;
import dev.semel.sqlite.transaction.Transaction;
import dev.semel.store.ClaimRequest;
import dev.semel.store.ClaimRoom;
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
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims. A claim reads only lanes that may have something due, lets their groups take turns, and reads of each lane
 * no more than its share. So its cost follows what it takes, not what is stored.
 */
public final class Claimer {

    // Lanes of one queue that one claim reads: four for each task that it may take, because some may turn out to be
    // empty, within these bounds. Those that waited longest are first, so the others have their turn as well.
    private static final int FEWEST_LANES = 64;
    private static final int MOST_LANES = 1_024;

    // Vanished tasks that were asked to cancel, of which one claim ends so many for each lane; the next claim
    // continues.
    private static final int MOST_ENDED = 100;

    // Tasks of which a time limit has passed that one claim ends, of all its lanes: those of one tenant must not hold
    // up
    // the claims of others.
    private static final int MOST_OVERDUE = 500;

    // Rounds in which a claim reads again because the tasks that it found have to wait for a mutex, or because it found
    // none.
    private static final int MOST_ROUNDS = 256;

    // Lanes whose wake time is checked until a claim says when the next task is due.
    private static final int MOST_LOOKS = 64;

    // When a worker asks again while leases are held.
    private static final Duration HELD = Duration.ofMillis(500);

    private static final int MOST_REMEMBERED = 50_000;

    // From so many queues on, a claim reads all of them with one statement, and then the lanes of those that have
    // something due in turn, until it has read enough lanes. One by one, a claim from 10,000 queues took a quarter of a
    // second, and up to 1.6 s to find out when the next task is due.
    private static final int MANY_QUEUES = 64;

    private static final String DUE_QUEUES = """
        SELECT q.key, q.value FROM json_each(?1) q
        WHERE EXISTS (SELECT 1 FROM semel_lane l WHERE l.queue = q.value AND l.wake_at <= ?2)
        ORDER BY q.key
        """;

    private static final String NEXT_LANES_OF_MANY = """
        SELECT l.id, l.wake_at FROM json_each(?1) q CROSS JOIN semel_lane l
        WHERE l.queue = q.value AND l.wake_at IS NOT NULL ORDER BY l.wake_at
        """;

    // Also reads whether the time limit of a task of the lane has passed, which is almost never.
    private static final String DUE_LANES = """
        SELECT id, mutexes, EXISTS (
            SELECT 1 FROM semel_time_limit INDEXED BY semel_time_limit_lane WHERE lane = semel_lane.id AND at <= ?2)
        FROM semel_lane WHERE queue = ?1 AND wake_at <= ?2 ORDER BY wake_at
        """;

    private static final String NEXT_LANES =
            "SELECT id, wake_at FROM semel_lane WHERE queue = ? AND wake_at IS NOT NULL ORDER BY wake_at";

    private static final String TAKEN_BEFORE = """
        SELECT id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
          vanished, cancel_requested, last_error, mutex, series, state, due_at, finished_at, result
        FROM semel_task INDEXED BY semel_task_suspect
        WHERE (state = 'running' OR (state = 'pending' AND vanished > 0)) AND state = 'running' AND claim = ?
        ORDER BY seq
        """;

    private static final String ARCHIVE_VANISHED = """
        INSERT INTO semel_attempt (task, number, worker, started_at, ended_at, outcome)
        SELECT seq, attempt, worker, started_at, ?2, 'vanished' FROM semel_task
        WHERE seq IN (SELECT value FROM json_each(?1)) AND state = 'running'
        """;

    private static final String BEGIN_ATTEMPTS = """
        UPDATE semel_task SET state = 'running', attempt = attempt + 1, vanished = vanished + (state = 'running'),
          order_at = ?2 - priority * 60000, due_at = ?2, after_id = NULL, claim = ?3, worker = ?4, started_at = ?5
        WHERE seq IN (SELECT value FROM json_each(?1))
        RETURNING id, lane, input, priority, retry, timeout, scope, key, run, lineage, created_at, attempt, failures,
          vanished, cancel_requested, last_error, mutex, series, seq
        """;

    // When each group was last served by this process. Lost with it without harm: it only keeps turns even.
    private final Map<Group, Long> served = new HashMap<>();
    private long turn;

    // Of many queues, the index of the last one that the last claim read.
    private long lastPlace = -1;

    /**
     * What a claim may take from.
     *
     * @param more whether the claim did not read all queues that may have something due
     * @param overdue the lanes with a task of which a time limit has passed; nothing is taken of them before those have ended
     */
    private record Due(Map<Group, List<Lane>> groups, boolean more, List<Lane> overdue) {}

    /** How many tasks of which a time limit has passed one claim may still end. */
    private static final class OverdueRoom {
        private int left = MOST_OVERDUE;
    }

    public Claims claim(Transaction tx, ClaimRequest request) throws SQLException {
        QueueAllowances allowances = new QueueAllowances(tx, request);
        OverdueRoom overdue = new OverdueRoom();
        Due due = endVanished(tx, request, endOverdue(tx, request, allowances, overdue), allowances, overdue);
        if (request.repeated()) {
            List<Claimed> taken = takenBefore(tx, request);
            if (!taken.isEmpty()) {
                return new Claims(taken, nextDue(tx, request, allowances));
            }
        }
        List<Claimed> taken = new ArrayList<>();
        boolean left = take(tx, request, allowances, due, overdue, taken);
        allowances.settle();
        Duration nextDue = left ? Duration.ZERO : nextDue(tx, request, allowances);
        // Due tasks that may not be taken for now: a worker need not ask again at once.
        boolean held = taken.isEmpty() && nextDue != null && nextDue.isZero() && tx.leasesHeld();
        return new Claims(taken, held ? HELD : nextDue);
    }

    /** Takes what the claim may take, and returns whether something due is left. */
    private boolean take(
            Transaction tx,
            ClaimRequest request,
            QueueAllowances allowances,
            Due found,
            OverdueRoom overdue,
            List<Claimed> taken)
            throws SQLException {
        Due due = found;
        int suspects = request.suspects();
        ClaimRoom room = new ClaimRoom(request);
        if (allowances.limitsStarts()) {
            taken.addAll(takeWoken(tx, request, new WokenTasks(tx, allowances, due.groups()), room));
            suspects -= (int) taken.stream()
                    .filter(one -> one.task().progress().vanished() > 0)
                    .count();
            if (room.isFull()) {
                return true;
            }
        }
        for (int round = 0; ; round++) {
            FairPicker turns =
                    new FairPicker(tx, allowances, due.groups(), mostLanes(request), request.isBoundByBytes());
            List<Candidate> chosen = turns.choose(room.tasks(), suspects);
            List<Candidate> free = allowances.unblocked(chosen, room);
            free.forEach(candidate -> remember(candidate.lane().group()));
            if (!free.isEmpty()) {
                taken.addAll(begin(tx, request, free));
                suspects -= (int) free.stream().filter(Candidate::suspect).count();
            }
            boolean left = turns.settle() || due.more();
            // Some of the tasks wait from now on, or none of many lanes had anything and their wake times are correct
            // now: read other lanes.
            boolean again = free.size() < chosen.size() || (taken.isEmpty() && chosen.isEmpty() && turns.manyLanes);
            if (!again || round == MOST_ROUNDS || room.isFull()) {
                return left;
            }
            due = endOverdue(tx, request, allowances, overdue);
        }
    }

    /** Takes the woken workflows of queues with a rate limit, which they use nothing of. */
    private List<Claimed> takeWoken(Transaction tx, ClaimRequest request, WokenTasks woken, ClaimRoom room)
            throws SQLException {
        List<Claimed> taken = new ArrayList<>();
        int suspects = request.suspects();
        for (int round = 0; round < MOST_ROUNDS && !room.isFull(); round++) {
            List<Candidate> chosen = woken.choose(room.tasks(), suspects, request.isBoundByBytes());
            List<Candidate> free = woken.allowances().unblocked(chosen, room);
            if (!free.isEmpty()) {
                taken.addAll(begin(tx, request, free));
                suspects -= (int) free.stream().filter(Candidate::suspect).count();
            }
            if (free.size() == chosen.size()) {
                break;
            }
        }
        return taken;
    }

    /** The groups that may have something due, with the lanes of the requested types. */
    private Due dueGroups(Transaction tx, ClaimRequest request, QueueAllowances allowances) throws SQLException {
        Map<Group, List<Lane>> groups = new LinkedHashMap<>();
        List<Lane> overdue = new ArrayList<>();
        if (request.queues().size() < MANY_QUEUES) {
            for (String queue : request.queues()) {
                int unused = addDueLanes(tx, request, queue, allowances, groups, overdue);
            }
            return new Due(groups, false, overdue);
        }
        int lanes = 0;
        for (Map.Entry<Long, String> queue : dueQueues(tx, request)) {
            if (lanes >= mostLanes(request)) {
                return new Due(groups, true, overdue);
            }
            lastPlace = queue.getKey();
            int added = addDueLanes(tx, request, queue.getValue(), allowances, groups, overdue);
            // A queue that is held back takes no other queue's place.
            lanes += allowances.left().isOpen(queue.getValue()) ? added : 0;
        }
        return new Due(groups, false, overdue);
    }

    /** Of many queues those that may have something due, beginning behind the one at which the last claim stopped. */
    private List<Map.Entry<Long, String>> dueQueues(Transaction tx, ClaimRequest request) throws SQLException {
        List<Map.Entry<Long, String>> before = new ArrayList<>();
        List<Map.Entry<Long, String>> behind = new ArrayList<>();
        try (ResultSet row =
                tx.sql(DUE_QUEUES).with(json(request.queues())).with(tx.now()).query()) {
            while (row.next()) {
                (row.getLong(1) > lastPlace ? behind : before).add(Map.entry(row.getLong(1), row.getString(2)));
            }
        }
        behind.addAll(before);
        return behind;
    }

    /** Names of queues as a JSON array; their alphabet needs no escapes. */
    private static String json(Collection<String> queues) {
        return queues.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
    }

    private static int addDueLanes(
            Transaction tx,
            ClaimRequest request,
            String queue,
            QueueAllowances allowances,
            Map<Group, List<Lane>> groups,
            List<Lane> overdue)
            throws SQLException {
        int most = mostLanes(request);
        int lanes = 0;
        try (ResultSet row = tx.sql(DUE_LANES).with(queue).with(tx.now()).query()) {
            while (lanes < most && row.next()) {
                Lane lane = tx.names().lane(row.getInt(1));
                if (request.wants(lane.tenant(), lane.type())) {
                    groups.computeIfAbsent(lane.group(), group -> new ArrayList<>())
                            .add(lane);
                    lanes++;
                    if (row.getBoolean(2)) {
                        allowances.hasMutexes(lane.id());
                    }
                    if (row.getBoolean(3)) {
                        overdue.add(lane);
                    }
                }
            }
        }
        return lanes;
    }

    private static int mostLanes(ClaimRequest request) {
        return Math.clamp(4L * request.limit(), FEWEST_LANES, MOST_LANES);
    }

    /** Returns the lanes that may have something due, after tasks of them have ended of which a time limit has passed. */
    private Due endOverdue(Transaction tx, ClaimRequest request, QueueAllowances allowances, OverdueRoom room)
            throws SQLException {
        Due due = dueGroups(tx, request, allowances);
        while (!due.overdue().isEmpty() && room.left > 0) {
            int share = Math.max(1, room.left / due.overdue().size());
            for (Lane lane : due.overdue()) {
                room.left -= OverdueTasks.end(tx, lane, Math.min(share, room.left));
            }
            due = dueGroups(tx, request, allowances);
        }
        if (due.overdue().isEmpty()) {
            return due;
        }
        // The rest ends with the next claim or sweep, and until then nothing is taken from its lane.
        List<Lane> left = due.overdue();
        due.groups().values().forEach(lanes -> lanes.removeAll(left));
        due.groups().values().removeIf(List::isEmpty);
        return new Due(due.groups(), true, List.of());
    }

    private Due endVanished(
            Transaction tx, ClaimRequest request, Due due, QueueAllowances allowances, OverdueRoom overdue)
            throws SQLException {
        int ended = 0;
        for (List<Lane> lanes : due.groups().values()) {
            for (Lane lane : lanes) {
                ended += OverdueTasks.endVanished(tx, lane, MOST_ENDED);
            }
        }
        // Tasks that waited for one of them may be due now.
        return ended == 0 ? due : endOverdue(tx, request, allowances, overdue);
    }

    private static List<Claimed> takenBefore(Transaction tx, ClaimRequest request) throws SQLException {
        List<Claimed> taken = new ArrayList<>();
        try (ResultSet row = tx.sql(TAKEN_BEFORE).with(request.claim()).query()) {
            while (row.next()) {
                Task task = TaskMapper.task(row, tx.names());
                if (request.wants(task.tenant(), task.type())) {
                    taken.add(claimed(task, request.claim(), null));
                }
            }
        }
        return taken;
    }

    private static Claimed claimed(Task task, long claim, @Nullable Duration waited) {
        return new Claimed(task, new Lease(task.id(), task.progress().attempt(), claim), waited);
    }

    /** The groups from which one claim takes tasks in turn; those that waited longest for a turn are first. */
    private final class FairPicker {

        private final Transaction tx;
        private final QueueAllowances allowances;
        private final Deque<Map.Entry<Group, List<Lane>>> unvisited;
        private final boolean manyLanes;
        private final boolean sized;
        private final List<GroupCandidates> visited = new ArrayList<>();
        private int share;

        FairPicker(
                Transaction tx, QueueAllowances allowances, Map<Group, List<Lane>> due, int mostLanes, boolean sized) {
            this.tx = tx;
            this.sized = sized;
            this.allowances = allowances;
            // Types of a group share a place here, so this may be true too early, which does no harm.
            this.manyLanes = due.values().stream().mapToInt(List::size).sum() >= mostLanes;
            this.unvisited = due.entrySet().stream()
                    .filter(group -> allowances.left().isOpen(group.getKey().queue()))
                    .sorted(Comparator.comparingLong(group -> served.getOrDefault(group.getKey(), 0L)))
                    .collect(Collectors.toCollection(ArrayDeque::new));
        }

        List<Candidate> choose(int limit, int allowedSuspects) throws SQLException {
            List<GroupCandidates> open = new ArrayList<>();
            List<Candidate> chosen = new ArrayList<>();
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
                GroupCandidates turn = open.get(at);
                String queue = turn.group().queue();
                Candidate next = allowances.left().isOpen(queue) ? turn.next(suspects) : null;
                if (next == null) {
                    open.remove(at);
                } else {
                    chosen.add(next);
                    allowances.left().take(queue);
                    suspects -= next.suspect() ? 1 : 0;
                    at++;
                }
            }
            return chosen;
        }

        private GroupCandidates visit(Map.Entry<Group, List<Lane>> group) {
            GroupCandidates turn = new GroupCandidates(tx, group.getKey(), group.getValue(), share, sized);
            visited.add(turn);
            return turn;
        }

        /** Corrects the wake times of the visited lanes, and returns whether something due is left. */
        boolean settle() throws SQLException {
            boolean left = false;
            for (Map.Entry<Group, List<Lane>> group : unvisited) {
                left |= !allowances.left().holdsBack(group.getKey().queue());
            }
            for (GroupCandidates turn : visited) {
                boolean due = turn.settle(manyLanes);
                left |= due && !allowances.left().holdsBack(turn.group().queue());
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

    private static List<Claimed> begin(Transaction tx, ClaimRequest request, List<Candidate> chosen)
            throws SQLException {
        Map<Long, Integer> places = new HashMap<>();
        boolean suspects = false;
        for (Candidate candidate : chosen) {
            places.put(candidate.seq(), places.size());
            suspects |= candidate.suspect();
        }
        String json = Candidate.json(chosen);
        if (suspects) {
            tx.sql(ARCHIVE_VANISHED).with(json).with(tx.now()).update();
        }
        long leaseEnd = ColumnValues.after(tx.now(), request.lease());
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
                Task task = TaskMapper.running(row, tx.names(), Instant.ofEpochMilli(leaseEnd));
                int place = places.getOrDefault(TaskMapper.seqOfRunning(row), -1);
                Duration waited = chosen.get(place).waited(task.options().priority(), tx.now());
                begun[place] = claimed(task, request.claim(), waited);
                rows++;
            }
        }
        if (rows != begun.length) {
            throw new IllegalStateException(
                    "Expected " + begun.length + " claimed tasks, but " + rows + " were claimed");
        }
        return List.of(begun);
    }

    /** How long until a queue has the next task of these types for a claim; null if there is none. */
    private static @Nullable Duration nextDue(Transaction tx, ClaimRequest request, QueueAllowances allowances)
            throws SQLException {
        Long next = nextDue(
                tx,
                request.queues().stream()
                        .filter(queue -> !allowances.left().holdsBack(queue))
                        .toList(),
                request);
        for (String queue : request.queues()) {
            Long dueAt = allowances.left().holdsBack(queue) && allowances.left().isLimited(queue)
                    ? nextDue(tx, List.of(queue), request)
                    : null;
            Instant given = dueAt == null ? null : allowances.left().next(queue, Instant.ofEpochMilli(dueAt));
            next = given != null && (next == null || given.toEpochMilli() < next) ? (Long) given.toEpochMilli() : next;
            Long woken = dueAt == null ? null : WokenTasks.next(tx, request, queue, allowances.left());
            next = woken != null && (next == null || woken < next) ? woken : next;
        }
        return next == null ? null : Duration.ofMillis(Math.max(0, next - tx.now()));
    }

    /**
     * When the next task of these queues and types is due, or null if there is none. Wake times may be too early (a lease
     * was extended, a task ended), so the earliest is checked, and corrected, until it is true.
     */
    private static @Nullable Long nextDue(Transaction tx, List<String> queues, ClaimRequest request)
            throws SQLException {
        if (queues.size() >= MANY_QUEUES) {
            return nextDueOfMany(tx, queues, request);
        }
        for (int looks = 0; ; looks++) {
            Wake earliest = null;
            for (String queue : queues) {
                Wake wake = earliest(tx, queue, request);
                earliest = wake != null && (earliest == null || wake.at() < earliest.at()) ? wake : earliest;
            }
            if (earliest == null) {
                return null;
            }
            Long dueAt = GroupCandidates.nextDue(tx, earliest.lane());
            if (looks == MOST_LOOKS || (dueAt != null && dueAt == earliest.at())) {
                return earliest.at();
            }
            tx.wake(earliest.lane(), dueAt);
        }
    }

    /** The same for many queues: their lanes are read once, in order of wake times. */
    private static @Nullable Long nextDueOfMany(Transaction tx, List<String> queues, ClaimRequest request)
            throws SQLException {
        List<Wake> first = new ArrayList<>();
        try (ResultSet row = tx.sql(NEXT_LANES_OF_MANY).with(json(queues)).query()) {
            while (first.size() <= MOST_LOOKS && row.next()) {
                Lane lane = tx.names().lane(row.getInt(1));
                if (request.wants(lane.tenant(), lane.type())) {
                    first.add(new Wake(lane, row.getLong(2)));
                }
            }
        }
        Long earliest = null;
        for (int looks = 0; looks < first.size(); looks++) {
            Wake wake = first.get(looks);
            if (earliest != null && earliest <= wake.at()) {
                return earliest;
            }
            if (looks == MOST_LOOKS) {
                return wake.at(); // it may be too early, and the next claim finds that out
            }
            Long dueAt = GroupCandidates.nextDue(tx, wake.lane());
            if (dueAt == null || dueAt != wake.at()) {
                tx.wake(wake.lane(), dueAt);
            }
            earliest = dueAt != null && (earliest == null || dueAt < earliest) ? dueAt : earliest;
        }
        return earliest;
    }

    /** A lane and its wake time. */
    private record Wake(Lane lane, long at) {}

    private static @Nullable Wake earliest(Transaction tx, String queue, ClaimRequest request) throws SQLException {
        try (ResultSet row = tx.sql(NEXT_LANES).with(queue).query()) {
            while (row.next()) {
                Lane lane = tx.names().lane(row.getInt(1));
                if (request.wants(lane.tenant(), lane.type())) {
                    return new Wake(lane, row.getLong(2));
                }
            }
            return null;
        }
    }
}
