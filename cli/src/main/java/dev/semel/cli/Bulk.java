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
 * Which tasks a command is to change: some by their ids, or all that a filter lets pass.
 *
 * @param ids the ids; empty with a filter
 * @param filter the filter; null with ids
 * @param dryRun whether only to say what would happen
 * @param yes whether not to ask
 */
record Bulk(List<TaskId> ids, @Nullable TaskQuery filter, boolean dryRun, boolean yes) {

    /** The most tasks that a dry run shows one by one; it counts all. */
    static final int SHOWN = 1_000;

    private static final int PAGE = 500;
    private static final String ALL = "--all";
    private static final String DRY_RUN = "--dry-run";
    private static final String YES = "--yes";
    private static final List<String> FILTERS = List.of("--queue", "--type", "--state");

    static CommandSpec options(CommandSpec spec, Set<TaskState> states) {
        return spec.addPositional(Options.positions("ID", "The tasks. Or else a filter.", false))
                .addOption(Options.value("--queue", "QUEUE", "All of this queue."))
                .addOption(Options.value("--type", "TYPE", "All of this task type."))
                .addOption(Options.states("All in this state", states))
                .addOption(Options.flag(ALL, "All there are."))
                .addOption(Options.flag(DRY_RUN, "Say what would happen to each, and change nothing."))
                .addOption(Options.flag(YES, "Do not ask. Needed with a filter where no terminal is."));
    }

    static Bulk read(Invocation invocation, Set<TaskState> states) {
        List<TaskId> ids = invocation.ids();
        boolean filtered = invocation.has(Options.TENANT) || FILTERS.stream().anyMatch(invocation::has);
        boolean all = invocation.has(ALL);
        if (!ids.isEmpty() && (all || FILTERS.stream().anyMatch(invocation::has))) {
            throw new InvalidInput("Tasks are named by their ids or by a filter, but got both. Leave one out.");
        }
        if (ids.isEmpty() && !filtered && !all) {
            throw new InvalidInput(
                    "Which tasks are meant is said by ids, by --queue, --type, --state or --tenant, or by"
                            + " --all, but got nothing. Give one of them.");
        }
        if (all && FILTERS.stream().anyMatch(invocation::has)) {
            throw new InvalidInput("All are meant by --all, but got a filter as well. Leave one out.");
        }
        Set<TaskState> wanted =
                invocation.texts("--state").stream().map(TaskState::parse).collect(Collectors.toSet());
        if (!states.containsAll(wanted)) {
            throw new InvalidInput("Option --state takes one of " + words(states) + " here, but got \"" + words(wanted)
                    + "\". Leave out what has no meaning here.");
        }
        TaskQuery filter = new TaskQuery(
                invocation.tenant(),
                invocation.name("queue", "--queue"),
                invocation.name("task type", "--type"),
                wanted,
                null,
                null,
                PAGE);
        return new Bulk(ids, ids.isEmpty() ? filter : null, invocation.has(DRY_RUN), invocation.has(YES));
    }

    /** How many tasks are meant, where somebody sits and waits for it; below zero where nobody does. */
    static long count(Invocation invocation, TaskStore store, TaskQuery filter, Set<TaskState> states) {
        if (invocation.json() || !invocation.console().isTerminal()) {
            return -1;
        }
        TaskQuery query = new TaskQuery(
                filter.tenant(),
                filter.queue(),
                filter.type(),
                filter.states().isEmpty() ? states : filter.states(),
                null,
                null,
                TaskQuery.MAX_LIMIT);
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

    /** Whether to go on, after asking whoever sits at the terminal. */
    boolean isConfirmed(Invocation invocation, String what) {
        if (yes) {
            return true;
        }
        if (invocation.json() || !invocation.console().isTerminal()) {
            throw new InvalidInput(
                    "To " + what + " needs --yes where nobody can be asked. \"--dry-run\" shows which tasks"
                            + " are meant. Give one of them.");
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
