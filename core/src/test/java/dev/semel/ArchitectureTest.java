package dev.semel;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import dev.semel.architecture.ModuleRules;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.store.InMemoryTaskStore;
import java.util.Map;

/** Checks that packages import lower packages only, in the order of docs/internals/architecture.md. */
@AnalyzeClasses(packages = "dev.semel", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule importsGoDownOnly = Architectures.layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("dev.semel..")
            .layer("facade")
            .definedBy("dev.semel")
            .layer("schedule")
            .definedBy("dev.semel.schedule..")
            .layer("workflow")
            .definedBy("dev.semel.workflow..")
            .layer("engine")
            .definedBy("dev.semel.engine..")
            .layer("store")
            .definedBy("dev.semel.store..")
            .layer("guard")
            .definedBy("dev.semel.guard..")
            .layer("observe")
            .definedBy("dev.semel.observe..")
            .layer("metrics")
            .definedBy("dev.semel.metrics..")
            .layer("tracing")
            .definedBy("dev.semel.tracing..")
            .layer("task")
            .definedBy("dev.semel.task..")
            .whereLayer("facade")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("schedule")
            .mayOnlyBeAccessedByLayers("facade")
            .whereLayer("workflow")
            .mayOnlyBeAccessedByLayers("facade", "schedule")
            .whereLayer("engine")
            .mayOnlyBeAccessedByLayers("facade", "schedule", "workflow")
            .whereLayer("observe")
            .mayOnlyBeAccessedByLayers("facade", "engine", "metrics", "tracing")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("facade", "schedule", "workflow", "engine", "observe", "metrics")
            .whereLayer("guard")
            .mayOnlyBeAccessedByLayers("facade", "workflow", "engine")
            .whereLayer("metrics")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("tracing")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("task")
            .mayOnlyBeAccessedByLayers(
                    "facade", "schedule", "workflow", "engine", "observe", "store", "guard", "metrics", "tracing");

    @ArchTest
    static final ArchRule micrometerStaysOptional = noClasses()
            .that()
            .resideOutsideOfPackage("dev.semel.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule openTelemetryStaysOptional = noClasses()
            .that()
            .resideOutsideOfPackage("dev.semel.tracing..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles = ModuleRules.packagesHaveNoCycles();

    @ArchTest
    static final ArchRule wordsAndDecisionDoNoInputOrOutput = noClasses()
            .that()
            .resideInAPackage("dev.semel.task..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..", "java.sql..", "java.util.concurrent..");

    @ArchTest
    static final ArchRule noWallClock = ModuleRules.noWallClock(Map.of(
            InstanceSettings.class, "the default clock",
            InMemoryTaskStore.class, "the default clock",
            InMemoryGuardStore.class, "the default clock"));

    @ArchTest
    static final ArchRule noSleep = ModuleRules.noSleep(Map.of());

    @ArchTest
    static final ArchRule noStaticPools = ModuleRules.noStaticPools();

    @ArchTest
    static final ArchRule jacksonStaysBehindTheCodecAndTheParser = noClasses()
            .that()
            .resideOutsideOfPackages("dev.semel.task..")
            .and()
            .doNotHaveSimpleName("JacksonCodec")
            .and()
            .doNotHaveSimpleName("TomlDocument")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("tools.jackson..");
}
