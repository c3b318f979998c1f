package dev.semel.architecture;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** A condition that only the listed exceptions access a target, and that every listed exception does access it. */
final class AccessCondition extends ArchCondition<JavaClass> {

    private final String what;
    private final Predicate<AccessTarget> forbidden;
    private final Map<Class<?>, String> exceptions;
    private final Set<String> used = new HashSet<>();

    AccessCondition(String what, Predicate<AccessTarget> forbidden, Map<Class<?>, String> exceptions) {
        super("not " + what + ", except for " + exceptions);
        this.what = what;
        this.forbidden = forbidden;
        this.exceptions = Map.copyOf(exceptions);
    }

    @Override
    public void init(Collection<JavaClass> all) {
        used.clear();
    }

    @Override
    public void check(JavaClass item, ConditionEvents events) {
        for (JavaAccess<?> access : item.getAccessesFromSelf()) {
            if (forbidden.test(access.getTarget())) {
                String name = outermost(item).getName();
                if (exceptions.keySet().stream()
                        .anyMatch(excepted -> excepted.getName().equals(name))) {
                    used.add(name);
                } else {
                    events.add(SimpleConditionEvent.violated(access, access.getDescription()));
                }
            }
        }
    }

    @Override
    public void finish(ConditionEvents events) {
        exceptions.keySet().stream()
                .map(Class::getName)
                .filter(name -> !used.contains(name))
                .sorted()
                .forEach(name -> events.add(
                        SimpleConditionEvent.violated(name, name + " is an exception, but it does not " + what)));
    }

    private static JavaClass outermost(JavaClass item) {
        return item.getEnclosingClass().map(AccessCondition::outermost).orElse(item);
    }
}
