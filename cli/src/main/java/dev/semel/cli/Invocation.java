package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.SettingsFile;
import dev.semel.store.TaskStore;
import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.TaskId;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** One call of a command: what was given, and where to read and write. */
final class Invocation {

    private static final String USUAL_CONFIG = "semel.toml";

    private final Console console;
    private final List<ParseResult> levels;
    private @Nullable Settings settings;

    /** The levels are the program, the command and, where there is one, its subcommand; options may stand at each. */
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

    /** A name of the safe alphabet that was given with an option. */
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

    /** The task ids that were given; each counts once. */
    List<TaskId> ids() {
        return positions().stream().map(TaskId::parse).distinct().toList();
    }

    /** Takes nothing where something is changed or looked at that belongs to all tenants. */
    void refuseTenant(String what) {
        String given = text(Options.TENANT);
        if (given != null) {
            throw new InvalidInput(what + ", but got --tenant \"" + Limits.shown(given) + "\". Leave it out.");
        }
    }

    /** The tenant that was asked for, or null. */
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

    /**
     * The configuration: the file that was named, or else {@code semel.toml} in the working directory, if there is one.
     */
    Settings settings() {
        Settings known = settings;
        if (known == null) {
            known = readSettings();
            settings = known;
        }
        return known;
    }

    private Settings readSettings() {
        String given = text(Options.CONFIG);
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
                    "A configuration file has a name that this system can have, but got \"" + Limits.shown(given)
                            + "\" (" + e.getReason() + "). Choose another name.",
                    e);
        }
    }

    /** Flags win over the environment, and that over the configuration. */
    StoreUrl store() {
        // Read in any case: a mistake in it is told by every command, and before a store is opened.
        Settings configured = settings();
        String given = text(Options.STORE);
        if (given == null) {
            given = console.environment().get("SEMEL_STORE");
        }
        if (given == null || given.isEmpty()) {
            given = configured.store();
        }
        return StoreUrl.parse(given == null || given.isEmpty() ? StoreUrl.DEFAULT : given);
    }

    /** An instance on a store, with all that the configuration says; what it says of queues is declared to the store. */
    Semel semel(TaskStore store) {
        return on(store, settings());
    }

    /** An instance for whoever looks or operates: the configuration here need not be the one that the workers have. */
    Semel operator(TaskStore store) {
        Settings all = settings();
        return on(store, new Settings(all.store(), all.defaults(), all.cleaning(), Map.of(), all.tasks()));
    }

    private static Semel on(TaskStore store, Settings settings) {
        // The worker command closes its instance at a signal, with the grace that its caller gave.
        return Semel.on(store).settings(settings).withoutShutdownHook().build();
    }
}
