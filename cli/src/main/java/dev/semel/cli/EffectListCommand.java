package dev.semel.cli;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel effect list}: lists effects, oldest lineage first. */
final class EffectListCommand implements Command {

    private static final String TASK = "--task";
    private static final String UNKNOWN = "--unknown";
    private static final String AFTER = "--after";
    private static final int USUAL_LIMIT = 50;
    private static final int ID_LENGTH = 36;

    // Below this width there is room only for the columns that "effect resolve" needs.
    private static final int WIDE = 110;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(
                        this,
                        "Lists effects, those of the oldest tasks first.",
                        "An effect belongs to all runs of its key that continue each other. The listed task is the"
                                + " last one that worked on it.",
                        "semel effect list --unknown",
                        "semel effect list --unknown --queue payments --type charge --json",
                        "semel effect list --task 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --tokens")
                .addOption(Options.flag(UNKNOWN, "Only effects with unknown outcome."))
                .addOption(Options.value(TASK, "ID", "Only effects of this task, and of the runs before and after it."))
                .addOption(Options.value("--queue", "QUEUE", "Only effects of tasks in this queue."))
                .addOption(Options.value("--type", "TYPE", "Only effects of tasks of this type."))
                .addOption(Options.value(
                        "--limit", "N", "The maximum number of effects, 1 to 1000. Default:" + " " + USUAL_LIMIT + "."))
                .addOption(Options.value(AFTER, "PLACE", "Only effects after this one: the next page."))
                .addOption(TaskCommand.tokens());
        return Watch.option(spec);
    }

    /** An effect and the last task that worked on it, if that task is still stored. */
    private record Row(EffectRecord effect, @Nullable Task task) {

        /**
         * Returns a task by which the effect can be found: the last one that worked on it, or the one that names the
         * lineage.
         */
        String found() {
            return (task == null ? effect.id().lineage() : task.id()).toString();
        }
    }

    private record Rows(List<Row> rows, @Nullable EffectId next) {}

    /** The checked arguments of the command. */
    private record Arguments(
            @Nullable TaskId task,
            boolean unknown,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String tenant,
            @Nullable EffectId after,
            int limit) {

        static Arguments read(Invocation invocation) {
            String task = invocation.text(TASK);
            Arguments arguments = new Arguments(
                    task == null ? null : TaskId.parse(task),
                    invocation.has(UNKNOWN),
                    invocation.name("queue", "--queue"),
                    invocation.name("task type", "--type"),
                    invocation.tenant(),
                    place(invocation.text(AFTER)),
                    invocation.number("--limit", USUAL_LIMIT));
            arguments.query(arguments.limit, null); // checks the limit before a store is opened
            if (arguments.task != null && (arguments.queue != null || arguments.type != null)) {
                throw new InvalidInput("Effects are selected by their task or by a filter, but got both " + TASK + ""
                        + " and --queue or --type. Remove one of them.");
            }
            return arguments;
        }

        EffectQuery query(int most, @Nullable EffectId from) {
            return new EffectQuery(tenant, unknown ? Set.of(EffectState.UNKNOWN) : Set.of(), from, most);
        }

        boolean isFiltered() {
            return queue != null || type != null;
        }

        boolean lets(@Nullable Task of) {
            return !isFiltered()
                    || (of != null
                            && (queue == null || queue.equals(of.queue()))
                            && (type == null || type.equals(of.type())));
        }
    }

    /** Parses the end of a page: the id of the lineage, a slash and the effect. */
    private static @Nullable EffectId place(@Nullable String text) {
        if (text == null) {
            return null;
        }
        if (text.length() <= ID_LENGTH + 1 || text.charAt(ID_LENGTH) != '/') {
            throw new InvalidInput("Option " + AFTER + " takes the place that a list printed at its end, such as"
                    + " 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de/charge, but got \"" + Text.shown(text) + "\".");
        }
        return EffectId.parse(TaskId.parse(text.substring(0, ID_LENGTH)), text.substring(ID_LENGTH + 1));
    }

    private static String place(EffectId id) {
        return id.lineage() + "/" + id.label();
    }

    @Override
    public int run(Invocation invocation) {
        Arguments arguments = Arguments.read(invocation);
        boolean tokens = invocation.has(TaskCommand.TOKENS);
        Duration interval = Watch.interval(invocation);
        try (TaskStore store = invocation.store().openExisting()) {
            return Watch.show(invocation, interval, () -> {
                Rows rows =
                        arguments.task() == null ? all(store, arguments) : ofTask(store, arguments, arguments.task());
                if (invocation.json()) {
                    printJson(rows, tokens, invocation.console());
                } else {
                    print(rows, tokens, invocation.console());
                }
            });
        }
    }

    // ---- reading

    private static Rows ofTask(TaskStore store, Arguments arguments, TaskId id) {
        List<EffectRecord> effects = find(store, id, arguments.tenant()).stream()
                .filter(effect -> !arguments.unknown() || effect.state() == EffectState.UNKNOWN)
                .filter(effect -> arguments.after() == null || effect.id().compareTo(arguments.after()) > 0)
                .toList();
        boolean more = effects.size() > arguments.limit();
        List<EffectRecord> shown = more ? effects.subList(0, arguments.limit()) : effects;
        return new Rows(rows(store, shown), more ? shown.getLast().id() : null);
    }

    /** Returns the effects of a task's lineage, even if only the effects of the task are still stored. */
    static List<EffectRecord> find(TaskStore store, TaskId id, @Nullable String tenant) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null && tenant == null) {
            List<EffectRecord> left = store.effects(List.of(id)).getOrDefault(id, List.of());
            if (!left.isEmpty()) {
                return left;
            }
        }
        TaskId lineage = TaskCommand.find(store, id, tenant).lineage();
        return store.effects(List.of(lineage)).getOrDefault(lineage, List.of());
    }

    /**
     * Returns a full page, or all effects if there are fewer. Reads on because a store may return a short page, and the
     * filter may drop most of it.
     */
    private static Rows all(TaskStore store, Arguments arguments) {
        List<Row> rows = new ArrayList<>();
        EffectId from = arguments.after();
        while (true) {
            int most = arguments.isFiltered() ? EffectQuery.MAX_LIMIT : arguments.limit() - rows.size();
            EffectPage page = store.effects(arguments.query(most, from));
            for (Row row : rows(store, page.effects())) {
                if (arguments.lets(row.task())) {
                    rows.add(row);
                    if (rows.size() == arguments.limit()) {
                        boolean last = page.next() == null
                                && row.effect()
                                        .id()
                                        .equals(page.effects().getLast().id());
                        return new Rows(rows, last ? null : row.effect().id());
                    }
                }
            }
            from = page.next();
            if (from == null) {
                return new Rows(rows, null);
            }
        }
    }

    private static List<Row> rows(TaskStore store, List<EffectRecord> effects) {
        Map<TaskId, Task> tasks = store.find(
                effects.stream().map(effect -> effect.by().taskId()).distinct().toList());
        return effects.stream()
                .map(effect -> new Row(effect, tasks.get(effect.by().taskId())))
                .toList();
    }

    // ---- printing

    private static void printJson(Rows rows, boolean tokens, Console console) {
        EffectId next = rows.next();
        console.out()
                .println(new JsonText()
                        .objects(
                                "effects",
                                rows.rows().stream()
                                        .map(row -> json(row, tokens))
                                        .toList())
                        .put("next", next == null ? null : place(next)));
    }

    private static JsonText json(Row row, boolean tokens) {
        JsonText json = EffectJson.of(row.effect(), tokens);
        Task task = row.task();
        return task == null
                ? json
                : json.put("task_state", task.state().word())
                        .put("tenant", task.tenant())
                        .put("queue", task.queue())
                        .put("type", task.type())
                        .put("run", task.run());
    }

    private static void print(Rows rows, boolean tokens, Console console) {
        if (rows.rows().isEmpty()) {
            console.out().println("No effects.");
        } else {
            boolean wide = console.width() >= WIDE;
            List<String> heads = new ArrayList<>(List.of("!TASK", "!EFFECT", "!STATE", "!INTENDED"));
            if (wide) {
                heads.addAll(List.of("!WINDOW", "TYPE", "QUEUE"));
            }
            if (tokens) {
                heads.add("!TOKEN");
            }
            Table table = new Table(heads.toArray(String[]::new));
            rows.rows().forEach(row -> table.add(cells(row, wide, tokens).toArray(String[]::new)));
            table.print(console);
        }
        EffectId next = rows.next();
        if (next != null) {
            console.out().println("There may be more: " + AFTER + " " + place(next));
        }
    }

    private static List<String> cells(Row row, boolean wide, boolean tokens) {
        EffectRecord effect = row.effect();
        Task task = row.task();
        List<String> cells = new ArrayList<>(List.of(
                row.found(),
                effect.id().label(),
                Timeline.state(effect),
                wide ? Text.time(effect.intendedAt()) : Text.shortTime(effect.intendedAt())));
        if (wide) {
            Instant end = effect.windowEnd();
            cells.add(end == null ? "-" : effect.windowPassed() ? "over" : "until " + Text.shortTime(end));
            cells.add(task == null ? "-" : task.type());
            cells.add(task == null ? "-" : task.queue());
        }
        if (tokens) {
            cells.add(effect.id().token());
        }
        return cells;
    }
}
