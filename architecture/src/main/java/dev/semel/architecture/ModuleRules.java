package dev.semel.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;

/**
 * The rules for the classes of one module. A rule about clocks or sleeping takes the classes that are excepted from it, each
 * with the reason; an exception that is no longer needed is a violation too.
 */
public final class ModuleRules {

    private static final Set<String> SYSTEM_CLOCKS = Set.of("java.time.Clock", "java.time.InstantSource");

    private ModuleRules() {}

    /** No package imports, through whatever others, one that imports it. */
    public static ArchRule packagesHaveNoCycles() {
        // From "dev" on, so that a module's root package is a slice like those below it.
        return slices().matching("dev.(**)").should().beFreeOfCycles();
    }

    /** Clocks are passed in: a class that reads the wall clock cannot be tested without waiting. */
    public static ArchRule noWallClock(Map<Class<?>, String> exceptions) {
        return classes().should(new AccessCondition("read the wall clock", ModuleRules::isWallClock, exceptions));
    }

    /** Waiting is for something: a signal, with a time limit. */
    public static ArchRule noSleep(Map<Class<?>, String> exceptions) {
        return classes().should(new AccessCondition("sleep", ModuleRules::isSleep, exceptions));
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
