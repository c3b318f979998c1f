package dev.semel.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The building blocks of command descriptions, and the options that every command has. */
final class Options {

    static final String STORE = "--store";
    static final String TENANT = "--tenant";
    static final String JSON = "--json";
    static final String VERBOSE = "--verbose";
    static final String NO_COLOR = "--no-color";

    private Options() {}

    /** The description of a command: one line for lists, more for its own help, and examples below its options. */
    static CommandSpec command(Command command, String line, String more, String... examples) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(command);
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
        spec.addOption(value(STORE, "URL", "Where tasks are kept: sqlite:FILE. SEMEL_STORE, or else sqlite:semel.db."));
        spec.addOption(value(TENANT, "NAME", "The tenant; \"default\" where none is given."));
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
        return PositionalParamSpec.builder()
                .index("0..*")
                .type(String[].class)
                .auxiliaryTypes(String.class)
                .arity("1..*")
                .required(true)
                .paramLabel(label)
                .description(description)
                .build();
    }
}
