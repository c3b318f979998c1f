package dev.semel.spring.guard;

import dev.semel.spring.Idempotent;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The annotated methods of all beans. Each is checked when its bean is created. */
final class GuardedMethods extends StaticMethodMatcherPointcut {

    private final Map<Method, GuardedMethod> checked = new ConcurrentHashMap<>();

    @Override
    public ClassFilter getClassFilter() {
        return type -> AnnotationUtils.isCandidateClass(type, Idempotent.class);
    }

    @Override
    public boolean matches(Method method, Class<?> target) {
        return of(method, target) != null;
    }

    /** Returns whether no annotated method was found so far. */
    boolean areNone() {
        return checked.isEmpty();
    }

    /** Returns an annotated method, or null for others. */
    @Nullable
    GuardedMethod of(Method method, @Nullable Class<?> target) {
        Method specific = AopUtils.getMostSpecificMethod(method, target);
        GuardedMethod known = checked.get(specific);
        if (known != null) {
            return known;
        }
        Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(specific, Idempotent.class);
        return annotation == null
                ? null
                : checked.computeIfAbsent(specific, wanted -> GuardedMethod.of(wanted, annotation));
    }
}
