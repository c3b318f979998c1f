package dev.semel.jdbc;

import dev.semel.jdbc.PostgresClaimBeginning.Wanted;
import dev.semel.jdbc.PostgresNames.Group;
import dev.semel.jdbc.PostgresNames.Lane;
import dev.semel.jdbc.PostgresTaking.End;
import dev.semel.jdbc.PostgresTurns.Candidate;
import dev.semel.jdbc.PostgresTurns.Read;
import dev.semel.jdbc.PostgresTurns.Reading;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
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
import org.jspecify.annotations.Nullable;

/**
 * Claiming. Its cost follows what it takes: of each lane no more is read than its share.
 *
 * <p>Most claims are two round trips. The first one begins, and reads what the claim before it read: if this one has to read the
 * same, as it does unless lanes or limits have changed, it goes on with that. The second one takes, asks for the next due task if
 * it did not take all that it might, and commits.
 */
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

    // Reads one entry of an index for each lane, and stops when it has found enough.
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

    /** Who claims, as far as it decides about lanes. */
    private record Claimer(Set<String> queues, @Nullable Set<String> types) {

        static Claimer of(ClaimRequest request) {
            return new Claimer(Set.copyOf(request.queues()), request.types());
        }
    }

    // When each group was served last, by this process. Lost with it, and that is no harm: it only keeps turns even.
    private final Map<Group, Long> served = new ConcurrentHashMap<>();
    private final AtomicLong turn = new AtomicLong();
    private final PostgresStarts starts = new PostgresStarts();
    // The lanes of the last claim of each, if it read all of them, and nothing limited how much.
    private final Map<Claimer, List<Lane>> lanesBefore = new ConcurrentHashMap<>();
    private final int sharedFrom;

    /**
     * Claims for one store.
     *
     * @param sharedFrom how many tasks of a lane share a lease at the least
     */
    PostgresClaims(int sharedFrom) {
        this.sharedFrom = sharedFrom;
    }

    Claims claim(PostgresDatabase database, ClaimRequest request) {
        List<Lane> before = request.repeated() ? null : lanesBefore.get(Claimer.of(request));
        Reading expected = before == null ? null : wholeReading(before, request);
        PostgresClaimBeginning beginning =
                new PostgresClaimBeginning(database, request, before == null ? List.of() : before, expected);
        Done done = database.write(beginning, tx -> claim(tx, request, beginning));
        done.sharing().forEach(database.leases()::remember);
        return done.claims();
    }

    /** A claim that has committed, and which of its tasks share leases. */
    private record Done(Claims claims, List<List<Candidate>> sharing) {}

    private Done claim(PostgresTransaction tx, ClaimRequest request, PostgresClaimBeginning beginning)
            throws SQLException {
        List<Wanted> wanted = beginning.wanted();
        List<Lane> lanes = wanted.stream().map(Wanted::lane).toList();
        Read first = beginning.read();
        if (first != null) {
            tx.renewNow(first.now());
        }
        if (endWhatHasTo(tx, wanted)) {
            first = null;
        }
        PostgresAllowances allowances = new PostgresAllowances(tx, request);
        if (lanes.isEmpty()) {
            allowances.settle();
            return new Done(new Claims(List.of(), null), List.of());
        }
        PostgresTaking taking = new PostgresTaking(tx, request, lanes, sharedFrom);
        if (request.repeated()) {
            taking.takeAgain();
        }
        if (taking.taken().isEmpty()) {
            Before before = new Before(first, wanted.getFirst().read());
            boolean wholly = take(tx, request, allowances, lanes, taking, before);
            if (!taking.room().isFull() && !wholly) {
                starts.beginAnew(lanes.stream().map(Lane::id).toList());
                boolean unused = take(tx, request, allowances, lanes, taking, null);
            }
            if (!taking.isCommitted()) {
                allowances.settle();
            }
            if (taking.room().isFull()) {
                // Perhaps there is more. Who took all that it may has no use for knowing when.
                return new Done(new Claims(taking.taken(), Duration.ZERO), taking.sharing());
            }
        }
        return new Done(new Claims(taking.taken(), taking.nextDue(allowances)), taking.sharing());
    }

    /** Ends what has to be ended in the lanes that the request wants, and tells whether there was anything. */
    private static boolean endWhatHasTo(PostgresTransaction tx, List<Wanted> wanted) throws SQLException {
        List<Integer> numbers = wanted.stream().map(one -> one.lane().id()).toList();
        boolean asked = wanted.stream().anyMatch(Wanted::asked);
        boolean expired = wanted.stream().anyMatch(Wanted::expired);
        if (asked) {
            PostgresEnds.endVanished(tx, numbers, MOST_ENDED);
        }
        if (expired) {
            PostgresLeases.takeExpiredApart(tx, numbers);
        }
        return asked || expired;
    }

    /** What is known before the first round: perhaps what it reads, and how much was read of the index until then. */
    private record Before(@Nullable Read read, long entries) {}

    /** Takes what the lanes give, and tells whether they were read from their beginning. */
    private boolean take(
            PostgresTransaction tx,
            ClaimRequest request,
            PostgresAllowances allowances,
            List<Lane> lanes,
            PostgresTaking taking,
            @Nullable Before before)
            throws SQLException {
        int suspects = taking.suspectsLeft();
        boolean wholly = true;
        Map<Group, List<Lane>> groups = groups(tx, allowances, lanes, request.limit());
        int growth = 1;
        for (int round = 0; round < MOST_ROUNDS && !groups.isEmpty(); round++) {
            int left = taking.room().tasks();
            int share = share(groups.size(), left, growth);
            if (growth == 1) {
                share = Math.min(share, most(groups.keySet(), allowances));
            }
            List<Lane> open = groups.values().stream().flatMap(List::stream).toList();
            Reading reading = Reading.of(open, starts, share, suspects, request.isBoundByBytes());
            Read read = read(tx, open, reading, round == 0 ? before : null);
            wholly &= reading.isFromTheBeginning();
            if (round == 0 && before != null) {
                remember(request, lanes, allowances.areUnlimited() && reading.equals(wholeReading(lanes, request)));
            }
            PostgresTurns turns = new PostgresTurns(groups.keySet(), read);
            List<Candidate> chosen =
                    turns.choose((int) Math.min((long) left * growth, Integer.MAX_VALUE), suspects, allowances);
            List<Candidate> free = allowances.unblocked(chosen, taking.room());
            boolean full = taking.room().isFull();
            served(free);
            groups.keySet().retainAll(new HashSet<>(turns.withMore()));
            groups.keySet().removeIf(group -> !allowances.isOpen(group.queue()));
            taking.take(free, end(allowances, full, wholly && groups.isEmpty()));
            free.forEach(starts::took);
            suspects -= (int) free.stream().filter(Candidate::suspect).count();
            if (full) {
                return wholly;
            }
            boolean blocked = free.size() < chosen.size();
            // Thousands may wait behind one mutex: look further each time.
            growth = blocked ? Math.min(growth * 4, MOST_GROWTH) : growth;
        }
        return wholly;
    }

    /** What goes with the statement that takes: nothing while there may be more to do. */
    private static End end(PostgresAllowances allowances, boolean full, boolean noMore) {
        if (!allowances.areUnlimited()) {
            return End.MORE;
        }
        return full ? End.FULL : noMore ? End.SHORT : End.MORE;
    }

    private Read read(PostgresTransaction tx, List<Lane> lanes, Reading reading, @Nullable Before before)
            throws SQLException {
        Read first = before == null ? null : before.read();
        boolean fits = first != null && first.reading().equals(reading);
        Read read = first != null && fits ? first : PostgresTurns.read(tx, lanes, reading);
        if (before != null) {
            int unused = first == null || fits ? 0 : first.found().size();
            starts.look(tx, read, before.entries() + unused);
        }
        return read;
    }

    /** What a claim reads first if nothing limits it. */
    private Reading wholeReading(List<Lane> lanes, ClaimRequest request) {
        int groups = (int) lanes.stream().map(Lane::group).distinct().count();
        int share = share(groups, request.limit(), 1);
        return Reading.of(lanes, starts, share, request.suspects(), request.isBoundByBytes());
    }

    /** One group takes all that is left, more of them a little more than their part: what is read is locked. */
    private static int share(int groups, int left, int growth) {
        return groups == 1 && growth == 1
                ? left
                : (int) Math.min((left / groups + 1L) * growth, Math.max(MOST_READ, left));
    }

    private void remember(ClaimRequest request, List<Lane> lanes, boolean whole) {
        Claimer claimer = Claimer.of(request);
        if (!whole || lanes.size() > FEW_LANES) {
            lanesBefore.remove(claimer);
        } else if (!lanes.equals(lanesBefore.get(claimer))) {
            if (lanesBefore.size() >= MOST_REMEMBERED) {
                lanesBefore.clear();
            }
            lanesBefore.put(claimer, lanes);
        }
    }

    private static int most(Collection<Group> groups, PostgresAllowances allowances) {
        long most = 1;
        for (Group group : groups) {
            most = Math.max(most, allowances.left(group.queue()));
        }
        return (int) Math.min(most, Integer.MAX_VALUE);
    }

    /** Remembers the turns of the groups that give these tasks, in the order of their last ones. */
    private void served(List<Candidate> taken) {
        if (served.size() >= MOST_REMEMBERED) {
            served.clear();
        }
        Set<Group> lastFirst = new LinkedHashSet<>();
        taken.reversed().forEach(candidate -> lastFirst.add(candidate.lane().group()));
        List.copyOf(lastFirst).reversed().forEach(group -> served.put(group, turn.incrementAndGet()));
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
}
