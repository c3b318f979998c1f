package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task result ID}: prints the result of a task, and waits for it on request. */
final class TaskResultCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Prints the result of a task.",
                        "Exit code 1 if the task failed or did not end in time, 5 if there is no such task.",
                        "semel task result 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                        "semel task result 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --wait 5m --json")
                .addPositional(Options.position(0, "ID", "The task id that submit or list printed."))
                .addOption(Options.value(
                        "--wait", "DURATION", "Wait up to this time for the task to end. Default:" + " 0."));
    }

    @Override
    public int run(Invocation invocation) {
        TaskId id = TaskId.parse(invocation.position(0));
        String tenant = invocation.tenant();
        Duration wait = invocation.duration("--wait", Duration.ZERO);
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            Task task = TaskCommand.find(store, id, tenant);
            String result = semel.handle(TaskType.of(task.type(), RawJson.class, RawJson.class), id)
                    .result(wait)
                    .text();
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? new JsonText()
                                            .put("task_id", id.toString())
                                            .put("state", TaskState.COMPLETED.word())
                                            .raw("result", result)
                                            .toString()
                                    : Text.printable(result));
            return ExitCode.DONE;
        }
    }
}
