package dev.semel.cli;

import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** One call of a command: what was given, and where to read and write. */
final class Invocation {

    private final Console console;
    private final List<ParseResult> levels;

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

    /** The tenant that was asked for, or null. */
    @Nullable
    String tenant() {
        return name("tenant", Options.TENANT);
    }

    String tenantOrDefault() {
        String given = tenant();
        return given == null ? Identity.DEFAULT_TENANT : given;
    }

    StoreUrl store() {
        String given = text(Options.STORE);
        if (given == null) {
            given = console.environment().get("SEMEL_STORE");
        }
        return StoreUrl.parse(given == null || given.isEmpty() ? StoreUrl.DEFAULT : given);
    }
}
