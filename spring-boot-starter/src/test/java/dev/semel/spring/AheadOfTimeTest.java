package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.javapoet.ClassName;

/**
 * The first half of a native image: Spring can generate the code of an application with the starter, and the hints name what is used
 * by reflection. The second half, GraalVM itself, is not part of the build.
 */
class AheadOfTimeTest {

    @Test
    void theContextCanBeGeneratedAheadOfTimeWithHintsForHandlers() throws Exception {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Shop.class, SemelAutoConfiguration.class);
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("dev.semel.spring", "Application")), files);
        assertThat(new ApplicationContextAotGenerator().processAheadOfTime(context, generation))
                .isNotNull();
        generation.writeGeneratedContent();
        assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE)).isNotEmpty();
        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(hints.reflection().getTypeHint(Shop.Packing.class)).isNotNull();
        assertThat(hints.reflection().getTypeHint(Shop.Packing.class).methods())
                .anyMatch(method -> method.getName().equals("pack") && method.getMode() == ExecutableMode.INVOKE);
        // The input of a task, as the parameter of a handler and as the class of a type.
        assertThat(RuntimeHintsPredicates.reflection().onType(Shop.Order.class)).accepts(hints);
    }

    @Test
    void theHintsNameEverySchemaAndWhatIsReadFromJson() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("dev.semel."))
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        var scripts = new PathMatchingResourcePatternResolver().getResources("classpath*:dev/semel/**/*.sql");
        assertThat(Arrays.stream(scripts).map(script -> path(script.toString())).toList())
                .anyMatch(path -> path.startsWith("dev/semel/sqlite/"))
                .anyMatch(path -> path.startsWith("dev/semel/postgresql/"))
                .allSatisfy(path -> assertThat(RuntimeHintsPredicates.resource().forResource(path))
                        .accepts(hints));
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("dev.semel.schedule.ScheduleDocument$State")))
                .accepts(hints);
    }

    private static String path(String resource) {
        return resource.substring(resource.lastIndexOf("dev/semel/"), resource.lastIndexOf(".sql") + ".sql".length());
    }
}
