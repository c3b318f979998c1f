package dev.semel.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The rules for the classes of one module. A rule about clocks or sleeping takes its exceptions, each with a reason; an
 * exception that is no longer needed is a violation too.
 */
public final class ModuleRules {

    private static final Set<String> SYSTEM_CLOCKS = Set.of("java.time.Clock", "java.time.InstantSource");

    private ModuleRules() {}

    /** Returns the rule that no package imports, directly or indirectly, a package that imports it. */
    public static ArchRule packagesHaveNoCycles() {
        // From "dev" on, so that a module's root package is a slice like those below it.
        return slices().matching("dev.(**)").should().beFreeOfCycles();
    }

    /**
     * Returns the rule that no more classes than the limit depend on each other, directly or indirectly: classes of a cycle
     * can only be understood together. With the limit 1 there is no cycle at all. A limit that is higher than the largest
     * cycle is a violation too.
     *
     * @param limit how many classes the largest cycle may have
     * @param reason why the limit is not lower
     */
    public static ArchRule classCyclesAtMost(int limit, String reason) {
        return classes().should(new CycleCondition(limit, reason));
    }

    /**
     * Returns the rule that no class reads the wall clock. Clocks are passed in, because a class that reads the wall
     * clock cannot be tested without waiting.
     */
    public static ArchRule noWallClock(Map<Class<?>, String> exceptions) {
        return classes().should(new AccessCondition("read the wall clock", ModuleRules::isWallClock, exceptions));
    }

    /** Returns the rule that no class sleeps. Code waits for a signal, with a time limit. */
    public static ArchRule noSleep(Map<Class<?>, String> exceptions) {
        return classes().should(new AccessCondition("sleep", ModuleRules::isSleep, exceptions));
    }

    /**
     * Returns the rule that no class keeps a pool of threads in a static field. A pool belongs to the instance that needs it,
     * so that its threads have an owner and a bound.
     */
    public static ArchRule noStaticPools() {
        return fields().that()
                .areStatic()
                .should()
                .notHaveRawType(assignableTo(Executor.class))
                .allowEmptyShould(true);
    }

    private static boolean isWallClock(AccessTarget target) {
        String owner = target.getOwner().getName();
        String name = target.getName();
        return (owner.startsWith("java.time.") && name.equals("now"))
                || (SYSTEM_CLOCKS.contains(owner) && name.startsWith("system"))
                || (owner.equals("java.lang.System") && name.equals("currentTimeMillis"))
                || (owner.equals("java.util.Date") && name.equals("<init>"));
    }

    private static boolean isSleep(AccessTarget target) {
        String owner = target.getOwner().getName();
        return target.getName().equals("sleep")
                && (owner.equals("java.lang.Thread") || owner.equals("java.util.concurrent.TimeUnit"));
    }
}
