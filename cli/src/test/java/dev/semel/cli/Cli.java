package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs commands in this process on one store and records their output. */
final class Cli {

    static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Path file;

    Cli(Path directory) {
        this.file = directory.resolve("semel.db");
    }

    record Ran(int code, String out, String err) {

        Ran exits(int expected) {
            assertThat(code)
                    .as("exit code, with output %s and errors %s", out, err)
                    .isEqualTo(expected);
            return this;
        }

        /** Returns the only object on standard output. */
        JsonNode json() {
            assertThat(out.lines()).as("standard output").hasSize(1);
            assertThat(err).as("standard error").isEmpty();
            return MAPPER.readTree(out);
        }

        List<JsonNode> jsonLines() {
            return out.lines().map(line -> MAPPER.readTree(line)).toList();
        }
    }

    Path file() {
        return file;
    }

    String url() {
        return "sqlite:" + file;
    }

    /** Runs a command on the store. */
    Ran run(String... arguments) {
        return runWith("", arguments);
    }

    Ran runWith(String in, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--store", url()));
        return bare(in, Map.of(), all.toArray(String[]::new));
    }

    /** Runs a command without adding options. */
    static Ran bare(String in, Map<String, String> environment, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.of(
                new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment);
        int code = Main.run(arguments, console);
        return new Ran(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command on the store as if a person at a terminal typed these answers. */
    Ran atTerminal(String in, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--store", url()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = Console.ofTerminal(
                new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Map.of("COLUMNS", "120"));
        int code = Main.run(all.toArray(String[]::new), console);
        return new Ran(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Submits a task and returns its id. */
    String submit(String... arguments) {
        List<String> all = new ArrayList<>(List.of("submit"));
        all.addAll(List.of(arguments));
        all.add("--json");
        return run(all.toArray(String[]::new)).exits(0).json().path("task_id").asString();
    }

    /** Runs a command that must succeed and returns its JSON. */
    JsonNode json(String... arguments) {
        return json(0, arguments);
    }

    /** Runs a command and returns its JSON. */
    JsonNode json(int code, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        return run(all.toArray(String[]::new)).exits(code).json();
    }

    /** Submits a task whose only attempt fails, and returns its id. */
    String dead(String... arguments) {
        String id = submit(arguments);
        String queue = show(id).path("queue").asString();
        run("worker", queue, "--exec", "echo boom >&2; exit 65", "--once").exits(0);
        assertThat(show(id).path("state").asString()).isEqualTo("failed");
        return id;
    }

    /** Returns everything that is stored about a task. */
    JsonNode show(String id) {
        return run("task", "show", id, "--json").exits(0).json();
    }
}
