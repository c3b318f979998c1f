package dev.semel.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A condition that at most so many classes depend on each other, directly or indirectly, and that the limit is not higher than
 * the largest cycle needs. A nested class counts as a part of the class that it is nested in.
 */
final class CycleCondition extends ArchCondition<JavaClass> {

    private final int limit;
    private final String reason;
    private final Map<String, Set<String>> dependencies = new TreeMap<>();

    CycleCondition(int limit, String reason) {
        super("not be in a cycle of more than " + limit + " classes (" + reason + ")");
        this.limit = limit;
        this.reason = reason;
    }

    @Override
    public void init(Collection<JavaClass> all) {
        dependencies.clear();
    }

    @Override
    public void check(JavaClass item, ConditionEvents events) {
        Set<String> uses = dependencies.computeIfAbsent(outermost(item), name -> new TreeSet<>());
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
            uses.add(outermost(dependency.getTargetClass()));
        }
    }

    @Override
    public void finish(ConditionEvents events) {
        Set<String> reported = new TreeSet<>();
        int largest = 1;
        for (String name : dependencies.keySet()) {
            if (!reported.contains(name)) {
                Set<String> cycle = cycleOf(name);
                reported.addAll(cycle);
                largest = Math.max(largest, cycle.size());
                if (cycle.size() > limit) {
                    events.add(SimpleConditionEvent.violated(
                            name, "A cycle of " + cycle.size() + " classes, but at most " + limit + ": " + cycle));
                }
            }
        }
        if (largest < limit) {
            events.add(SimpleConditionEvent.violated(
                    limit, "The limit is " + limit + " (" + reason + "), but the largest cycle has " + largest));
        }
    }

    /** Returns the classes that this class needs and that need it, with the class itself. */
    private Set<String> cycleOf(String name) {
        Set<String> cycle = new TreeSet<>();
        for (String needed : reachable(name)) {
            if (reachable(needed).contains(name)) {
                cycle.add(needed);
            }
        }
        cycle.add(name);
        return cycle;
    }

    private Set<String> reachable(String from) {
        Set<String> found = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>();
        open.add(from);
        while (!open.isEmpty()) {
            for (String next : dependencies.getOrDefault(open.remove(), Set.of())) {
                if (found.add(next)) {
                    open.add(next);
                }
            }
        }
        return found;
    }

    private static String outermost(JavaClass item) {
        return item.getEnclosingClass().map(CycleCondition::outermost).orElse(item.getName());
    }
}
