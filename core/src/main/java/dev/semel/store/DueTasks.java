package dev.semel.store;

import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The pending and running tasks of {@link InMemoryTaskStore}, in the order in which claims take them.
 *
 * <p>Each tenant of each queue is a group, and groups take turns. Within a group tasks lie in lanes of one type, one
 * priority and one degree of suspicion, woken workflows apart from others. In a lane the order of claims is the order of due times, so a claim reads the heads
 * of a few lanes and never walks past a task that it may not take: not those of other types, not those that are due only
 * later but rank before others by their priority, not those with a vanished attempt.
 */
final class DueTasks {

    private record Lane(String type, int priority, boolean suspect, boolean woken) {}

    // Sorted by tenant, so that groups always take turns in the same order.
    private final Map<String, TreeMap<String, Map<Lane, NavigableSet<StoredTask>>>> queues = new HashMap<>();

    static boolean holds(StoredTask task) {
        return task.state() == TaskState.PENDING || task.state() == TaskState.RUNNING;
    }

    void add(StoredTask task) {
        queues.computeIfAbsent(task.task().queue(), queue -> new TreeMap<>())
                .computeIfAbsent(task.task().tenant(), tenant -> new HashMap<>())
                .computeIfAbsent(laneOf(task), lane -> new TreeSet<>(StoredTask.BY_DUE))
                .add(task);
    }

    void remove(StoredTask task) {
        queues.computeIfPresent(task.task().queue(), (queue, tenants) -> {
            tenants.computeIfPresent(task.task().tenant(), (tenant, lanes) -> {
                lanes.computeIfPresent(laneOf(task), (lane, tasks) -> {
                    tasks.remove(task);
                    return tasks.isEmpty() ? null : tasks;
                });
                return lanes.isEmpty() ? null : lanes;
            });
            return tenants.isEmpty() ? null : tenants;
        });
    }

    /** Chooses the tasks that a claim takes; changes nothing. */
    List<StoredTask> choose(ClaimRequest request, Instant now, Allowances allowances) {
        Choice choice = new Choice(request, allowances);
        Set<String> apart = new HashSet<>();
        for (String queue : request.queues()) {
            if (allowances.isOpenToWoken(queue)) {
                apart.add(queue);
            }
        }
        if (!apart.isEmpty()) {
            choice.take(turns(apart, request, now, Lane::woken), true);
        }
        choice.take(turns(request.queues(), request, now, lane -> true), false);
        return choice.chosen;
    }

    private List<Turn> turns(Collection<String> some, ClaimRequest request, Instant now, Predicate<Lane> which) {
        List<Turn> turns = new ArrayList<>();
        for (String queue : new TreeSet<>(some)) {
            queues.getOrDefault(queue, new TreeMap<>())
                    .forEach((tenant, lanes) ->
                            turns.add(new Turn(queue, matching(lanes, tenant, request, which), now)));
        }
        turns.removeIf(turn -> turn.next(true) == null);
        return turns;
    }

    /** The tasks that one claim takes. */
    private static final class Choice {

        private final ClaimRequest request;
        private final Allowances allowances;
        private final Set<TaskId> passed = new HashSet<>();
        private final List<StoredTask> chosen = new ArrayList<>();
        private int suspects;
        private long bytes;
        private boolean full;

        Choice(ClaimRequest request, Allowances allowances) {
            this.request = request;
            this.allowances = allowances;
        }

        void take(List<Turn> turns, boolean woken) {
            // Begins with another group for each claim: a worker with one free slot would never leave the first one.
            int at = turns.isEmpty() ? 0 : (int) Math.floorMod(request.claim(), (long) turns.size());
            while (!full && chosen.size() < request.limit() && !turns.isEmpty()) {
                at = at % turns.size();
                Turn turn = turns.get(at);
                boolean open = woken ? allowances.isOpenToWoken(turn.queue) : allowances.isOpen(turn.queue);
                StoredTask next = open ? turn.next(suspects < request.suspects()) : null;
                if (next == null) {
                    turns.remove(at);
                } else if (passed.contains(next.id()) || allowances.isBlocked(next)) {
                    passed.add(next.id());
                    turn.taken(next);
                } else if (!chosen.isEmpty() && bytes + inputBytes(next, request) > request.bytes()) {
                    full = true;
                } else {
                    turn.taken(next);
                    take(next, woken);
                    at++;
                }
            }
        }

        private void take(StoredTask next, boolean woken) {
            bytes += inputBytes(next, request);
            if (woken) {
                allowances.takeWoken(next);
            } else {
                allowances.take(next);
            }
            passed.add(next.id());
            chosen.add(next);
            suspects += next.isSuspect() ? 1 : 0;
        }
    }

    private static int inputBytes(StoredTask task, ClaimRequest request) {
        String input = request.isBoundByBytes() ? task.task().input() : null;
        return input == null ? 0 : input.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The time from which the next task of a queue is due, or null if there is none. */
    @Nullable
    Instant nextDue(String queue, ClaimRequest request) {
        return nextDue(queue, request, lane -> true);
    }

    /** The time from which the next woken workflow of a queue is due, or null if there is none. */
    @Nullable
    Instant nextWoken(String queue, ClaimRequest request) {
        return nextDue(queue, request, Lane::woken);
    }

    private @Nullable Instant nextDue(String queue, ClaimRequest request, Predicate<Lane> which) {
        Instant next = null;
        for (Map.Entry<String, Map<Lane, NavigableSet<StoredTask>>> tenant :
                queues.getOrDefault(queue, new TreeMap<>()).entrySet()) {
            for (NavigableSet<StoredTask> tasks : matching(tenant.getValue(), tenant.getKey(), request, which)) {
                Instant dueAt = tasks.first().dueAt();
                next = next == null || dueAt.isBefore(next) ? dueAt : next;
            }
        }
        return next;
    }

    private static Lane laneOf(StoredTask task) {
        return new Lane(task.task().type(), task.task().options().priority(), task.isSuspect(), task.isWoken());
    }

    private static Collection<NavigableSet<StoredTask>> matching(
            Map<Lane, NavigableSet<StoredTask>> lanes, String tenant, ClaimRequest request, Predicate<Lane> which) {
        List<NavigableSet<StoredTask>> matching = new ArrayList<>();
        lanes.forEach((lane, tasks) -> {
            if (which.test(lane) && request.wants(tenant, lane.type())) {
                matching.add(tasks);
            }
        });
        return matching;
    }

    /** The tasks that one group can still give to a claim. */
    private static final class Turn {

        // The first task of each lane that is not taken yet, with the iterator over the tasks behind it.
        private final NavigableMap<StoredTask, Iterator<StoredTask>> heads = new TreeMap<>(StoredTask.BY_RANK);
        private final String queue;
        private final Instant now;

        Turn(String queue, Collection<NavigableSet<StoredTask>> lanes, Instant now) {
            this.queue = queue;
            this.now = now;
            lanes.forEach(lane -> advance(lane.iterator()));
        }

        @Nullable
        StoredTask next(boolean suspectsToo) {
            for (StoredTask head : heads.keySet()) {
                if (suspectsToo || !head.isSuspect()) {
                    return head;
                }
            }
            return null;
        }

        void taken(StoredTask head) {
            Iterator<StoredTask> rest = heads.remove(head);
            if (rest != null) {
                advance(rest);
            }
        }

        private void advance(Iterator<StoredTask> lane) {
            if (lane.hasNext()) {
                StoredTask head = lane.next();
                if (head.isDue(now)) {
                    heads.put(head, lane);
                }
            }
        }
    }
}
