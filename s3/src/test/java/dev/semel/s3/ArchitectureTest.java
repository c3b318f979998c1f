package dev.semel.s3;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.ModuleRules;
import java.util.Map;

/** The rules of every module, and the exceptions of this one. */
@AnalyzeClasses(packages = "dev.semel.s3", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule noWallClock = ModuleRules.noWallClock(Map.of(S3Settings.class, "the default clock"));

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(Map.of());

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();
}
