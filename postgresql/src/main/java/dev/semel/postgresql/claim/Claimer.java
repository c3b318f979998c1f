package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.AttemptStarter.Then;
import dev.semel.postgresql.claim.ClaimOpening.Ahead;
import dev.semel.postgresql.claim.ClaimOpening.Expected;
import dev.semel.postgresql.claim.ClaimOpening.Wanted;
import dev.semel.postgresql.claim.DueTasks.Candidate;
import dev.semel.postgresql.claim.DueTasks.Read;
import dev.semel.postgresql.claim.DueTasks.Reading;
import dev.semel.postgresql.submit.DeadLetters;
import dev.semel.postgresql.table.SharedLeases;
import dev.semel.postgresql.table.TaskEnds;
import dev.semel.postgresql.transaction.Database;
import dev.semel.postgresql.transaction.Group;
import dev.semel.postgresql.transaction.Lane;
import dev.semel.postgresql.transaction.Transaction;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.task.TaskId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims of one store. The cost of a claim depends on what it takes: of each lane no more is read than its share.
 *
 * <p>Most claims take two round trips. The first one begins the transaction and reads ahead what the claim before it read,
 * which fits unless lanes or limits have changed. The second one starts the attempts, looks up the next due task if the claim
 * did not take all that it may, and commits.
 *
 * <p>A claim gives out no task whose time limit has passed, whatever the sweep has or has not done yet: the statement that reads due tasks also reads that.
 */
public final class Claimer {

    // Up to this many lanes are read directly; of more, a first statement finds those that have a due task.
    private static final int FEW_LANES = 64;

    // Expired tasks that were asked to cancel and that one claim ends; the next claim continues.
    private static final int MOST_ENDED = 1_000;

    // Rounds in which a claim reads again because a group has more than its share, or tasks that were read wait for a
    // mutex.
    private static final int MOST_ROUNDS = 100;
    private static final int MOST_READ = 2_000;
    private static final int MOST_GROWTH = 1_024;

    private static final int MOST_REMEMBERED = 50_000;

    // Reads one index entry for each lane, and stops when it has found enough.
    private static final String DUE_LANES = """
        SELECT l.lane FROM unnest(?) AS l (lane)
        WHERE (SELECT 1 FROM semel.ready WHERE lane = l.lane AND NOT suspect AND order_at <= ?
            AND order_at + priority * 60000::bigint <= ? LIMIT 1) IS NOT NULL
          OR (SELECT 1 FROM semel.ready WHERE lane = l.lane AND suspect AND order_at <= ?
            AND order_at + priority * 60000::bigint <= ? LIMIT 1) IS NOT NULL
          OR (SELECT 1 FROM semel.running WHERE lane = l.lane AND order_at <= ?
            AND order_at + priority * 60000::bigint <= ? LIMIT 1) IS NOT NULL
        LIMIT ?
        """;

    /** The part of a request that determines its lanes. */
    private record LaneFilter(
            Set<String> queues,
            @Nullable Set<String> types,
            @Nullable String tenant) {

        static LaneFilter of(ClaimRequest request) {
            return new LaneFilter(Set.copyOf(request.queues()), request.types(), request.tenant());
        }
    }

    // When each group was served last by this process. It only keeps turns even, so it may be lost.
    private final Map<Group, Long> served = new ConcurrentHashMap<>();
    private final AtomicLong turn = new AtomicLong();
    private final LaneCursors cursors = new LaneCursors();
    // The lanes of the last claim with each filter, if it read all of them without a limit.
    private final Map<LaneFilter, List<Lane>> lanesBefore = new ConcurrentHashMap<>();
    private final int sharedFrom;

    /**
     * Claims for one store.
     *
     * @param sharedFrom the least number of tasks of a lane that share a lease
     */
    public Claimer(int sharedFrom) {
        this.sharedFrom = sharedFrom;
    }

    /**
     * Claims. Tasks whose time limits somebody has to look at are not taken. Those that the claim has met are ended behind it, once, and if it took nothing
     * else, it is tried once more: what has passed elsewhere, and what is locked, is left to the sweep.
     */
    public Claims claim(Database database, ClaimRequest request) {
        Set<TaskId> overdue = new LinkedHashSet<>();
        Claims claims = claim(database, request, overdue);
        if (overdue.isEmpty()) {
            return claims;
        }
        OverdueTasks.end(database, overdue);
        return claims.tasks().isEmpty() ? claim(database, request, new LinkedHashSet<>()) : claims;
    }

    private Claims claim(Database database, ClaimRequest request, Set<TaskId> overdue) {
        ClaimOpening opening = new ClaimOpening(database, request, expected(request));
        return database.write(opening, tx -> {
            overdue.clear();
            if (opening.ahead() instanceof Ahead.Tasks tasks) {
                tx.renewNow(tasks.read().now());
            }
            return claim(tx, request, opening, overdue);
        });
    }

    private Expected expected(ClaimRequest request) {
        List<Lane> before = request.repeated() ? null : lanesBefore.get(LaneFilter.of(request));
        return before == null ? new Expected.Unknown() : new Expected.Known(before, wholeReading(before, request));
    }

    private Claims claim(Transaction tx, ClaimRequest request, ClaimOpening opening, Set<TaskId> overdue)
            throws SQLException {
        List<Wanted> wanted = opening.wanted();
        List<Lane> lanes = wanted.stream().map(Wanted::lane).toList();
        Ahead ahead = endExpired(tx, wanted) ? new Ahead.Nothing() : opening.ahead();
        QueueAllowances allowances = new QueueAllowances(tx, request);
        if (lanes.isEmpty()) {
            allowances.save();
            return new Claims(List.of(), null);
        }
        AttemptStarter starter = new AttemptStarter(tx, request, lanes, sharedFrom);
        if (request.repeated()) {
            starter.readStarted();
        }
        if (starter.claimed().isEmpty()) {
            Rounds rounds = new Rounds(tx, request, allowances, lanes, starter, overdue);
            long entries = wanted.getFirst().entries();
            rounds.takeWoken();
            boolean wholly = starter.room().isFull()
                    || rounds.take((open, reading) -> rounds.readFirst(open, reading, ahead, entries));
            if (!starter.room().isFull() && !wholly) {
                cursors.reset(lanes.stream().map(Lane::id).toList());
                boolean unused = rounds.take(rounds::read);
            }
            if (!starter.isCommitted()) {
                allowances.save();
            }
            if (starter.room().isFull()) {
                // There may be more, and a claimer that took all that it may does not need to know when.
                return new Claims(starter.claimed(), Duration.ZERO);
            }
        }
        return new Claims(starter.claimed(), starter.nextDue(allowances));
    }

    /**
     * Ends running tasks that were asked to cancel and whose lease has expired, and splits expired shared leases. Returns
     * whether there were any.
     */
    private static boolean endExpired(Transaction tx, List<Wanted> wanted) throws SQLException {
        List<Integer> numbers = wanted.stream().map(one -> one.lane().id()).toList();
        boolean asked = wanted.stream().anyMatch(Wanted::asked);
        boolean expired = wanted.stream().anyMatch(Wanted::expired);
        if (asked) {
            DeadLetters.submit(tx, TaskEnds.endVanished(tx, numbers, MOST_ENDED));
        }
        if (expired) {
            SharedLeases.splitExpired(tx, numbers);
        }
        return asked || expired;
    }

    /** Reads a share of the due tasks of lanes. */
    private interface LaneReader {
        Read read(List<Lane> lanes, Reading reading) throws SQLException;
    }

    /** The rounds of one claim: each reads due tasks, picks from them, and starts their attempts. */
    private final class Rounds {

        private final Transaction tx;
        private final ClaimRequest request;
        private final QueueAllowances allowances;
        private final List<Lane> lanes;
        private final AttemptStarter starter;
        private final Set<TaskId> overdue;

        Rounds(
                Transaction tx,
                ClaimRequest request,
                QueueAllowances allowances,
                List<Lane> lanes,
                AttemptStarter starter,
                Set<TaskId> overdue) {
            this.tx = tx;
            this.request = request;
            this.allowances = allowances;
            this.lanes = lanes;
            this.starter = starter;
            this.overdue = overdue;
        }

        /** Takes the woken workflows of queues with a rate limit, which they use nothing of. */
        void takeWoken() throws SQLException {
            FairPicker.Allowance allowance = allowances.ofWoken();
            for (int round = 0; round < MOST_ROUNDS && !starter.room().isFull(); round++) {
                List<Lane> open = lanes.stream()
                        .filter(lane -> allowance.isOpen(lane.queue()))
                        .sorted(Comparator.comparingLong(lane -> served.getOrDefault(lane.group(), 0L)))
                        .toList();
                if (open.isEmpty()) {
                    return;
                }
                int left = starter.room().tasks();
                int suspects = starter.suspectsLeft();
                Set<Group> groups = open.stream().map(Lane::group).collect(Collectors.toCollection(LinkedHashSet::new));
                List<Candidate> picked = new FairPicker(
                                groups, DueTasks.woken(tx, open, left, suspects, request.isBoundByBytes()))
                        .pick(left, suspects, allowance);
                List<Candidate> free = allowances.unblocked(picked, starter.room());
                starter.start(free, Then.CONTINUE);
                if (free.size() == picked.size()) {
                    return;
                }
            }
        }

        /** Takes what the lanes give, and returns whether all of them were read from their beginning. */
        boolean take(LaneReader first) throws SQLException {
            int suspects = starter.suspectsLeft();
            boolean wholly = true;
            Map<Group, List<Lane>> groups = groups(tx, allowances, lanes, request.limit());
            int growth = 1;
            for (int round = 0; round < MOST_ROUNDS && !groups.isEmpty(); round++) {
                int left = starter.room().tasks();
                int share = share(groups.size(), left, growth);
                if (growth == 1) {
                    share = Math.min(share, most(groups.keySet(), allowances));
                }
                List<Lane> open = groups.values().stream().flatMap(List::stream).toList();
                Reading reading = new Reading(cursors.of(open), share, suspects, request.isBoundByBytes());
                Read read = (round == 0 ? first : (LaneReader) this::read).read(open, reading);
                overdue.addAll(read.overdue());
                wholly &= reading.isFromTheBeginning();
                List<Candidate> picked = new FairPicker(groups.keySet(), read.found())
                        .pick((int) Math.min((long) left * growth, Integer.MAX_VALUE), suspects, allowances);
                List<Candidate> free = allowances.unblocked(picked, starter.room());
                boolean full = starter.room().isFull();
                served(free);
                groups.keySet().retainAll(read.groupsWithMore());
                groups.keySet().removeIf(group -> !allowances.isOpen(group.queue()));
                starter.start(free, then(full, wholly && groups.isEmpty()));
                free.forEach(cursors::passed);
                suspects -= (int) free.stream().filter(Candidate::suspect).count();
                if (full) {
                    return wholly;
                }
                boolean blocked = free.size() < picked.size();
                // Thousands may wait behind one mutex: read further each time.
                growth = blocked ? Math.min(growth * 4, MOST_GROWTH) : growth;
            }
            return wholly;
        }

        /** Returns what is sent with the statement that starts attempts: nothing while there may be more to do. */
        private Then then(boolean full, boolean noMore) {
            if (!allowances.areUnlimited()) {
                return Then.CONTINUE;
            }
            return full ? Then.COMMIT : noMore ? Then.NEXT_DUE_AND_COMMIT : Then.CONTINUE;
        }

        Read read(List<Lane> open, Reading reading) throws SQLException {
            return DueTasks.read(tx, open, reading);
        }

        /** Uses what was read ahead if it fits, and learns from the cost of the read. */
        Read readFirst(List<Lane> open, Reading reading, Ahead ahead, long entries) throws SQLException {
            long unused = 0;
            Read read;
            if (ahead instanceof Ahead.Tasks tasks && tasks.read().reading().equals(reading)) {
                read = tasks.read();
            } else {
                unused = ahead instanceof Ahead.Tasks tasks
                        ? tasks.read().found().size() + tasks.read().overdue().size()
                        : 0;
                read = read(open, reading);
            }
            cursors.examine(tx, read, entries + unused);
            remember(request, lanes, allowances.areUnlimited() && reading.equals(wholeReading(lanes, request)));
            return read;
        }
    }

    /** Returns what a claim reads first if nothing limits it. */
    private Reading wholeReading(List<Lane> lanes, ClaimRequest request) {
        int groups = (int) lanes.stream().map(Lane::group).distinct().count();
        int share = share(groups, request.limit(), 1);
        return new Reading(cursors.of(lanes), share, request.suspects(), request.isBoundByBytes());
    }

    /**
     * Returns how many tasks of a lane are read: for one group all that may be taken, for more groups a little more than their
     * part, because what is read is locked.
     */
    private static int share(int groups, int left, int growth) {
        return groups == 1 && growth == 1
                ? left
                : (int) Math.min((left / groups + 1L) * growth, Math.max(MOST_READ, left));
    }

    private void remember(ClaimRequest request, List<Lane> lanes, boolean whole) {
        LaneFilter filter = LaneFilter.of(request);
        if (!whole || lanes.size() > FEW_LANES) {
            lanesBefore.remove(filter);
        } else if (!lanes.equals(lanesBefore.get(filter))) {
            if (lanesBefore.size() >= MOST_REMEMBERED) {
                lanesBefore.clear();
            }
            lanesBefore.put(filter, lanes);
        }
    }

    private static int most(Collection<Group> groups, QueueAllowances allowances) {
        long most = 1;
        for (Group group : groups) {
            most = Math.max(most, allowances.left(group.queue()));
        }
        return (int) Math.min(most, Integer.MAX_VALUE);
    }

    /** Notes the turns of the groups of these tasks, in the order of their last ones. */
    private void served(List<Candidate> taken) {
        if (served.size() >= MOST_REMEMBERED) {
            served.clear();
        }
        Set<Group> lastFirst = new LinkedHashSet<>();
        taken.reversed().forEach(candidate -> lastFirst.add(candidate.lane().group()));
        List.copyOf(lastFirst).reversed().forEach(group -> served.put(group, turn.incrementAndGet()));
    }

    /** Returns the groups of open queues that may have due tasks, the ones that waited longest for a turn first. */
    private Map<Group, List<Lane>> groups(Transaction tx, QueueAllowances allowances, List<Lane> lanes, int limit)
            throws SQLException {
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
                .list(row -> row.getInt("lane")));
        all.values().forEach(some -> some.removeIf(lane -> !due.contains(lane.id())));
        all.values().removeIf(List::isEmpty);
        return all;
    }
}
