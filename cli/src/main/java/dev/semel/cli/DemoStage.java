package dev.semel.cli;

import dev.semel.store.Attempt;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The store, the processes and the output that the steps of the demonstration share. */
final class DemoStage {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DemoProcess.Group processes;
    private final DemoPlace place;
    private final Consumer<String> voice;
    private final JsonMapper mapper = JsonMapper.builder().build();

    DemoStage(DemoPlace place, DemoProcess.Group processes, Consumer<String> voice) {
        this.processes = processes;
        this.place = place;
        this.voice = voice;
    }

    DemoPlace place() {
        return place;
    }

    boolean isClosed() {
        return processes.isClosed();
    }

    /** Prints a line without indentation. */
    void print(String line) {
        voice.accept(line);
    }

    /** Prints a line of a step. */
    void say(String line) {
        voice.accept("  " + line);
    }

    JsonNode json(String text) {
        return mapper.readTree(text);
    }

    static Task find(TaskStore store, TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw new DemoProcess.StepFailure("task " + id + " is not in the store");
        }
        return task;
    }

    DemoProcess worker(String queue, String... more) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(
                DemoChildCommand.WORKER, queue, Long.toString(place.lease().toMillis())));
        words.addAll(List.of(more));
        DemoProcess process = child("a worker", words.toArray(String[]::new));
        expect(process, "ready");
        return process;
    }

    DemoProcess child(String role, String... words) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(DemoChildCommand.NAME));
        arguments.addAll(List.of(words));
        return start(role, arguments);
    }

    DemoProcess start(String role, List<String> arguments) throws IOException {
        return processes.start(role, arguments);
    }

    static void expect(DemoProcess process, String expected) throws InterruptedException {
        String line = process.line(PATIENCE);
        if (!line.equals(expected)) {
            throw new DemoProcess.StepFailure("expected \"" + expected + "\" but got \"" + line + "\"");
        }
    }

    static String described(List<Attempt> attempts) {
        return attempts.stream()
                .map(attempt -> "attempt " + attempt.number() + " " + TaskJson.outcome(attempt))
                .collect(Collectors.joining(", "));
    }
}
