package dev.semel.cli;

import dev.semel.Explanation;
import dev.semel.Semel;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task explain ID}: explains a task, and what a submission with its key would do now. */
final class TaskExplainCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Explains a task: its key, its record, its window, and what a duplicate would get.",
                        "\"semel submit … --explain\" explains a submission before it is made.",
                        "semel task explain 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de",
                        "semel task explain 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --json")
                .addPositional(Options.position(0, "ID", "The task id that submit or list printed."));
    }

    @Override
    public int run(Invocation invocation) {
        TaskId id = TaskId.parse(invocation.position(0));
        TaskStore store = invocation.store().openExisting();
        try (Semel semel = invocation.operator(store)) {
            TaskCommand.find(store, id, invocation.tenant());
            print(semel.operations().explain(id), invocation);
            return ExitCode.DONE;
        }
    }

    static void print(Explanation explanation, Invocation invocation) {
        Console console = invocation.console();
        if (invocation.json()) {
            console.out().println(explanation.json().replace('\n', ' ').replace('\r', ' '));
            return;
        }
        for (String sentence : explanation.sentences()) {
            Text.wrapped(Text.printable(sentence), console.width())
                    .forEach(line -> console.out().println(line));
        }
    }
}
