package dev.semel.cli;

import dev.semel.task.InvalidInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The command line of Semel. */
public final class Main {

    private static final Map<String, Supplier<CommandSpec>> COMMANDS = commands();

    private Main() {}

    private static Map<String, Supplier<CommandSpec>> commands() {
        Map<String, Supplier<CommandSpec>> commands = new LinkedHashMap<>();
        commands.put("demo", () -> new DemoCommand().spec());
        commands.put("submit", () -> new SubmitCommand().spec());
        commands.put("worker", () -> new WorkerCommand().spec());
        commands.put("server", () -> new ServerCommand().spec());
        commands.put("token", TokenCommand::spec);
        commands.put("tenant", TenantCommand::spec);
        commands.put("audit", () -> new AuditCommand().spec());
        commands.put("task", TaskCommand::spec);
        commands.put("effect", EffectCommand::spec);
        commands.put("queue", QueueCommand::spec);
        commands.put("schedule", ScheduleCommand::spec);
        commands.put("workflow", WorkflowCommand::spec);
        commands.put("dead", DeadCommand::spec);
        commands.put("key", KeyCommand::spec);
        commands.put("clean", () -> new CleanCommand().spec());
        commands.put("backup", () -> new BackupCommand().spec());
        commands.put("migrate", () -> new MigrateCommand().spec());
        commands.put("doctor", () -> new DoctorCommand().spec());
        commands.put("bench", () -> new BenchCommand().spec());
        commands.put("completion", () -> new CompletionCommand().spec());
        commands.put(DemoChildCommand.NAME, () -> new DemoChildCommand().spec());
        commands.put(TrainingCommand.NAME, () -> new TrainingCommand().spec());
        return commands;
    }

    /**
     * Runs one command and ends the program with its exit code.
     *
     * @param arguments the command and its options
     */
    public static void main(String[] arguments) {
        Console console = Console.ofSystem();
        System.exit(run(arguments, console));
    }

    /** Runs one command. */
    static int run(String[] given, Console console) {
        boolean json = isAskedFor(Options.JSON, given);
        boolean verbose = isAskedFor(Options.VERBOSE, given);
        try {
            String[] arguments = decoded(given);
            if (isAskedFor(Options.NO_COLOR, given)) {
                console.refuseColors();
            }
            if (verbose) {
                LogSetUp.beVerbose();
            }
            return written(run(parse(arguments), console), console);
        } catch (RuntimeException e) {
            return Failure.report(e, console, json, verbose);
        }
    }

    /**
     * Returns the exit code after the output was written. A command whose output could not be written counts as failed,
     * because its caller cannot know its outcome.
     */
    private static int written(int code, Console console) {
        if (!console.out().checkError()) {
            return code;
        }
        console.err()
                .println("semel: The command has ended, but its output could not be written. Check whether the disk is"
                        + " full or the reading program has exited.");
        return code == ExitCode.DONE ? ExitCode.FAILED : code;
    }

    private static int run(ParseResult program, Console console) {
        List<ParseResult> levels = new ArrayList<>();
        for (ParseResult level = program; level != null; level = level.subcommand()) {
            levels.add(level);
            if (level.isUsageHelpRequested()) {
                help(level.commandSpec(), console);
                return ExitCode.DONE;
            }
        }
        if (program.isVersionHelpRequested()) {
            version(console, program.hasMatchedOption(Options.JSON));
            return ExitCode.DONE;
        }
        CommandSpec last = levels.getLast().commandSpec();
        if (last.userObject() instanceof Command command) {
            return command.run(new Invocation(console, levels));
        }
        throw new ParameterException(
                last.commandLine(),
                "\"" + last.qualifiedName() + "\" requires a command, one of: "
                        + String.join(", ", Options.visibleCommands(last)));
    }

    private static ParseResult parse(String[] arguments) {
        // If the first argument names a command, only that one is built. Help and suggestions need all of them.
        boolean known = arguments.length > 0 && COMMANDS.containsKey(arguments[0]);
        return program(known ? Set.of(arguments[0]) : COMMANDS.keySet()).parseArgs(arguments);
    }

    /** Returns the program with all commands that are meant for people. */
    static CommandLine program() {
        CommandLine all = program(COMMANDS.keySet());
        return program(Set.copyOf(Options.visibleCommands(all.getCommandSpec())));
    }

    private static CommandLine program(Set<String> wanted) {
        CommandSpec program = CommandSpec.create().name("semel");
        program.usageMessage()
                .description(
                        "A durable task queue in which submitting twice, delivering twice and crashing halfway are safe.")
                .sortOptions(false)
                .footer(
                        "%nExamples:",
                        "  semel demo",
                        "  semel submit charge '{\"order\":\"ORD-123\"}' --key charge-ORD-123 --queue payments",
                        "  semel worker payments --exec ./charge.sh",
                        "%n\"semel COMMAND --help\" shows more. Exit codes: 0 done, 1 failed, 2 wrong usage or bad"
                                + " input,",
                        "3 idempotency conflict, 4 refused because of what exists, 5 not found, 6"
                                + " store unavailable.");
        COMMANDS.forEach((name, spec) -> {
            if (wanted.contains(name)) {
                program.addSubcommand(name, spec.get());
            }
        });
        Options.addGlobal(program);
        program.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Show the version and exit.")
                .build());
        return new CommandLine(program)
                // An argument that starts with @ names an input file, which only the command itself may open.
                .setExpandAtFiles(false)
                .setInterpolateVariables(false);
    }

    private static void help(CommandSpec spec, Console console) {
        int width = Math.clamp(console.width(), 60, 110);
        spec.usageMessage().width(width);
        spec.commandLine().usage(console.out(), console.hasColors() ? Ansi.ON : Ansi.OFF);
    }

    private static void version(Console console, boolean json) {
        @Nullable String version = Main.class.getPackage().getImplementationVersion();
        String known = version == null ? "development" : version;
        console.out()
                .println(
                        json
                                ? new JsonText()
                                        .put("version", known)
                                        .put("java", Runtime.version().toString())
                                        .toString()
                                : "semel " + known);
    }

    /**
     * Returns whether a flag was given. Found without parsing, so that the flag also applies to arguments that cannot
     * be parsed.
     */
    private static boolean isAskedFor(String flag, String[] arguments) {
        return Arrays.stream(arguments)
                .takeWhile(argument -> !argument.equals("--"))
                .anyMatch(flag::equals);
    }

    /**
     * Returns the arguments decoded as UTF-8. The JVM replaces characters that do not fit the locale, and in the locale
     * "C" everything that is not ASCII. Stored like that, a key or an input would differ from what the caller gave, and
     * two keys could become one.
     */
    private static String[] decoded(String[] arguments) {
        if (Arrays.stream(arguments).noneMatch(argument -> argument.indexOf('\uFFFD') >= 0)) {
            return arguments;
        }
        try {
            List<String> all = List.of(Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8)
                    .split("\0", -1));
            int end = all.size() - 1; // a separator follows the last argument
            return all.subList(end - arguments.length, end).toArray(String[]::new);
        } catch (IOException | IndexOutOfBoundsException e) {
            throw new InvalidInput(
                    "Arguments must be UTF-8, but got one that is not, or that cannot be read with the locale's"
                            + " encoding \"" + System.getProperty("sun.jnu.encoding") + "\". Use UTF-8 and set"
                            + " LC_ALL=C.UTF-8, or give the input as @file or -.",
                    e);
        }
    }
}
