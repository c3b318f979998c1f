package dev.semel.cli;

import dev.semel.store.Page;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The tasks that a command is to change: selected by their ids, or by a filter.
 *
 * @param ids the ids; empty with a filter
 * @param filter the filter; null with ids
 * @param dryRun whether to report what would happen and change nothing
 * @param yes whether to skip the confirmation
 */
record TaskSelection(List<TaskId> ids, @Nullable TaskQuery filter, boolean dryRun, boolean yes) {

    /** The maximum number of tasks that a dry run lists; it counts all of them. */
    static final int SHOWN = 1_000;

    private static final int PAGE = 500;
    private static final String ALL = "--all";
    private static final String DRY_RUN = "--dry-run";
    private static final String YES = "--yes";
    private static final List<String> FILTERS = List.of("--queue", "--type", "--state", "--tag");

    static CommandSpec options(CommandSpec spec, Set<TaskState> states) {
        return spec.addPositional(Options.positions("ID", "The ids of the tasks. Alternatively, give a filter.", false))
                .addOption(Options.value("--queue", "QUEUE", "All tasks of this queue."))
                .addOption(Options.value("--type", "TYPE", "All tasks of this type."))
                .addOption(Options.value("--tag", "TAG", "All tasks that were submitted with this tag."))
                .addOption(Options.states("All tasks in this state", states))
                .addOption(Options.flag(ALL, "All tasks."))
                .addOption(Options.flag(DRY_RUN, "Show what would happen to each task, and change nothing."))
                .addOption(Options.flag(
                        YES, "Do not ask for confirmation. Required with a filter if there is no" + " terminal."));
    }

    static TaskSelection read(Invocation invocation, Set<TaskState> states) {
        List<TaskId> ids = invocation.ids();
        boolean filtered = invocation.has(Options.TENANT) || FILTERS.stream().anyMatch(invocation::has);
        boolean all = invocation.has(ALL);
        if (!ids.isEmpty() && (all || FILTERS.stream().anyMatch(invocation::has))) {
            throw new InvalidInput("Tasks are selected by ids or by a filter, but got both. Remove one of them.");
        }
        if (ids.isEmpty() && !filtered && !all) {
            throw new InvalidInput(
                    "No tasks are selected. Give task ids, a filter (--queue, --type, --state, --tag, --tenant), or --all.");
        }
        if (all && FILTERS.stream().anyMatch(invocation::has)) {
            throw new InvalidInput("Option --all selects every task, but got a filter as well. Remove one of them.");
        }
        Set<TaskState> wanted =
                invocation.texts("--state").stream().map(TaskState::parse).collect(Collectors.toSet());
        if (!states.containsAll(wanted)) {
            throw new InvalidInput("Option --state takes one of " + words(states) + " here, but got \"" + words(wanted)
                    + "\". Remove the other states.");
        }
        TaskQuery filter = new TaskQuery(
                invocation.tenant(),
                invocation.name("queue", "--queue"),
                invocation.name("task type", "--type"),
                wanted,
                null,
                null,
                false,
                invocation.name("tag", "--tag"),
                null,
                PAGE);
        return new TaskSelection(ids, ids.isEmpty() ? filter : null, invocation.has(DRY_RUN), invocation.has(YES));
    }

    /**
     * Counts the selected tasks for a person at a terminal. Returns a negative number without a terminal, because
     * counting reads all pages.
     */
    static long count(Invocation invocation, TaskStore store, TaskQuery filter, Set<TaskState> states) {
        if (invocation.json() || !invocation.console().isTerminal()) {
            return -1;
        }
        TaskQuery query = filter.with(filter.states().isEmpty() ? states : filter.states(), null, TaskQuery.MAX_LIMIT);
        long count = 0;
        for (TaskId next; ; query = query.after(next)) {
            Page page = store.list(query);
            count += page.tasks().size();
            next = page.next();
            if (next == null) {
                return count;
            }
        }
    }

    /** Returns whether to continue, after asking at the terminal. */
    boolean isConfirmed(Invocation invocation, String what) {
        if (yes) {
            return true;
        }
        if (invocation.json() || !invocation.console().isTerminal()) {
            throw new InvalidInput("Without a terminal there is no confirmation, so --yes is required to " + what
                    + ". Add --yes, or" + " --dry-run to see which tasks are selected.");
        }
        return invocation.console().confirms(what.substring(0, 1).toUpperCase(Locale.ROOT) + what.substring(1) + "?");
    }

    private static String words(Set<TaskState> states) {
        return Stream.of(TaskState.values())
                .filter(states::contains)
                .map(TaskState::word)
                .collect(Collectors.joining(", "));
    }
}
