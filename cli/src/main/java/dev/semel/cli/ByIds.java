package dev.semel.cli;

import dev.semel.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of tasks that were named one by one. All are tried; the exit code is that of the first that was refused. */
final class ByIds {

    private final Invocation invocation;
    private final List<JsonText> tasks = new ArrayList<>();
    private @Nullable RuntimeException refused;

    ByIds(Invocation invocation) {
        this.invocation = invocation;
    }

    /** It was done. */
    void done(JsonText json, String sentence) {
        tasks.add(json);
        if (!invocation.json()) {
            invocation.console().out().println(Text.printable(sentence));
        }
    }

    /** It was refused, and nothing was changed. */
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
