package dev.semel.cli;

import dev.semel.task.TaskState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Building blocks of command descriptions, and the options of every command. */
final class Options {

    static final String STORE = "--store";
    static final String SERVER = "--server";
    static final String TOKEN_FILE = "--token-file";
    static final String CONFIG = "--config";
    static final String TENANT = "--tenant";
    static final String JSON = "--json";
    static final String VERBOSE = "--verbose";
    static final String NO_COLOR = "--no-color";

    private Options() {}

    /** Describes a command: one line for lists, more text for its own help, and examples below its options. */
    static CommandSpec command(Command command, String line, String more, String... examples) {
        return described(CommandSpec.wrapWithoutInspection(command), line, more, examples);
    }

    /** Describes a command that only groups subcommands. */
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

    /** Adds the options of every command, after the command's own options. */
    static void addGlobal(CommandSpec spec) {
        spec.addOption(value(
                STORE,
                "URL",
                "The store: sqlite:FILE, postgresql://HOST/DATABASE or s3://BUCKET/PREFIX. Default: SEMEL_STORE, or else the configured"
                        + " store, or else sqlite:semel.db."));
        spec.addOption(value(
                SERVER,
                "URL",
                "The server that has the store, instead of a store of its own: https://HOST:PORT. Default:"
                        + " SEMEL_SERVER, or else the configured server."));
        spec.addOption(value(
                TOKEN_FILE,
                "FILE",
                "A file with the token for the server. Default: the token in SEMEL_TOKEN, or else none."));
        spec.addOption(value(
                CONFIG,
                "FILE",
                "The configuration file. Default: SEMEL_CONFIG, or else semel.toml in the"
                        + " working directory, if it exists."));
        spec.addOption(value(TENANT, "NAME", "The tenant. Default: SEMEL_TENANT, or else \"default\"."));
        spec.addOption(flag(JSON, "Print only JSON, errors included."));
        spec.addOption(flag(VERBOSE, "Log more, and show the stack trace of an error."));
        spec.addOption(flag(
                NO_COLOR, "Do not use colours. Also off if NO_COLOR is set or the output is not a" + " terminal."));
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help and exit.")
                .build());
        spec.subcommands().values().forEach(sub -> addGlobal(sub.getCommandSpec()));
    }

    /** Returns the names of the subcommands that are shown in help. */
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

    /** Adds words with which a shell can complete an option's value. */
    static OptionSpec completed(OptionSpec option, List<String> words) {
        return option.toBuilder().completionCandidates(words).build();
    }

    /** Returns an option {@code --state} that may be repeated. */
    static OptionSpec states(String description, Set<TaskState> states) {
        List<String> words = Stream.of(TaskState.values())
                .filter(states::contains)
                .map(TaskState::word)
                .toList();
        return completed(
                repeated("--state", "STATE", description + ": " + String.join(", ", words) + ". May be repeated."),
                words);
    }

    /** Returns an option {@code --scope}. */
    static OptionSpec scope(String description) {
        return completed(value("--scope", "SCOPE", description), List.of("type", "queue", "tenant", "custom:"));
    }

    /** Returns an option whose value may be left out. */
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
