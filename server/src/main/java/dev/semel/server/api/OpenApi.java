package dev.semel.server.api;

import dev.semel.server.http.Route;
import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The description of the API in OpenAPI 3.1. Paths, methods, parameters of paths and scopes are those of the registered routes; what
 * they are for, their queries and their bodies are in the resource {@code routes.txt}, and a test finds a route that is missing there.
 */
public final class OpenApi {

    private static final Pattern PARAMETER = Pattern.compile("\\{([a-z]+)}");
    private static final String RESOURCE = "/dev/semel/server/routes.txt";

    private OpenApi() {}

    /**
     * What is said about a route.
     *
     * @param summary what it does
     * @param queries the parameters of its query
     * @param body the schema of its body; empty for none
     * @param answer the status of success and the schema of the answer
     */
    record About(String summary, List<String> queries, String body, String answer) {}

    static Map<String, About> all() {
        Map<String, About> all = new LinkedHashMap<>();
        try (InputStream in = OpenApi.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("Expected the resource " + RESOURCE + ", but there is none");
            }
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                String[] parts = line.split("\\|", -1);
                if (parts.length == 5) {
                    String queries = parts[2].strip();
                    all.put(
                            parts[0].strip(),
                            new About(
                                    parts[1].strip(),
                                    queries.isEmpty() ? List.of() : List.of(queries.split(" ", -1)),
                                    parts[3].strip(),
                                    parts[4].strip()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    /**
     * Describes routes.
     *
     * @param routes the routes
     * @return the description in JSON
     */
    public static String of(List<Route> routes) {
        Map<String, About> about = all();
        Map<String, JsonText> paths = new TreeMap<>();
        for (Route route : routes) {
            About said = about.get(route.toString());
            if (said != null) {
                paths.computeIfAbsent(route.path(), path -> new JsonText())
                        .raw(
                                route.method().toLowerCase(java.util.Locale.ROOT),
                                operation(route, said).toString());
            }
        }
        JsonText all = new JsonText();
        paths.forEach((path, operations) -> all.raw(path, operations.toString()));
        return new JsonText()
                .put("openapi", "3.1.0")
                .raw(
                        "info",
                        new JsonText()
                                .put("title", "Semel")
                                .put("version", "1")
                                .put("description", "A durable task queue in which submitting twice is safe.")
                                .toString())
                .raw("paths", all.toString())
                .raw("components", components())
                .toString();
    }

    private static JsonText operation(Route route, About about) {
        JsonText operation = new JsonText()
                .put("operationId", operationId(route))
                .put("summary", about.summary())
                .raw("parameters", parameters(route, about));
        if (!about.body().isEmpty()) {
            operation.raw(
                    "requestBody", "{\"required\":true,\"content\":" + content("application/json", about.body()) + "}");
        }
        String[] answer = about.answer().split(" ", -1);
        String success = answer.length == 1
                ? "{\"description\":\"Done.\"}"
                : "{\"description\":\"Done.\",\"content\":" + content("application/json", answer[1]) + "}";
        operation.raw(
                "responses",
                new JsonText()
                        .raw(answer[0], success)
                        .raw(
                                "default",
                                "{\"description\":\"A problem of RFC 9457.\",\"content\":"
                                        + content("application/problem+json", "Problem") + "}")
                        .toString());
        if (!route.anyOf().isEmpty()) {
            operation
                    .raw("security", "[{\"token\":[]}]")
                    .put(
                            "x-scopes",
                            route.anyOf().stream()
                                    .sorted()
                                    .map(TokenScope::word)
                                    .toList());
        }
        return operation;
    }

    private static String operationId(Route route) {
        StringBuilder id = new StringBuilder(route.method().toLowerCase(java.util.Locale.ROOT));
        for (String part : route.path().replace("/v1/", "/").split("[/{}]+", -1)) {
            if (!part.isEmpty()) {
                id.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
            }
        }
        return id.toString();
    }

    private static String parameters(Route route, About about) {
        List<String> parameters = new ArrayList<>();
        Matcher matcher = PARAMETER.matcher(route.path());
        while (matcher.find()) {
            parameters.add(parameter(matcher.group(1), "path", true));
        }
        about.queries().forEach(name -> parameters.add(parameter(name, "query", false)));
        if (route.toString().equals("POST /v1/tasks")) {
            parameters.add(parameter("Idempotency-Key", "header", false));
            parameters.add(parameter("Prefer", "header", false));
        }
        return "[" + String.join(",", parameters) + "]";
    }

    private static String parameter(String name, String in, boolean required) {
        return new JsonText()
                .put("name", name)
                .put("in", in)
                .put("required", required)
                .raw("schema", "{\"type\":\"string\"}")
                .toString();
    }

    private static String content(String type, String schema) {
        String reference = switch (schema) {
            case "any" -> "{}";
            // Not a schema of its own: generators would make a class of this name.
            case "Object" -> "{\"type\":\"object\",\"additionalProperties\":true}";
            default -> "{\"$ref\":\"#/components/schemas/" + schema + "\"}";
        };
        return new JsonText().raw(type, "{\"schema\":" + reference + "}").toString();
    }

    private static String components() {
        JsonText schemas = new JsonText()
                .raw(
                        "Problem",
                        schema(
                                "type title status detail",
                                "type:string title:string status:integer detail:string request_id:string"))
                .raw(
                        "Submission",
                        schema(
                                "type input",
                                "type:string input: queue:string key:string scope:string ttl:string reuse:string priority:integer"
                                        + " delay:string run_at:string timeout:string time_limit:string start_by:string tags:strings max_attempts:integer"))
                .raw(
                        "Submitted",
                        schema(
                                "task_id created run state",
                                "task_id:string created:boolean run:integer state:string deduplicated_from:string result:"
                                        + " last_error:string"))
                .raw(
                        "Task",
                        schema(
                                "task_id state queue type",
                                "task_id:string state:string tenant:string queue:string type:string key:string run:integer"
                                        + " attempt:integer input: result: last_error:string"))
                .raw(
                        "Claim",
                        schema(
                                "queues",
                                "queues:strings types:strings limit:integer lease:string worker:string wait:string claim:string"))
                .raw(
                        "Settlement",
                        schema(
                                "lease action",
                                "lease:string action:string result: error:string delay:string duration:string"));
        return new JsonText()
                .raw("schemas", schemas.toString())
                .raw("securitySchemes", "{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}")
                .toString();
    }

    private static String schema(String required, String members) {
        JsonText properties = new JsonText();
        for (String member : members.split(" ", -1)) {
            String[] parts = member.split(":", -1);
            properties.raw(
                    parts[0],
                    switch (parts[1]) {
                        case "" -> "{}";
                        case "strings" -> "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}";
                        default -> "{\"type\":\"" + parts[1] + "\"}";
                    });
        }
        return new JsonText()
                .put("type", "object")
                .put("required", List.of(required.split(" ", -1)))
                .raw("properties", properties.toString())
                .toString();
    }
}
