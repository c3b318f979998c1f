package dev.semel.cli;

import dev.semel.store.Page;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel task list}: lists tasks, newest first. */
final class TaskListCommand implements Command {

    private static final int USUAL_LIMIT = 50;

    // The id alone takes 36 characters: below this width the names fit only if the other columns are short.
    private static final int WIDE = 100;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                        this,
                        "Lists tasks, newest first.",
                        "",
                        "semel task list --queue payments --state failed --state timed_out",
                        "semel task list --type charge --key charge-ORD-123",
                        "semel task list --limit 100 --before 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de")
                .addOption(Options.value("--queue", "QUEUE", "Only tasks of this queue."))
                .addOption(Options.value("--type", "TYPE", "Only tasks of this type."))
                .addOption(Options.states("Only tasks in this state", EnumSet.allOf(TaskState.class)))
                .addOption(Options.value(
                        "--key", "KEY", "Only tasks with this key: all its runs. Requires --type, or another --scope."))
                .addOption(Options.value("--tag", "TAG", "Only tasks that were submitted with this tag."))
                .addOption(Options.value("--parent", "ID", "Only steps of the workflow with this task id."))
                .addOption(Options.scope("Scope of the key: type (default), queue, tenant, custom:NAME."));
        return paged(spec);
    }

    /** Adds the options of a list with pages. */
    static CommandSpec paged(CommandSpec spec) {
        return Watch.option(spec.addOption(Options.value(
                        "--limit", "N", "The maximum number of tasks, 1 to 1000. Default:" + " " + USUAL_LIMIT + "."))
                .addOption(Options.value("--before", "ID", "Only tasks older than this one: the next page.")));
    }

    @Override
    public int run(Invocation invocation) {
        TaskQuery query = query(invocation, identity(invocation));
        Duration interval = Watch.interval(invocation);
        try (TaskStore store = invocation.store().openExisting()) {
            return Watch.show(invocation, interval, () -> {
                Page page = page(store, query);
                if (invocation.json()) {
                    printJson(page, invocation.console());
                } else {
                    printText(page, invocation.console());
                }
            });
        }
    }

    /** Returns a full page, or all tasks if there are fewer. Reads on because a store may return a short page. */
    static Page page(TaskStore store, TaskQuery query) {
        List<Task> tasks = new ArrayList<>();
        TaskQuery rest = query;
        while (true) {
            Page page = store.list(rest);
            tasks.addAll(page.tasks());
            TaskId next = page.next();
            int missing = query.limit() - tasks.size();
            if (next == null || missing <= 0) {
                return new Page(tasks, next);
            }
            rest = query.with(query.states(), next, missing);
        }
    }

    static TaskQuery query(Invocation invocation, @Nullable Identity identity) {
        String before = invocation.text("--before");
        Set<TaskState> states =
                invocation.texts("--state").stream().map(TaskState::parse).collect(Collectors.toSet());
        String parent = invocation.text("--parent");
        return new TaskQuery(
                invocation.tenant(),
                invocation.name("queue", "--queue"),
                invocation.name("task type", "--type"),
                states,
                identity,
                parent == null ? null : TaskId.parse(parent),
                false,
                invocation.name("tag", "--tag"),
                before == null ? null : TaskId.parse(before),
                invocation.number("--limit", USUAL_LIMIT));
    }

    private static @Nullable Identity identity(Invocation invocation) {
        String key = invocation.text("--key");
        String word = invocation.text("--scope");
        if (key == null) {
            if (word != null) {
                throw new InvalidInput("Option --scope requires --key, but got only --scope" + " \"" + Text.shown(word)
                        + "\". Give the key as well.");
            }
            return null;
        }
        Scope scope = Scope.parse(word == null ? "type" : word);
        String needed = switch (scope.kind()) {
            case TYPE -> "--type";
            case QUEUE -> "--queue";
            case TENANT, CUSTOM -> null;
        };
        if (needed != null && invocation.text(needed) == null) {
            throw new InvalidInput("A key of scope " + scope.word() + " requires " + needed + ", but got only the key"
                    + " \"" + Text.shown(key) + "\". Give " + needed + " as well, or another --scope.");
        }
        return Identity.of(
                invocation.tenantOrDefault(),
                scope,
                invocation.text("--queue", ""),
                invocation.text("--type", ""),
                key);
    }

    static void printJson(Page page, Console console) {
        TaskId next = page.next();
        console.out()
                .println(new JsonText()
                        .objects(
                                "tasks",
                                page.tasks().stream().map(TaskJson::summary).toList())
                        .put("next", next == null ? null : next.toString()));
    }

    private static void printText(Page page, Console console) {
        if (page.tasks().isEmpty()) {
            console.out().println("No tasks.");
        } else {
            table(page.tasks(), console).print(console);
        }
        printNext(page, console);
    }

    static void printNext(Page page, Console console) {
        TaskId next = page.next();
        if (next != null) {
            console.out().println("There may be more: --before " + next);
        }
    }

    /** Returns the tasks as a table, with as many columns as fit. */
    static Table table(List<Task> tasks, Console console) {
        boolean wide = console.width() >= WIDE;
        Table table = wide
                ? new Table("!ID", "!STATE", "QUEUE", "TYPE", "KEY", "!TRY", "!CREATED")
                : new Table("!ID", "!STATE", "QUEUE", "TYPE", "KEY", "!CREATED");
        for (Task task : tasks) {
            Identity identity = task.identity();
            List<String> cells = new ArrayList<>(List.of(
                    task.id().toString(),
                    task.state().word(),
                    task.queue(),
                    task.type(),
                    identity == null ? "-" : identity.key()));
            if (wide) {
                cells.add(Integer.toString(task.progress().attempt()));
            }
            cells.add(wide ? Text.time(task.createdAt()) : Text.shortTime(task.createdAt()));
            table.add(cells.toArray(String[]::new));
        }
        return table;
    }
}
