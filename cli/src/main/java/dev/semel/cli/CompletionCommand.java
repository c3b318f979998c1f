package dev.semel.cli;

import dev.semel.task.InvalidInput;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel completion SHELL}: prints the script with which a shell completes commands and options. */
final class CompletionCommand implements Command {

    private static final List<String> SHELLS = List.of("bash", "zsh");

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Prints the script with which a shell completes commands and options.",
                        "Source it in the" + " shell's start-up file.",
                        "source <(semel completion bash)",
                        "semel completion bash > /etc/bash_completion.d/semel",
                        "source <(semel completion zsh)")
                .addPositional(Options.position(0, "SHELL", "bash or zsh.").toBuilder()
                        .completionCandidates(SHELLS)
                        .build());
    }

    @Override
    public int run(Invocation invocation) {
        String shell = invocation.position(0);
        if (!SHELLS.contains(shell)) {
            throw new InvalidInput(
                    "Completion supports bash and zsh, but got \"" + Text.shown(shell) + "\". Give one of them.");
        }
        // One script serves both: in zsh it loads zsh's support for bash completions.
        String script = AutoComplete.bash("semel", Main.program());
        invocation
                .console()
                .out()
                .println(
                        invocation.json()
                                ? new JsonText()
                                        .put("shell", shell)
                                        .put("script", script)
                                        .toString()
                                : script);
        return ExitCode.DONE;
    }
}
