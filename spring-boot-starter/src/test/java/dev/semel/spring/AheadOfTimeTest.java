package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** The first half of a native image: Spring can generate the code of an application with the starter. */
class AheadOfTimeTest {

    @Test
    void theContextCanBeGeneratedAheadOfTime() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Shop.class, SemelAutoConfiguration.class);
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("dev.semel.spring", "Application")), files);
        assertThat(new ApplicationContextAotGenerator().processAheadOfTime(context, generation))
                .isNotNull();
        generation.writeGeneratedContent();
        assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE)).isNotEmpty();
    }
}
