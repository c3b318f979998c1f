package dev.semel.cli;

import dev.semel.task.InvalidInput;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel completion SHELL}: what makes a shell complete commands and options. */
final class CompletionCommand implements Command {

    private static final List<String> SHELLS = List.of("bash", "zsh");

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Prints what makes a shell complete commands and options.",
                        "Source it where the shell starts.",
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
                    "Completion is there for bash and zsh, but got \"" + Text.shown(shell) + "\". Give one of them.");
        }
        // The same for both: where it finds itself in zsh, it loads what lets zsh take completions of bash.
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
