package dev.semel.examples;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.sqlite.SqliteTaskStore;
import dev.semel.task.Json;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.task.TypeRef;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The program of docs/how-to/any-type.md: one handler for types that are not known when the program is written. */
public final class AnyType {

    private AnyType() {}

    static void run(Path file, PrintStream out) {
        try (Semel semel = Semel.on(SqliteTaskStore.open(file)).build()) {
            // snippet: handler
            TaskType<RawJson, RawJson> settings = TaskType.builder("any", RawJson.class, RawJson.class)
                    .retry(RetryPolicy.attempts(3))
                    .timeout(Duration.ofMinutes(1))
                    .build();

            semel.worker("plugins")
                    .handleAny(settings, (context, input) -> {
                        String canonical = Json.parse(input.text()).canonical();
                        return new RawJson("{\"type\":\"" + context.type() + "\",\"input\":" + canonical + "}");
                    })
                    .start();
            // end

            // snippet: submit
            TaskType<RawJson, RawJson> resize = TaskType.builder("resize_image", RawJson.class, RawJson.class)
                    .queue("plugins")
                    .build();
            RawJson answer = semel.submit(resize, new RawJson("{\"width\": 64, \"height\": 48}"))
                    .send()
                    .result(Duration.ofSeconds(30));
            out.println(answer.text());
            // end

            TaskType<Map<String, Integer>, RawJson> crop = TaskType.builder(
                            "crop_image", new TypeRef<Map<String, Integer>>() {}, TypeRef.of(RawJson.class))
                    .queue("plugins")
                    .build();
            out.println(semel.submit(crop, Map.of("top", 5))
                    .send()
                    .result(Duration.ofSeconds(30))
                    .text());
        }
    }
}
