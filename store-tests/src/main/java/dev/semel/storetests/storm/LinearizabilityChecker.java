package dev.semel.storetests.storm;

import dev.semel.storetests.storm.StormOperation.Certainty;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks for an order of the operations of one identity that explains every answer: each operation takes effect at one moment
 * between its question and its answer, and the answers are those that {@link IdentityModel} gives in that order.
 *
 * <p>It reads calls and answers in order of time and keeps the set of all situations that are still possible: a state,
 * and which of the open calls have taken effect already. A call is ordered no earlier than necessary, that is when it is
 * answered, together with those that had to be before it. A call that changes nothing is taken as soon as its answer is true:
 * later it may be false, and taking it restricts no other.
 */
final class LinearizabilityChecker {

    // A right store stays below a hundred; beyond this the history has too many lost answers to say anything.
    private static final int MOST_SITUATIONS = 20_000;
    private static final int SHOWN_OPERATIONS = 25;
    private static final int SHOWN_SITUATIONS = 3;

    /** Whether some order of the operations explains their answers. */
    sealed interface Verdict {

        record Explained() implements Verdict {}

        /** There are too many possibilities to decide. */
        record Undecided() implements Verdict {}

        /**
         * No order does.
         *
         * @param description the first answer that cannot be explained, and the operations before it in order
         */
        record Unexplained(String description) implements Verdict {}
    }

    private record Situation(ModelState state, Set<StormOperation> done) {}

    private record Event(long nanos, boolean isAnswer, StormOperation operation) {}

    private final IdentityModel model;
    private final boolean thorough;
    private final Set<StormOperation> open = new LinkedHashSet<>();
    private Set<Situation> situations = new LinkedHashSet<>(Set.of(new Situation(ModelState.EMPTY, Set.of())));
    // Some call that was answered took effect after this nanosecond, in every situation.
    private long since = Long.MIN_VALUE;
    private boolean gaveUp;

    private LinearizabilityChecker(IdentityModel model, boolean thorough) {
        this.model = model;
        this.thorough = thorough;
    }

    /**
     * Checks the operations of one identity.
     *
     * @param model the laws
     * @param operations in any order
     * @return whether an order explains all answers
     */
    static Verdict check(IdentityModel model, List<StormOperation> operations) {
        // Each lost call doubles the possibilities. So first they are left out as long as they are not needed, which
        // finds an
        // order nearly always; only if that finds none, all of them are tried.
        Verdict first = new LinearizabilityChecker(model, false).check(operations);
        return first instanceof Verdict.Unexplained ? new LinearizabilityChecker(model, true).check(operations) : first;
    }

    private Verdict check(List<StormOperation> operations) {
        List<Event> events = new ArrayList<>();
        for (StormOperation operation : operations) {
            events.add(new Event(operation.span().asked(), false, operation));
            events.add(new Event(operation.span().answered(), true, operation));
        }
        // At the same nanosecond a call is before an answer: then the two calls overlap, which allows more.
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::isAnswer));
        Deque<StormOperation> answered = new ArrayDeque<>();
        for (Event event : events) {
            StormOperation operation = event.operation();
            if (!event.isAnswer()) {
                open.add(operation);
                situations = absorbed(situations);
                continue;
            }
            Set<Situation> before = situations;
            situations = answer(operation);
            answered.addLast(operation);
            if (answered.size() > SHOWN_OPERATIONS) {
                answered.removeFirst();
            }
            if (operation.certainty() != Certainty.LOST) {
                since = Math.max(since, operation.span().asked());
            }
            if (gaveUp) {
                return new Verdict.Undecided();
            }
            if (situations.isEmpty()) {
                return new Verdict.Unexplained(described(operation, before, answered));
            }
        }
        return new Verdict.Explained();
    }

    private Set<Situation> answer(StormOperation operation) {
        Set<Situation> kept = thorough ? Set.of() : search(operation, false);
        if (kept.isEmpty()) {
            kept = search(operation, true);
        }
        open.remove(operation);
        Set<Situation> without = new LinkedHashSet<>();
        for (Situation situation : kept) {
            Set<StormOperation> done = new HashSet<>(situation.done());
            done.remove(operation);
            without.add(new Situation(situation.state(), done));
        }
        return without;
    }

    /** The situations in which an operation has taken effect, after others that had to be first. */
    private Set<Situation> search(StormOperation operation, boolean withLost) {
        Set<Situation> kept = new LinkedHashSet<>();
        Set<Situation> seen = new HashSet<>(situations);
        Deque<Situation> toDo = new ArrayDeque<>(situations);
        while (!toDo.isEmpty()) {
            Situation from = toDo.removeFirst();
            if (from.done().contains(operation)) {
                kept.add(from);
                continue;
            }
            if (operation.certainty() == Certainty.LOST) {
                kept.add(from);
                if (!withLost) {
                    continue;
                }
            }
            for (StormOperation next : open) {
                if (!withLost && next.certainty() == Certainty.LOST) {
                    continue;
                }
                for (Situation to : after(from, next)) {
                    Situation settled = absorbed(to);
                    if (seen.add(settled)) {
                        toDo.addLast(settled);
                    }
                }
            }
            if (seen.size() > MOST_SITUATIONS) {
                gaveUp = true;
                return kept;
            }
        }
        return kept;
    }

    private List<Situation> after(Situation from, StormOperation next) {
        if (!canBeNext(from, next)) {
            return List.of();
        }
        List<Situation> results = new ArrayList<>();
        for (ModelState state : model.after(from.state(), next, since)) {
            // A lost call that changes nothing need not have been.
            if (next.certainty() != Certainty.LOST || !state.equals(from.state())) {
                results.add(new Situation(state, with(from.done(), next)));
            }
        }
        return results;
    }

    private boolean canBeNext(Situation from, StormOperation next) {
        StormOperation first = next.after();
        return !from.done().contains(next)
                && (first == null || !open.contains(first) || from.done().contains(first));
    }

    private Set<Situation> absorbed(Set<Situation> all) {
        Set<Situation> results = new LinkedHashSet<>();
        all.forEach(each -> results.add(absorbed(each)));
        return results;
    }

    /** The situation with all open calls taken that change nothing. */
    private Situation absorbed(Situation situation) {
        Situation now = situation;
        boolean more = true;
        while (more) {
            more = false;
            for (StormOperation next : open) {
                if (next.isQuiet()
                        && canBeNext(now, next)
                        && model.step(now.state(), next).contains(now.state())) {
                    now = new Situation(now.state(), with(now.done(), next));
                    more = true;
                }
            }
        }
        return now;
    }

    private static Set<StormOperation> with(Set<StormOperation> done, StormOperation next) {
        Set<StormOperation> more = new HashSet<>(done);
        more.add(next);
        return more;
    }

    private String described(StormOperation operation, Set<Situation> before, Deque<StormOperation> answered) {
        long since = answered.getFirst().span().asked();
        StringBuilder text = new StringBuilder("no order of the operations explains this answer:\n  ")
                .append(operation.line(since))
                .append("\n before it, possible states:");
        before.stream()
                .limit(SHOWN_SITUATIONS)
                .forEach(each -> text.append("\n  ").append(each.state()));
        text.append("\n calls still open:");
        open.stream()
                .filter(each -> !each.equals(operation))
                .forEach(each -> text.append("\n  ").append(each.line(since)));
        text.append("\n operations before it, in order of their answers:");
        answered.forEach(each -> text.append("\n  ").append(each.line(since)));
        return text.toString();
    }
}
