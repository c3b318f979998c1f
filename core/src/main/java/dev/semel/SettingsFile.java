package dev.semel;

import dev.semel.engine.WorkerOptions;
import dev.semel.schedule.Schedule;
import dev.semel.store.QueueSettings;
import dev.semel.task.Durations;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.JsonPointer;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A reader of settings in a TOML file, which is usually called {@code semel.toml}. */
public final class SettingsFile {

    private static final String DEAD_LETTER_QUEUE = "dead_letter_queue";
    private static final String IDENTITY = "identity";
    private static final String IDENTITY_FIELDS = "identity_fields";
    private static final String TTL = "idempotency_ttl";
    private static final String REUSE = "reuse";
    private static final String RETENTION = "retention";

    private SettingsFile() {}

    /**
     * Reads a file.
     *
     * @param file the file
     * @return the settings
     * @throws InvalidInput if the file cannot be read or has an invalid setting; the message contains the file, the
     *     line, the name and the nearest known name
     */
    public static Settings read(Path file) {
        TomlTable root = TomlTable.of(TomlDocument.read(Limits.notNull("file", file)));
        String own = root.text("store", SettingsFile::store);
        // The server that a program speaks to is a URL, the one that it is itself is a table.
        boolean isServer = root.isTable("server");
        String server = isServer ? null : root.text("server", SettingsFile::server);
        Settings.Listening listening = isServer ? listening(root.table("server")) : Settings.Listening.NONE;
        if (own != null && server != null) {
            throw new InvalidInput("The file \"" + Limits.shown(file.toString())
                    + "\" names a store and a server, but a program works on one of them. Remove the other.");
        }
        String store = server == null ? own : server;
        TomlTable defaultsTable = root.table("defaults");
        TomlTable cleaningTable = root.table("cleaning");
        TomlTable queueTables = root.table("queues");
        TomlTable taskTables = root.table("tasks");
        TomlTable workerTables = root.table("workers");
        TomlTable scheduleTables = root.table("schedules");
        root.end();
        Settings.Defaults defaults = defaults(defaultsTable);
        Settings.CleaningTimes cleaning = cleaning(cleaningTable);
        Map<String, QueueSettings> queues = new LinkedHashMap<>();
        Map<String, TomlTable> byQueue = queueTables.tables("queue");
        byQueue.forEach((name, table) -> queues.put(name, queue(table)));
        byQueue.forEach((name, table) -> checkCircle(name, table, queues));
        Map<String, TypeSettings> tasks = new LinkedHashMap<>();
        taskTables.tables("task type").forEach((name, table) -> tasks.put(name, task(table)));
        Map<String, WorkerOptions> workers = new LinkedHashMap<>();
        workerTables.tables("queue").forEach((name, table) -> workers.put(name, worker(table)));
        Map<String, Schedule> schedules = new LinkedHashMap<>();
        scheduleTables
                .tables("schedule")
                .forEach((name, table) -> schedules.put(name, ScheduleTable.read(name, table)));
        return new Settings(store, defaults, cleaning, queues, tasks, workers, schedules, listening);
    }

    private static String store(String url) {
        if (url.isBlank()) {
            throw new InvalidInput(
                    "The store is a URL such as \"sqlite:semel.db\", but got \"\". Remove it for the default.");
        }
        return url;
    }

    private static String server(String url) {
        if (!url.startsWith("http://") && !url.startsWith("https://")) {
            throw new InvalidInput(
                    "The server is a URL such as \"https://semel.example.com\", but got something else. A store of"
                            + " another kind is named by \"store\".");
        }
        return url;
    }

    private static Settings.Listening listening(TomlTable table) {
        Settings.Listening listening = new Settings.Listening(
                table.text("host", SettingsFile::notBlank),
                table.number("port", SettingsFile::port),
                table.text("tokens", SettingsFile::notBlank),
                table.text("certificate", SettingsFile::notBlank),
                table.text("private_key", SettingsFile::notBlank),
                table.text("grace", text -> Limits.duration("grace", Durations.parse(text))),
                table.text("audit", SettingsFile::notBlank));
        table.end();
        return listening;
    }

    private static String notBlank(String text) {
        if (text.isBlank()) {
            throw new InvalidInput("Expected an address or a file, but got \"\". Remove it for the default.");
        }
        return text;
    }

    private static int port(int given) {
        if (given < 0 || given > 65_535) {
            throw new InvalidInput("A port is 1 to 65535, or 0 for any free port, but got \"" + given + "\".");
        }
        return given;
    }

    private static Settings.Defaults defaults(TomlTable table) {
        Settings.Defaults defaults = new Settings.Defaults(
                identity(table), table.text(REUSE, ReusePolicy::parse), positive(table, TTL, "idempotency ttl"));
        table.end();
        return defaults;
    }

    private static Settings.CleaningTimes cleaning(TomlTable table) {
        Settings.CleaningTimes times = new Settings.CleaningTimes(
                table.text("interval", Durations::parse),
                positive(table, RETENTION, "retention"),
                positive(table, "dead_letter_retention", "retention of dead letters"),
                positive(table, "workflow_retention", "retention of workflows"));
        table.end();
        return times;
    }

    private static QueueSettings queue(TomlTable table) {
        if (table.has("paused")) {
            throw table.wrong(
                    "paused",
                    "a queue is paused at run time, with \"semel queue pause\" or Operations.pause, because a pause"
                            + " that returns with every start would be a surprise. Remove it.");
        }
        RateLimit rateLimit = table.text("rate_limit", RateLimit::parse);
        Integer concurrency = table.number("concurrency", SettingsFile::concurrency);
        QueueSettings settings = new QueueSettings(
                null,
                rateLimit,
                concurrency,
                table.text(RETENTION, Durations::parse),
                positive(table, TTL, "idempotency ttl"),
                table.text(REUSE, ReusePolicy::parse),
                table.text(DEAD_LETTER_QUEUE, name -> name.isEmpty() ? name : Limits.name("dead-letter queue", name)));
        table.end();
        return settings;
    }

    private static int concurrency(int given) {
        QueueSettings.builder().concurrency(given); // checks it
        return given;
    }

    private static void checkCircle(String queue, TomlTable table, Map<String, QueueSettings> queues) {
        Set<String> seen = new HashSet<>();
        String at = queue;
        while (at != null && seen.add(at)) {
            at = queues.getOrDefault(at, QueueSettings.NONE).deadLettersTo();
            if (queue.equals(at)) {
                throw table.wrong(
                        DEAD_LETTER_QUEUE,
                        "the queue would get its own dead letters back, because the dead-letter queues form a"
                                + " circle. Choose another queue.");
            }
        }
    }

    private static TypeSettings task(TomlTable table) {
        String queue = table.text("queue", name -> Limits.name("queue", name));
        IdentityStrategy identity = identity(table);
        List<JsonPointer> ignored = table.texts("ignore_fields", SettingsFile::field);
        TypeSettings settings = new TypeSettings(
                queue,
                identity,
                table.text("scope", Scope::parse),
                table.text(REUSE, ReusePolicy::parse),
                positive(table, TTL, "idempotency ttl"),
                ignored,
                retry(table),
                positive(table, "timeout", "timeout"),
                table.number("priority", Limits::priority),
                positive(table, "time_limit", "time limit"),
                positive(table, "start_by", "start-by"));
        table.end();
        return settings;
    }

    private static WorkerOptions worker(TomlTable table) {
        WorkerOptions options = new WorkerOptions(
                table.number("concurrency", SettingsFile::workerConcurrency),
                table.number("prefetch", SettingsFile::prefetch),
                heldBytes(table),
                table.text("lease", SettingsFile::lease),
                positive(table, "poll", "poll interval"),
                table.number("max_vanished", SettingsFile::maxVanished),
                table.text("close_grace", text -> Limits.duration("close grace", Durations.parse(text))));
        table.end();
        return options;
    }

    private static int workerConcurrency(int given) {
        new WorkerOptions(given, null, null, null, null, null, null); // checks it
        return given;
    }

    private static int prefetch(int given) {
        new WorkerOptions(null, given, null, null, null, null, null); // checks it
        return given;
    }

    private static @Nullable Long heldBytes(TomlTable table) {
        Integer bytes = table.number("held_bytes", given -> {
            new WorkerOptions(null, null, (long) given, null, null, null, null); // checks it
            return given;
        });
        return bytes == null ? null : (Long) (long) bytes;
    }

    private static Duration lease(String text) {
        Duration lease = Durations.parse(text);
        new WorkerOptions(null, null, null, lease, null, null, null); // checks it
        return lease;
    }

    private static int maxVanished(int given) {
        new WorkerOptions(null, null, null, null, null, given, null); // checks it
        return given;
    }

    private static @Nullable IdentityStrategy identity(TomlTable table) {
        String word = table.text(IDENTITY, SettingsFile::strategy);
        List<JsonPointer> fields = table.texts(IDENTITY_FIELDS, SettingsFile::field);
        boolean contextual = "contextual".equals(word);
        if (fields != null && !contextual) {
            throw table.wrong(
                    IDENTITY_FIELDS,
                    "only the contextual strategy has fields, but identity is "
                            + (word == null ? "not given" : "\"" + word + "\"")
                            + ". Write identity = \"contextual\", or remove the fields.");
        }
        if (contextual && (fields == null || fields.isEmpty())) {
            throw table.wrong(
                    fields == null ? IDENTITY : IDENTITY_FIELDS,
                    "the contextual strategy needs at least one field, but got none. Write, for example,"
                            + " identity_fields ="
                            + " [\"/customer\"].");
        }
        return switch (word) {
            case null -> null;
            case "contextual" -> new IdentityStrategy.Contextual(orElse(fields, List.of()));
            case "strict" -> IdentityStrategy.strict();
            case "caller_provided" -> IdentityStrategy.callerProvided();
            default -> IdentityStrategy.alwaysUnique();
        };
    }

    private static String strategy(String word) {
        if (!Set.of("strict", "contextual", "caller_provided", "always_unique").contains(word)) {
            throw new InvalidInput(
                    "An identity strategy is strict, contextual, caller_provided or always_unique, but got \""
                            + Limits.shown(word) + "\".");
        }
        return word;
    }

    private static JsonPointer field(String text) {
        if (text.isEmpty()) {
            throw new InvalidInput(
                    "A field is named by a JSON pointer such as \"/customer\", but got \"\", which refers to the"
                            + " whole input. Name a part of it.");
        }
        return new JsonPointer(text);
    }

    private static @Nullable RetryPolicy retry(TomlTable table) {
        Integer attempts = table.number(
                "max_attempts", given -> RetryPolicy.attempts(given).maxAttempts());
        List<Duration> delays = table.texts("retry_delays", Durations::parse);
        if (delays == null) {
            return attempts == null ? null : RetryPolicy.attempts(attempts);
        }
        return table.read(
                "retry_delays",
                () -> new RetryPolicy(
                        attempts == null ? delays.size() + 1 : attempts, new RetryPolicy.Backoff.Fixed(delays)));
    }

    private static @Nullable Duration positive(TomlTable table, String name, String what) {
        return table.text(name, text -> Limits.positive(what, Durations.parse(text)));
    }

    private static <T> T orElse(@Nullable T given, T otherwise) {
        return given == null ? otherwise : given;
    }
}
