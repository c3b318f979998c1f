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
 * {@code semel training}: the training run from which the JVM records loaded and linked classes, so that later starts
 * are faster; hidden from the help. It covers errors and duplicates too, because a class that is not used here is read
 * from the jar and linked on every start. The recording cannot contain picocli, whose class file format is too old.
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
