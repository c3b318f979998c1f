package dev.semel.cli;

import dev.semel.task.TaskState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The building blocks of command descriptions, and the options that every command has. */
final class Options {

    static final String STORE = "--store";
    static final String CONFIG = "--config";
    static final String TENANT = "--tenant";
    static final String JSON = "--json";
    static final String VERBOSE = "--verbose";
    static final String NO_COLOR = "--no-color";

    private Options() {}

    /** The description of a command: one line for lists, more for its own help, and examples below its options. */
    static CommandSpec command(Command command, String line, String more, String... examples) {
        return described(CommandSpec.wrapWithoutInspection(command), line, more, examples);
    }

    /** The description of a command that does nothing by itself and has subcommands. */
    static CommandSpec group(String line, String... examples) {
        return described(CommandSpec.create(), line, "", examples);
    }

    private static CommandSpec described(CommandSpec spec, String line, String more, String... examples) {
        spec.usageMessage().header(line).sortOptions(false);
        if (!more.isEmpty()) {
            spec.usageMessage().description(more);
        }
        if (examples.length > 0) {
            String[] footer = new String[examples.length + 1];
            footer[0] = "%nExamples:";
            for (int i = 0; i < examples.length; i++) {
                footer[i + 1] = "  " + examples[i].replace("%", "%%");
            }
            spec.usageMessage().footer(footer);
        }
        return spec;
    }

    /** Adds what every command has, after its own options. */
    static void addGlobal(CommandSpec spec) {
        spec.addOption(value(
                STORE,
                "URL",
                "Where tasks are kept: sqlite:FILE or postgresql://HOST/DATABASE. Or else SEMEL_STORE, the configuration's,"
                        + " sqlite:semel.db."));
        spec.addOption(
                value(CONFIG, "FILE", "The configuration. Or else SEMEL_CONFIG, or semel.toml here if there is one."));
        spec.addOption(value(TENANT, "NAME", "The tenant. Or else SEMEL_TENANT, or \"default\"."));
        spec.addOption(flag(JSON, "Print JSON, errors included, and nothing else."));
        spec.addOption(flag(VERBOSE, "Log what is going on, and show where an error came from."));
        spec.addOption(flag(NO_COLOR, "No colours; also with NO_COLOR set, and where the output is no terminal."));
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help and exit.")
                .build());
        spec.subcommands().values().forEach(sub -> addGlobal(sub.getCommandSpec()));
    }

    /** The names of the subcommands that are shown to people. */
    static List<String> visibleCommands(CommandSpec spec) {
        return spec.subcommands().entrySet().stream()
                .filter(entry ->
                        !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .arity("0")
                .description(description)
                .build();
    }

    static OptionSpec value(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .arity("1")
                .paramLabel(label)
                .description(description)
                .build();
    }

    static OptionSpec required(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .arity("1")
                .required(true)
                .paramLabel(label)
                .description(description)
                .build();
    }

    static OptionSpec repeated(String name, String label, String description) {
        return OptionSpec.builder(name)
                .type(String[].class)
                .auxiliaryTypes(String.class)
                .arity("1")
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** Words that a shell can complete an option's value with. */
    static OptionSpec completed(OptionSpec option, List<String> words) {
        return option.toBuilder().completionCandidates(words).build();
    }

    /** An option {@code --state} that may be repeated. */
    static OptionSpec states(String description, Set<TaskState> states) {
        List<String> words = Stream.of(TaskState.values())
                .filter(states::contains)
                .map(TaskState::word)
                .toList();
        return completed(
                repeated("--state", "STATE", description + ": " + String.join(", ", words) + ". May be repeated."),
                words);
    }

    /** An option {@code --scope}. */
    static OptionSpec scope(String description) {
        return completed(value("--scope", "SCOPE", description), List.of("type", "queue", "tenant", "custom:"));
    }

    /** An option whose value may be left out. */
    static OptionSpec optional(String name, String label, String otherwise, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .arity("0..1")
                .fallbackValue(otherwise)
                .paramLabel(label)
                .description(description)
                .build();
    }

    static PositionalParamSpec position(int index, String label, String description) {
        return PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .type(String.class)
                .arity("1")
                .required(true)
                .paramLabel(label)
                .description(description)
                .build();
    }

    static PositionalParamSpec positions(String label, String description) {
        return positions(label, description, true);
    }

    static PositionalParamSpec positions(String label, String description, boolean required) {
        return PositionalParamSpec.builder()
                .index("0..*")
                .type(String[].class)
                .auxiliaryTypes(String.class)
                .arity(required ? "1..*" : "0..*")
                .required(required)
                .paramLabel(label)
                .description(description)
                .build();
    }
}
