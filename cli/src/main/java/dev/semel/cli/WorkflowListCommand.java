package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.engine.RawJson;
import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import dev.semel.workflow.WorkflowType;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel workflow list}: lists workflows. */
final class WorkflowListCommand implements Command {

    private static final String TYPE = "--type";
    private static final String LIMIT = "--limit";
    private static final String OUTDATED = "--outdated";
    private static final int USUAL_LIMIT = 20;

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Lists workflows, newest first.",
                        "With --outdated fraud-check=1 those that are open and have not recorded version 1 or later of"
                                + " \"fraud-check\": they went past it with older code, or have not come to it yet.",
                        "semel workflow list",
                        "semel workflow list --type process_order --state waiting",
                        "semel workflow list --type process_order --outdated fraud-check=1")
                .addOption(Options.value(TYPE, "TYPE", "Only workflows of this type."))
                .addOption(Options.value("--tag", "TAG", "Only workflows that were started with this tag."))
                .addOption(Options.states("Only workflows in this state", EnumSet.allOf(TaskState.class)))
                .addOption(Options.value(
                        OUTDATED,
                        "PART=N",
                        "Only open ones that may need code from before version N of this part. Requires --type."))
                .addOption(Options.value(LIMIT, "N", "How many at the most. Default: " + USUAL_LIMIT + "."));
    }

    @Override
    public int run(Invocation invocation) {
        String type = invocation.name("workflow type", TYPE);
        String outdated = invocation.text(OUTDATED);
        if (outdated != null) {
            return new Outdated(invocation, type, outdated).list();
        }
        Set<TaskState> states =
                invocation.texts("--state").stream().map(TaskState::parse).collect(Collectors.toSet());
        // With a type, a list of its tasks is cheaper, and has those that an earlier version has started.
        TaskQuery query = new TaskQuery(
                invocation.tenant(),
                null,
                type,
                states,
                null,
                null,
                type == null,
                invocation.name("tag", "--tag"),
                null,
                invocation.number(LIMIT, USUAL_LIMIT));
        try (TaskStore store = invocation.store().openExisting()) {
            print(invocation, TaskListCommand.page(store, query), "No workflows.");
            return ExitCode.DONE;
        }
    }

    private static void print(Invocation invocation, Page page, String none) {
        if (invocation.json()) {
            TaskListCommand.printJson(page, invocation.console());
        } else if (page.tasks().isEmpty()) {
            invocation.console().out().println(none);
        } else {
            TaskListCommand.table(page.tasks(), invocation.console()).print(invocation.console());
        }
    }

    /** Workflows that may need old code. */
    private static final class Outdated {

        private final Invocation invocation;
        private final WorkflowType<RawJson, RawJson> type;
        private final String part;
        private final int version;

        Outdated(Invocation invocation, @Nullable String type, String outdated) {
            if (type == null) {
                throw new InvalidInput("Option " + OUTDATED + " requires " + TYPE + ", but got only " + OUTDATED + " \""
                        + Text.shown(outdated) + "\". Give the workflow type as well.");
            }
            if (!invocation.texts("--state").isEmpty()) {
                throw new InvalidInput("Option " + OUTDATED
                        + " lists workflows in all open states, but got --state as well. Remove one of them.");
            }
            int at = outdated.lastIndexOf('=');
            this.invocation = invocation;
            this.type = WorkflowType.of(TaskType.of(type, RawJson.class, RawJson.class));
            this.part = Limits.name("version", at < 0 ? outdated : outdated.substring(0, at));
            this.version = at < 0 ? 0 : number(outdated.substring(at + 1));
            if (version < 1) {
                throw new InvalidInput("Option " + OUTDATED
                        + " takes the name of a part and a version from 1, such as fraud-check=1, but got \""
                        + Text.shown(outdated) + "\".");
            }
        }

        private static int number(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                return 0; // reported together with a missing number
            }
        }

        int list() {
            int limit = invocation.number(LIMIT, USUAL_LIMIT);
            try (Semel semel = invocation.operator(invocation.store().openExisting())) {
                List<Task> tasks = semel.workflows(invocation.tenantOrDefault()).outdated(type, part, version, limit);
                print(
                        invocation,
                        new Page(tasks, null),
                        "No open workflow needs code from before version " + version + " of \"" + part + "\".");
                return ExitCode.DONE;
            }
        }
    }
}
