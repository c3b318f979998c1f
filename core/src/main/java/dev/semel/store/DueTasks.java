package dev.semel.store;

import dev.semel.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The pending and running tasks of {@link InMemoryTaskStore}, in the order in which claims take them.
 *
 * <p>Each tenant of each queue is a group, and groups take turns. Within a group tasks lie in lanes of one type, one
 * priority and one degree of suspicion. In a lane the order of claims is the order of due times, so a claim reads the heads
 * of a few lanes and never walks past a task that it may not take: not those of other types, not those that are due only
 * later but rank before others by their priority, not those with a vanished attempt.
 */
final class DueTasks {

    private record Lane(String type, int priority, boolean suspect) {}

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
        List<Turn> turns = new ArrayList<>();
        for (String queue : new TreeSet<>(request.queues())) {
            queues.getOrDefault(queue, new TreeMap<>())
                    .forEach((tenant, lanes) -> turns.add(new Turn(queue, matching(lanes, tenant, request), now)));
        }
        turns.removeIf(turn -> turn.next(true) == null);
        List<StoredTask> chosen = new ArrayList<>();
        int suspects = 0;
        long bytes = 0;
        // Begins with another group for each claim: a worker with one free slot would never leave the first one.
        int at = turns.isEmpty() ? 0 : (int) Math.floorMod(request.claim(), (long) turns.size());
        while (chosen.size() < request.limit() && !turns.isEmpty()) {
            at = at % turns.size();
            Turn turn = turns.get(at);
            StoredTask next = allowances.isOpen(turn.queue) ? turn.next(suspects < request.suspects()) : null;
            if (next == null) {
                turns.remove(at);
            } else if (allowances.isBlocked(next)) {
                turn.taken(next);
            } else if (!chosen.isEmpty() && bytes + inputBytes(next, request) > request.bytes()) {
                break;
            } else {
                turn.taken(next);
                bytes += inputBytes(next, request);
                allowances.take(next);
                chosen.add(next);
                suspects += next.isSuspect() ? 1 : 0;
                at++;
            }
        }
        return chosen;
    }

    private static int inputBytes(StoredTask task, ClaimRequest request) {
        String input = request.isBoundByBytes() ? task.task().input() : null;
        return input == null ? 0 : input.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The time from which the next task of a queue is due, or null if there is none. */
    @Nullable
    Instant nextDue(String queue, ClaimRequest request) {
        Instant next = null;
        for (Map.Entry<String, Map<Lane, NavigableSet<StoredTask>>> tenant :
                queues.getOrDefault(queue, new TreeMap<>()).entrySet()) {
            for (NavigableSet<StoredTask> tasks : matching(tenant.getValue(), tenant.getKey(), request)) {
                Instant dueAt = tasks.first().dueAt();
                next = next == null || dueAt.isBefore(next) ? dueAt : next;
            }
        }
        return next;
    }

    private static Lane laneOf(StoredTask task) {
        return new Lane(task.task().type(), task.task().options().priority(), task.isSuspect());
    }

    private static Collection<NavigableSet<StoredTask>> matching(
            Map<Lane, NavigableSet<StoredTask>> lanes, String tenant, ClaimRequest request) {
        List<NavigableSet<StoredTask>> matching = new ArrayList<>();
        lanes.forEach((lane, tasks) -> {
            if (request.wants(tenant, lane.type())) {
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
