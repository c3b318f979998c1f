package dev.semel.cli;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcomes of a command on tasks given by id. All tasks are tried; the exit code is that of the first refusal. */
final class OutcomeReport {

    private final Invocation invocation;
    private final List<JsonText> tasks = new ArrayList<>();
    private @Nullable RuntimeException refused;

    OutcomeReport(Invocation invocation) {
        this.invocation = invocation;
    }

    /** Reports a task that was changed. */
    void done(JsonText json, String sentence) {
        tasks.add(json);
        if (!invocation.json()) {
            invocation.console().out().println(Text.printable(sentence));
        }
    }

    /** Reports a task that was refused and not changed. */
    void refused(JsonText json, RuntimeException reason) {
        tasks.add(json);
        if (refused == null) {
            refused = reason;
        }
        if (!invocation.json()) {
            Failure.report(reason, invocation.console(), false, invocation.has(Options.VERBOSE));
        }
    }

    static JsonText task(TaskId id, String outcome) {
        return new JsonText().put("task_id", id.toString()).put("outcome", outcome);
    }

    int end(boolean dryRun) {
        RuntimeException first = refused;
        if (invocation.json()) {
            JsonText json = new JsonText();
            if (dryRun) {
                json.put("dry_run", true);
            }
            json.objects("tasks", tasks);
            if (first != null) {
                Failure.describe(json, first);
            }
            invocation.console().out().println(json);
        }
        return first == null ? ExitCode.DONE : Failure.exitCode(first);
    }
}
