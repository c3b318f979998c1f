package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.SettingsFile;
import dev.semel.client.HttpSettings;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** One call of a command: the given arguments, and where to read and write. */
final class Invocation {

    /** The environment variable with the URL of the store. */
    static final String STORE_VARIABLE = "SEMEL_STORE";

    /** The environment variable with the URL of the server. */
    static final String SERVER_VARIABLE = "SEMEL_SERVER";

    /** The environment variable with the token for the server. */
    static final String TOKEN_VARIABLE = "SEMEL_TOKEN";

    private static final String USUAL_CONFIG = "semel.toml";

    private final Console console;
    private final List<ParseResult> levels;
    private @Nullable Settings settings;

    /**
     * Creates a call. The levels are the program, the command and its subcommand, if any; options may be given at each
     * level.
     */
    Invocation(Console console, List<ParseResult> levels) {
        this.console = console;
        this.levels = List.copyOf(levels);
    }

    Console console() {
        return console;
    }

    boolean json() {
        return has(Options.JSON);
    }

    boolean has(String option) {
        return levels.stream().anyMatch(level -> level.hasMatchedOption(option));
    }

    @Nullable
    String text(String option) {
        for (ParseResult level : levels.reversed()) {
            if (level.hasMatchedOption(option)) {
                return level.matchedOptionValue(option, "");
            }
        }
        return null;
    }

    String text(String option, String otherwise) {
        String given = text(option);
        return given == null ? otherwise : given;
    }

    List<String> texts(String option) {
        String[] given = levels.getLast().matchedOptionValue(option, new String[0]);
        return List.of(given);
    }

    @Nullable
    Duration duration(String option) {
        String given = text(option);
        if (given == null) {
            return null;
        }
        try {
            return Durations.parse(given);
        } catch (InvalidInput e) {
            throw new InvalidInput("Option " + option + ": " + e.getMessage(), e);
        }
    }

    Duration duration(String option, Duration otherwise) {
        Duration given = duration(option);
        return given == null ? otherwise : given;
    }

    @Nullable
    Integer number(String option) {
        String given = text(option);
        if (given == null) {
            return null;
        }
        try {
            return Integer.valueOf(given);
        } catch (NumberFormatException e) {
            throw new InvalidInput(
                    "Option " + option + " takes a whole number, but got \"" + Limits.shown(given) + "\".");
        }
    }

    int number(String option, int otherwise) {
        Integer given = number(option);
        return given == null ? otherwise : given;
    }

    /** Returns the name given with an option, checked against the safe alphabet. */
    @Nullable
    String name(String what, String option) {
        String given = text(option);
        return given == null ? null : Limits.name(what, given);
    }

    String position(int index) {
        return levels.getLast().matchedPositionalValue(index, "");
    }

    List<String> positions() {
        String[] given = levels.getLast().matchedPositionalValue(0, new String[0]);
        return List.of(given);
    }

    /** Returns the given task ids without repetitions. */
    List<TaskId> ids() {
        return positions().stream().map(TaskId::parse).distinct().toList();
    }

    /** Rejects a tenant, for commands on things that belong to all tenants. */
    void refuseTenant(String what) {
        String given = text(Options.TENANT);
        if (given != null) {
            throw new InvalidInput(what + ", but got --tenant \"" + Limits.shown(given) + "\". Remove the option.");
        }
    }

    /** Returns the given tenant, or null. */
    @Nullable
    String tenant() {
        String given = text(Options.TENANT);
        if (given == null) {
            String environment = console.environment().get("SEMEL_TENANT");
            given = environment == null || environment.isEmpty() ? null : environment;
        }
        return given == null ? null : Limits.name("tenant", given);
    }

    String tenantOrDefault() {
        String given = tenant();
        return given == null ? Identity.DEFAULT_TENANT : given;
    }

    /** Returns the configuration: the given file, or else {@code semel.toml} in the working directory, if it exists. */
    Settings settings() {
        Settings known = settings;
        if (known == null) {
            known = readSettings();
            settings = known;
        }
        return known;
    }

    /**
     * Returns the text of an option, which must not be empty: an empty one is most often a variable that is not set, and another
     * store or configuration than the one that was meant would be used in silence.
     */
    private @Nullable String notEmpty(String option, String expected) {
        String given = text(option);
        if (given != null && given.isBlank()) {
            throw new InvalidInput("Option " + option + " takes " + expected
                    + ", but got \"\". Leave the option out for the" + " default.");
        }
        return given;
    }

    private Settings readSettings() {
        String given = notEmpty(Options.CONFIG, "the name of a file");
        if (given == null) {
            given = console.environment().get("SEMEL_CONFIG");
        }
        if (given == null || given.isEmpty()) {
            Path usual = Path.of(USUAL_CONFIG);
            return Files.exists(usual) ? SettingsFile.read(usual) : Settings.NONE;
        }
        try {
            return SettingsFile.read(Path.of(given));
        } catch (InvalidPathException e) {
            throw new InvalidInput(
                    "The name of the configuration file \"" + Limits.shown(given) + "\" is not valid on this system"
                            + " (" + e.getReason() + "). Choose another name.",
                    e);
        }
    }

    /** Returns the store, or the server that has it. Flags override the environment, which overrides the configuration. */
    StoreUrl store() {
        // Always read, so that every command reports a mistake in it before a store is opened.
        Settings configured = settings();
        StoreUrl url = given(
                "--store and --server",
                notEmpty(Options.STORE, "the URL of a store, for example " + StoreUrl.DEFAULT),
                notEmpty(Options.SERVER, "the URL of a server, for example https://semel.example.com"));
        if (url == null) {
            url = given(
                    STORE_VARIABLE + " and " + SERVER_VARIABLE,
                    environment(STORE_VARIABLE),
                    environment(SERVER_VARIABLE));
        }
        if (url == null) {
            String there = configured.store();
            url = StoreUrl.parse(there == null || there.isEmpty() ? StoreUrl.DEFAULT : there);
        }
        String tokenFile = notEmpty(Options.TOKEN_FILE, "the name of a file");
        if (tokenFile != null && !url.isServer()) {
            throw new InvalidInput("A token is for a server, but got " + Options.TOKEN_FILE + " and the store \"" + url
                    + "\". Give --server too, or remove the option.");
        }
        return url.isServer() ? url.withToken(tokenFile == null ? environment(TOKEN_VARIABLE) : token(tokenFile)) : url;
    }

    private static @Nullable StoreUrl given(String both, @Nullable String store, @Nullable String server) {
        if (store != null && server != null) {
            throw new InvalidInput(
                    "A command works on a store or through a server, but got " + both + ". Give one of them.");
        }
        if (server != null) {
            return StoreUrl.ofServer(server);
        }
        return store == null ? null : StoreUrl.parse(store);
    }

    private @Nullable String environment(String variable) {
        String value = console.environment().get(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    private static String token(String file) {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            // More than any token has: the file may be another one by mistake.
            byte[] text = in.readNBytes(2 * HttpSettings.TOKEN_LENGTH);
            return new String(text, StandardCharsets.ISO_8859_1).strip();
        } catch (IOException | InvalidPathException e) {
            throw new InvalidInput(
                    "The file with the token, \"" + Limits.shown(file) + "\", cannot be read ("
                            + e.getClass().getSimpleName() + "). Give a file that this user may read.",
                    e);
        }
    }

    /**
     * Opens an instance with the whole configuration, and declares the configured queues to the store. The queues and schedules of
     * a server are configured there.
     */
    Semel semel(TaskStore store) {
        return store.isMaintained() ? operator(store) : on(store, settings());
    }

    /**
     * Opens an instance for reading and operating. It declares no queues, because this configuration may differ from
     * that of the workers.
     */
    Semel operator(TaskStore store) {
        Settings all = settings();
        return on(
                store,
                new Settings(
                        all.store(), all.defaults(), all.cleaning(), Map.of(), all.tasks(), all.workers(), Map.of()));
    }

    private static Semel on(TaskStore store, Settings all) {
        // The worker command reads the settings of its worker itself, because its flags override them.
        Settings settings = new Settings(
                all.store(), all.defaults(), all.cleaning(), all.queues(), all.tasks(), Map.of(), all.schedules());
        // The worker command closes its instance at a signal, with the given grace period.
        return Semel.on(store).settings(settings).withoutShutdownHook().build();
    }
}
