package dev.semel.cli;

import dev.semel.Operations.Erasure;
import dev.semel.Semel;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task erase ID}: deletes the data of a task that has ended. */
final class TaskEraseCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Deletes the data of a task that has ended: input, result, errors, attempts, history.",
                        "A record of its key stays until its window has passed, so that a duplicate is still recognised. Refused with"
                                + " exit code 4 while the task is open.",
                        "semel task erase 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                        "semel task erase 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --tenant acme --json")
                .addPositional(Options.position(0, "ID", "The task id that submit or list printed."));
    }

    @Override
    public int run(Invocation invocation) {
        TaskId id = TaskId.parse(invocation.position(0));
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            Task task = TaskCommand.find(store, id, invocation.tenant());
            if (semel.operations().erase(id) == Erasure.OPEN) {
                throw new Refusal(
                        ExitCode.EXISTS,
                        "TaskOpen",
                        "Only the data of a task that has ended can be erased, but task " + id
                                + " is open. Nothing was changed. Wait until it ends, or cancel it first.",
                        id,
                        task.state());
            }
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? new JsonText()
                                            .put("task_id", id.toString())
                                            .put("outcome", "erased")
                                            .toString()
                                    : "The data of task " + id + " is deleted."
                                            + (task.identity() == null
                                                    ? ""
                                                    : " Its key still answers for duplicates; \"semel key release\""
                                                            + " releases it."));
            return ExitCode.DONE;
        }
    }
}
