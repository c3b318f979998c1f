package dev.semel.postgresql.claim;

import dev.semel.postgresql.claim.DueTasks.Candidate;
import dev.semel.postgresql.transaction.Group;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Picks tasks fairly among those that were read: groups take turns, and within a group tasks are picked in their order. */
final class FairPicker {

    private static final Comparator<Candidate> BY_RANK =
            Comparator.comparingLong(Candidate::orderAt).thenComparingLong(Candidate::seq);

    /** The tasks of one group that are not picked yet. */
    private static final class Turn {

        private final Group group;
        private final Deque<Candidate> ready = new ArrayDeque<>();
        private final Deque<Candidate> suspects = new ArrayDeque<>();

        Turn(Group group) {
            this.group = group;
        }

        @Nullable
        Candidate next(int suspectsLeft) {
            Candidate first = ready.peek();
            Candidate suspect = suspectsLeft > 0 ? suspects.peek() : null;
            boolean takeSuspect = suspect != null && (first == null || BY_RANK.compare(suspect, first) < 0);
            return takeSuspect ? suspects.poll() : ready.poll();
        }
    }

    private final Map<Group, Turn> turns = new LinkedHashMap<>();

    /**
     * Prepares the turns of groups.
     *
     * @param groups the groups in the order of their turns
     * @param found the tasks that were read of them
     */
    FairPicker(Collection<Group> groups, List<Candidate> found) {
        groups.forEach(group -> turns.put(group, new Turn(group)));
        List<Candidate> sorted = new ArrayList<>(found);
        sorted.sort(BY_RANK);
        for (Candidate candidate : sorted) {
            Turn turn = turns.get(candidate.lane().group());
            if (turn == null) {
                throw new IllegalStateException("Lane " + candidate.lane().id() + " was read, but not asked for");
            }
            (candidate.suspect() ? turn.suspects : turn.ready).add(candidate);
        }
    }

    /** What limits how many tasks are picked. */
    interface Allowance {

        /** Returns whether more may be taken from a queue. */
        boolean isOpen(String queue);

        /** Counts a task that is taken from a queue. */
        void take(String queue);
    }

    /** Picks at most so many tasks, and counts them in the allowances of their queues. */
    List<Candidate> pick(int limit, int allowedSuspects, Allowance allowances) {
        List<Turn> open = new ArrayList<>(turns.values());
        List<Candidate> picked = new ArrayList<>();
        int suspects = allowedSuspects;
        int at = 0;
        while (picked.size() < limit && !open.isEmpty()) {
            at = at >= open.size() ? 0 : at;
            Turn turn = open.get(at);
            Candidate next = allowances.isOpen(turn.group.queue()) ? turn.next(suspects) : null;
            if (next == null) {
                open.remove(at);
            } else {
                picked.add(next);
                allowances.take(turn.group.queue());
                suspects -= next.suspect() ? 1 : 0;
                at++;
            }
        }
        return picked;
    }
}
