package dev.semel.client;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.ModuleRules;
import java.util.Map;

/** The rules of every module, and the exceptions of this one. */
@AnalyzeClasses(
        packages = {"dev.semel.client", "dev.semel.wire"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule classCycles = ModuleRules.classCyclesAtMost(
            3, "a form reads objects, and objects and outputs take forms for their members");

    @ArchTest
    static final ArchRule noWallClock = ModuleRules.noWallClock(Map.of());

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(Map.of());

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();
}
