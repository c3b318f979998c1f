package dev.semel.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.planted.Below;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ModuleRulesTest {

    static final class Innocent {

        Instant now(InstantSource clock) {
            return clock.instant();
        }
    }

    static final class Offender {

        List<Object> read() {
            return List.of(Instant.now(), LocalDate.now(ZoneOffset.UTC), System.currentTimeMillis(), Clock.systemUTC());
        }

        Supplier<Instant> reader() {
            return Instant::now;
        }

        void waits() throws InterruptedException {
            Thread.sleep(1);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static List<String> broken(ArchRule rule, Class<?>... classes) {
        return rule.evaluate(new ClassFileImporter().importClasses(classes))
                .getFailureReport()
                .getDetails();
    }

    @Test
    void aCycleBetweenAPackageAndOneBelowItIsFound() {
        assertThat(broken(ModuleRules.packagesHaveNoCycles(), Above.class)).isEmpty();
        assertThat(broken(ModuleRules.packagesHaveNoCycles(), Above.class, Below.class))
                .hasSize(1);
    }

    @Test
    void aCycleOfClassesLargerThanItsLimitIsFound() {
        assertThat(broken(ModuleRules.classCyclesAtMost(1, "none"), Above.class, Below.class))
                .containsExactly("A cycle of 2 classes, but at most 1: [" + Above.class.getName() + ", "
                        + Below.class.getName() + "]");
        assertThat(broken(ModuleRules.classCyclesAtMost(2, "planted"), Above.class, Below.class))
                .isEmpty();
    }

    @Test
    void classesNestedInOneAnotherAreNoCycle() {
        assertThat(broken(ModuleRules.classCyclesAtMost(1, "none"), ModuleRulesTest.class, Offender.class))
                .isEmpty();
    }

    @Test
    void aLimitThatNoCycleNeedsIsAViolation() {
        assertThat(broken(ModuleRules.classCyclesAtMost(2, "there was one"), Above.class))
                .containsExactly("The limit is 2 (there was one), but the largest cycle has 1");
    }

    @Test
    void everyWayToTheWallClockIsFound() {
        assertThat(broken(ModuleRules.noWallClock(Map.of()), Innocent.class)).isEmpty();
        assertThat(broken(ModuleRules.noWallClock(Map.of()), Offender.class))
                .hasSize(5)
                .allMatch(line -> line.contains("Offender"));
    }

    @Test
    void everySleepIsFound() {
        assertThat(broken(ModuleRules.noSleep(Map.of()), Innocent.class)).isEmpty();
        assertThat(broken(ModuleRules.noSleep(Map.of()), Offender.class)).hasSize(2);
    }

    /** Keeps its threads where nobody owns them. */
    static final class Hoarder {
        static final ExecutorService POOL = Executors.newCachedThreadPool();
    }

    /** Keeps its threads with the instance that needs them. */
    static final class Owner {
        final ExecutorService pool = Executors.newCachedThreadPool();
    }

    @Test
    void poolsBelongToInstances() {
        assertThat(broken(ModuleRules.noStaticPools(), Hoarder.class)).hasSize(1);
        assertThat(broken(ModuleRules.noStaticPools(), Owner.class)).isEmpty();
    }

    @Test
    void anExceptionCountsForAClassAndWhatIsInsideOfIt() {
        ArchRule rule = ModuleRules.noWallClock(Map.of(ModuleRulesTest.class, "it plants offences"));
        assertThat(broken(rule, Offender.class)).isEmpty();
    }

    @Test
    void anExceptionThatIsNotNeededIsAViolation() {
        ArchRule rule = ModuleRules.noSleep(Map.of(ModuleRulesTest.class, "it used to sleep"));
        assertThat(broken(rule, Innocent.class))
                .containsExactly(ModuleRulesTest.class.getName() + " is an exception, but it does not sleep");
    }
}
