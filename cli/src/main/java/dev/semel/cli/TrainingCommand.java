package dev.semel.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What the launcher shows the JVM once, so that later starts find these classes loaded and linked; hidden from the help.
 * It goes through errors and duplicates too: what was not used here is read from the jar and linked on every start. Only
 * picocli stays out of the recording whatever is done, because its classes are of a format too old for that.
 */
final class TrainingCommand implements Command {

    static final String NAME = "training";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Options.command(this, "Runs the common commands once in the working directory.", "");
        spec.usageMessage().hidden(true);
        return spec;
    }

    @Override
    public int run(Invocation invocation) {
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            Console silent = Console.of(InputStream.nullInputStream(), nowhere, nowhere, Map.of());
            String[] submit = {"submit", "training", "{\"a\":[1,\"b\"]}", "--key", "k", "--store", "sqlite:training.db"
            };
            Path config = Files.writeString(Path.of("training.toml"), "[tasks.training]\nqueue = \"other\"\n");
            boolean trained = Main.run(submit, silent) == ExitCode.DONE
                    && Main.run(with(submit, "--json"), silent) == ExitCode.DONE
                    && Main.run(with(submit, "--queue", "other", "--scope", "queue", "--json"), silent) == ExitCode.DONE
                    && Main.run(with(submit, "--config", config.toString(), "--json"), silent) == ExitCode.DONE
                    && Main.run(with(submit, "--unknown", "--json"), silent) == ExitCode.BAD_INPUT
                    && Main.run(with(submit, "--ttl", "7x"), silent) == ExitCode.BAD_INPUT
                    && Main.run(new String[] {"task", "list", "--store", "sqlite:training.db"}, silent) == ExitCode.DONE
                    && Main.run(new String[] {"--help"}, silent) == ExitCode.DONE;
            return trained ? ExitCode.DONE : ExitCode.FAILED;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] with(String[] arguments, String... more) {
        String[] all = new String[arguments.length + more.length];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }
}
