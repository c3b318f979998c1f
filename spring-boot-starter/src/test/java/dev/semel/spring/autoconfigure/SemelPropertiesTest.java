package dev.semel.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.task.Json;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The settings {@code semel.*}: what an application sees of wrong ones, and what an editor knows of them. */
@ExtendWith(OutputCaptureExtension.class)
class SemelPropertiesTest {

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SemelAutoConfiguration.class)
    static class Application {}

    private static ConfigurableApplicationContext run(String... settings) {
        SpringApplication application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(settings)
                .build();
        return application.run();
    }

    private static void fails(CapturedOutput output, List<String> settings, String... shown) {
        int before = output.getAll().length();
        try (ConfigurableApplicationContext context = run(settings.toArray(String[]::new))) {
            throw new AssertionError("started with " + settings);
        } catch (RuntimeException e) {
            assertThat(output.getAll().substring(before))
                    .as("what is shown for %s", settings)
                    .contains("APPLICATION FAILED TO START")
                    .contains(shown);
        }
    }

    @Test
    void aValueThatIsNotAllowedIsReportedWithItsProperty(CapturedOutput output) throws Exception {
        String memory = "semel.store=memory";
        fails(output, List.of(memory, "semel.worker.concurrency=0"), "semel.worker.concurrency", "'0'", "1 to 5000");
        fails(output, List.of(memory, "semel.worker.lease=1ms"), "semel.worker.lease", "at least 100 ms");
        fails(output, List.of(memory, "semel.worker.queues=a b"), "semel.worker.queues", "a b");
        fails(output, List.of(memory, "semel.worker.poll=soon"), "semel.worker.poll", "soon");
        fails(output, List.of(memory, "semel.join=sometimes"), "semel.join", "sometimes");
        fails(output, List.of(memory, "semel.tenant=a b"), "semel.tenant", "a b");
        fails(output, List.of(memory, "semel.worker.concurency=4"), "semel.worker.concurency");
        Path settings = Files.writeString(directory.resolve("semel.toml"), "[queues.a]\nrate = 1\n");
        fails(output, List.of(memory, "semel.settings=" + settings), "semel.settings", "rate");
        fails(output, List.of("semel.store=mysql://host/db"), "semel.store", "sqlite:FILE");
        fails(output, List.of("semel.store=datasource:jobs"), "semel.store", "datasource:jobs");
        fails(
                output,
                List.of("semel.store=sqlite:" + directory.resolve("a.db"), "semel.sqlite.readers=0"),
                "semel.sqlite.readers",
                "1 to 64");
        fails(
                output,
                List.of("semel.store=postgresql://me:secret@host/db", "semel.postgresql.connections=0"),
                "semel.postgresql.connections");
        assertThat(output.getAll()).doesNotContain("secret");
    }

    @Test
    void anApplicationWithoutAPlaceForTasksIsToldWhatToSet(CapturedOutput output) {
        fails(output, List.of(), "does not know where to keep tasks", "spring.datasource.url", "sqlite:FILE");
    }

    @Test
    void aStoreThatCannotBeUsedIsReportedWithoutAStackTrace(CapturedOutput output) throws Exception {
        Path file = Files.writeString(directory.resolve("no.db"), "this is no database, but a long enough text");
        fails(output, List.of("semel.store=sqlite:" + file), "no.db", "semel.store");
        assertThat(output.getAll()).doesNotContain("\tat dev.semel");
    }

    @Test
    void theStoreMayBeAFileOfItsOwn() {
        Path file = directory.resolve("own.db");
        try (ConfigurableApplicationContext context = run("semel.store=sqlite:" + file)) {
            assertThat(file).exists();
            assertThat(context.isRunning()).isTrue();
        }
    }

    @Test
    void withSemelDisabledThereIsNone() {
        try (ConfigurableApplicationContext context = run("semel.enabled=false")) {
            assertThat(context.containsBean("semel")).isFalse();
        }
    }

    @Test
    void theMetadataForEditorsNamesEveryPropertyAndNoOther() throws Exception {
        String text;
        try (InputStream stream = Objects.requireNonNull(
                SemelProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(Json.parse(text)).isNotNull();
        String properties = text.substring(text.indexOf("\"properties\""), text.indexOf("\"hints\""));
        Matcher found = Pattern.compile("\"name\":\\s*\"([^\"]+)\",\\s*\"type\":\\s*\"([^\"]+)\"")
                .matcher(properties);
        TreeMap<String, String> described = new TreeMap<>();
        while (found.find()) {
            described.put(found.group(1), found.group(2));
        }
        TreeMap<String, String> expected = new TreeMap<>();
        expect("semel", SemelProperties.class, expected);
        expected.put("management.health.semel.enabled", "java.lang.Boolean");
        assertThat(described).isEqualTo(expected);
        List<String> undescribed = new ArrayList<>(described.keySet());
        Matcher texts = Pattern.compile("\"name\":\\s*\"([^\"]+)\"[^}]*\"description\":\\s*\"[^\"]{10,}\"")
                .matcher(properties);
        while (texts.find()) {
            undescribed.remove(texts.group(1));
        }
        assertThat(undescribed).as("properties without a description").isEmpty();
    }

    private static void expect(String prefix, Class<?> record, Map<String, String> expected) {
        for (RecordComponent component : record.getRecordComponents()) {
            String name = prefix + "."
                    + Arrays.stream(component.getName().split("(?=[A-Z])"))
                            .map(String::toLowerCase)
                            .collect(Collectors.joining("-"));
            if (component.getType().isRecord()) {
                expect(name, component.getType(), expected);
            } else {
                expected.put(name, typeName(component));
            }
        }
    }

    private static String typeName(RecordComponent component) {
        return component.getType() == boolean.class
                ? "java.lang.Boolean"
                : component.getGenericType().getTypeName();
    }
}
