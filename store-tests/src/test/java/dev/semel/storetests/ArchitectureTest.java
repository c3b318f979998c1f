package dev.semel.storetests;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.ModuleRules;
import java.util.Map;

/** The rules of every module, and what is excepted from them here. */
@AnalyzeClasses(packages = "dev.semel.storetests", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule noWallClock = ModuleRules.noWallClock(Map.of(
            GuardUseContract.class,
            "a guard renews on real time, so its store must keep real time too",
            Tasks.class,
            "an id begins with the time at which it was made"));

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(Map.of());

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();
}
