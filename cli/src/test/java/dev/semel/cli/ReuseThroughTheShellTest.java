package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Settlement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Every cell of the decision table, reached with {@code semel submit}. */
class ReuseThroughTheShellTest {

    private static final String SAME = "{\"n\":1}";
    private static final String OTHER = "{\"n\":2}";

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void makeCli() {
        cli = new Cli(directory);
    }

    /** The state of the key's task, and how to reach it. */
    enum Existing {
        PENDING,
        RUNNING,
        WAITING,
        COMPLETED,
        FAILED,
        CANCELLED,
        TIMED_OUT;

        boolean isOpen() {
            return this == PENDING || this == RUNNING || this == WAITING;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Creates the task and returns its id. */
        String make(Cli cli, String... more) {
            List<String> arguments = new ArrayList<>(List.of("t", SAME, "--key", "k"));
            arguments.addAll(List.of(more));
            String[] submission = arguments.toArray(String[]::new);
            String id = cli.submit(submission);
            switch (this) {
                case PENDING -> {}
                case RUNNING -> Life.claim(cli, "default");
                case WAITING -> {
                    // A task that replaces a running one waits for its end.
                    Life.claim(cli, "default");
                    arguments.addAll(List.of("--reuse", "open=replace"));
                    id = cli.submit(arguments.toArray(String[]::new));
                }
                case COMPLETED -> Life.end(cli, "default", lease -> new Settlement.Complete(lease, "{\"paid\":true}"));
                case FAILED -> Life.end(cli, "default", lease -> new Settlement.Fail(lease, false, "boom"));
                case CANCELLED -> cli.run("task", "cancel", id).exits(0);
                case TIMED_OUT -> Life.end(cli, "default", lease -> new Settlement.Fail(lease, true, "too long"));
            }
            assertThat(cli.show(id).path("state").asString()).isEqualTo(word());
            return id;
        }
    }

    static Stream<Arguments> cells() {
        List<Arguments> cells = new ArrayList<>();
        for (Existing existing : Existing.values()) {
            for (String rule : List.of("return", "reject", existing.isOpen() ? "replace" : "rerun")) {
                for (String otherInput : List.of("", "conflict", "warn", "ignore")) {
                    cells.add(Arguments.of(existing, rule, otherInput));
                }
            }
        }
        return cells.stream();
    }

    /** Returns the rule that decides: the input is compared first wherever the answer would be the existing task. */
    private static String decided(Existing existing, String rule, String otherInput) {
        boolean takesAnyInput = rule.equals("replace") || (rule.equals("rerun") && existing == Existing.COMPLETED);
        if (otherInput.isEmpty() || otherInput.equals("ignore") || takesAnyInput) {
            return rule;
        }
        if (otherInput.equals("conflict")) {
            return "conflict";
        }
        return rule.equals("reject") ? "reject" : "warn";
    }

    @ParameterizedTest(name = "{0} {1}, other input: {2}")
    @MethodSource("cells")
    void everyCellIsReached(Existing existing, String rule, String otherInput) {
        String id = existing.make(cli);
        JsonNode before = cli.show(id);
        String policy =
                "never, " + existing.word() + "=" + rule + (otherInput.isEmpty() ? "" : ", other-input=" + otherInput);
        String input = otherInput.isEmpty() ? SAME : OTHER;
        String decided = decided(existing, rule, otherInput);
        int code = switch (decided) {
            case "conflict" -> ExitCode.CONFLICT;
            case "reject" -> ExitCode.EXISTS;
            default -> ExitCode.DONE;
        };
        JsonNode dry = cli.json("submit", "t", input, "--key", "k", "--reuse", policy, "--explain");
        assertThat(dry.path("outcome").asString()).isEqualTo(decided);

        JsonNode answer = cli.json(code, "submit", "t", input, "--key", "k", "--reuse", policy);

        switch (decided) {
            case "return", "warn" -> returned(answer, before, decided.equals("warn"));
            case "reject" -> rejected(answer, before, existing);
            case "conflict" -> conflicted(answer, before);
            case "rerun" -> rerun(answer, before, existing, input);
            default -> replaced(answer, before, existing, input);
        }
    }

    private void returned(JsonNode answer, JsonNode before, boolean differs) {
        assertThat(answer.path("created").asBoolean()).isFalse();
        assertThat(answer.path("task_id")).isEqualTo(before.path("task_id"));
        assertThat(answer.path("run")).isEqualTo(before.path("run"));
        assertThat(answer.path("state")).isEqualTo(before.path("state"));
        assertThat(answer.path("deduplicated_from")).isEqualTo(before.path("created_at"));
        assertThat(answer.has("input_differs")).isEqualTo(differs);
        unchanged(before);
    }

    private void rejected(JsonNode answer, JsonNode before, Existing existing) {
        assertThat(answer.path("existing_task_id")).isEqualTo(before.path("task_id"));
        assertThat(answer.path("status")).isEqualTo(before.path("state"));
        assertThat(answer.path("message").asString())
                .contains(before.path("task_id").asString());
        String error = existing.isOpen()
                ? "TaskAlreadyExists"
                : existing == Existing.COMPLETED ? "TaskAlreadyCompleted" : "TaskAlreadyFinished";
        assertThat(answer.path("error").asString()).isEqualTo(error);
        if (existing == Existing.COMPLETED) {
            assertThat(answer.path("completed_at")).isEqualTo(before.path("finished_at"));
            assertThat(answer.path("result").toString()).isEqualTo("{\"paid\":true}");
        } else if (!existing.isOpen()) {
            assertThat(answer.path("finished_at")).isEqualTo(before.path("finished_at"));
        }
        unchanged(before);
    }

    private void conflicted(JsonNode answer, JsonNode before) {
        assertThat(answer.path("error").asString()).isEqualTo("IdempotencyConflict");
        assertThat(answer.path("existing_task_id")).isEqualTo(before.path("task_id"));
        assertThat(answer.path("status")).isEqualTo(before.path("state"));
        assertThat(answer.path("differing_paths").toString()).isEqualTo("[\"/n\"]");
        assertThat(answer.path("existing_hash")).isNotEqualTo(answer.path("request_hash"));
        unchanged(before);
    }

    private void rerun(JsonNode answer, JsonNode before, Existing existing, String input) {
        JsonNode made = created(answer, before, input);
        assertThat(made.path("state").asString()).isEqualTo("pending");
        // After success it is new work; after an end without success it continues the old one.
        assertThat(made.path("lineage"))
                .isEqualTo(existing == Existing.COMPLETED ? made.path("task_id") : before.path("lineage"));
        assertThat(cli.show(before.path("task_id").asString())).isEqualTo(before);
    }

    private void replaced(JsonNode answer, JsonNode before, Existing existing, String input) {
        JsonNode made = created(answer, before, input);
        JsonNode old = cli.show(before.path("task_id").asString());
        assertThat(made.path("lineage")).isEqualTo(made.path("task_id"));
        assertThat(old.path("cancel_requested").asBoolean()).isTrue();
        if (existing == Existing.RUNNING) {
            assertThat(old.path("state").asString()).isEqualTo("running");
        } else {
            assertThat(old.path("state").asString()).isEqualTo("cancelled");
        }
        assertThat(made.path("state").asString()).isEqualTo(existing == Existing.PENDING ? "pending" : "waiting");
    }

    private JsonNode created(JsonNode answer, JsonNode before, String input) {
        assertThat(answer.path("created").asBoolean()).isTrue();
        assertThat(answer.has("deduplicated_from")).isFalse();
        assertThat(answer.path("task_id")).isNotEqualTo(before.path("task_id"));
        assertThat(answer.path("run").asInt()).isEqualTo(before.path("run").asInt() + 1);
        JsonNode made = cli.show(answer.path("task_id").asString());
        assertThat(made.path("input").toString()).isEqualTo(input);
        assertThat(made.path("run")).isEqualTo(answer.path("run"));
        assertThat(made.path("key").asString()).isEqualTo("k");
        JsonNode record = cli.json("key", "show", "k", "--type", "t").path("record");
        assertThat(record.path("task_id")).isEqualTo(answer.path("task_id"));
        return made;
    }

    /** Nothing was stored, and the existing task is as it was. */
    private void unchanged(JsonNode before) {
        String id = before.path("task_id").asString();
        assertThat(cli.show(id)).isEqualTo(before);
        JsonNode key = cli.json("key", "show", "k", "--type", "t");
        assertThat(key.path("record").path("task_id").asString()).isEqualTo(id);
        assertThat(key.path("tasks").path(0).path("task_id").asString()).isEqualTo(id);
    }

    @ParameterizedTest
    @EnumSource(Existing.class)
    void anotherTypeUnderTheSameKeyIsAConflictToo(Existing existing) {
        String id = existing.make(cli, "--scope", "tenant");
        JsonNode answer =
                cli.json(ExitCode.CONFLICT, "submit", "u", SAME, "--key", "k", "--scope", "tenant", "--reuse", "never");
        assertThat(answer.path("existing_task_id").asString()).isEqualTo(id);
        assertThat(answer.path("message").asString()).contains("task type \"t\" instead of \"u\"");
    }

    @ParameterizedTest
    @EnumSource(Existing.class)
    void aWindowThatHasPassedFreesTheKeyUnlessTheTaskIsOpen(Existing existing) {
        String id = existing.make(cli, "--ttl", "1ms");
        JsonNode answer = cli.json("submit", "t", OTHER, "--key", "k", "--reuse", "never, other-input=warn");
        assertThat(answer.path("created").asBoolean()).isEqualTo(!existing.isOpen());
        if (existing.isOpen()) {
            assertThat(answer.path("task_id").asString()).isEqualTo(id);
        } else {
            assertThat(answer.path("run").asInt()).isEqualTo(1);
            assertThat(cli.show(id).path("state").asString()).isEqualTo(existing.word());
        }
    }

    @Test
    void anUnusedKeyCreatesATask() {
        assertThat(cli.json("submit", "t", SAME, "--key", "k", "--reuse", "reject")
                        .path("created")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aPolicyIsWrittenWithHyphensOrUnderscores() {
        for (String policy : List.of(
                "allow-failed-only",
                "allow_failed_only",
                "after-finish",
                "never, timed-out=rerun",
                "never,timed_out=rerun,other_input=ignore",
                "open=return")) {
            cli.json("submit", "t", SAME, "--key", "k", "--reuse", policy);
        }
        cli.json(4, "submit", "t", SAME, "--key", "k", "--reuse", "reject, completed=return");
        assertThat(cli.json(2, "submit", "t", SAME, "--reuse", "never, reject")
                        .path("message")
                        .asString())
                .contains("A reuse policy");
    }
}
