package dev.semel.cli;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.semel.architecture.ModuleRules;
import java.util.Map;

/** The rules of every module, and the exceptions of this one. */
@AnalyzeClasses(packages = "dev.semel.cli", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule noWallClock = ModuleRules.noWallClock(Map.of(
            Checkup.class,
            "doctor compares the machine's clock with the store's time",
            QueueListCommand.class,
            "shows the age of the oldest due task to a person",
            TokenCommand.class,
            "a token is created and expires by the machine's clock",
            Watch.class,
            "shows a person when it looked",
            WorkLog.class,
            "shows a person when a task ended"));

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(
            Map.of(DemoChildCommand.class, "a worker written by hand polls the store, without hints"));

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();
}
