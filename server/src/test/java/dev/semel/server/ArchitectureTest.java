package dev.semel.server;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.ModuleRules;
import java.util.Map;

/** The rules of every module, and what is excepted from them here. */
@AnalyzeClasses(packages = "dev.semel.server", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule noWallClock =
            ModuleRules.noWallClock(Map.of(SemelServer.class, "the default clock for the expiry of tokens"));

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(Map.of());

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();
}
