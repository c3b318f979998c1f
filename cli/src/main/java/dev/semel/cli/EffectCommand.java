package dev.semel.cli;

import picocli.CommandLine.Model.CommandSpec;

/** {@code semel effect …}: the effects of handlers, and those with unknown outcome. */
final class EffectCommand {

    private EffectCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Effects, the recorded side effects of handlers: list, resolve.",
                "semel effect list --unknown",
                "semel effect list --task 0190b5c8-7a3e-7b1e-9c55-3f3ad2a3c0de --tokens",
                "semel effect resolve \"$task\" charge --not-done --reason 'they never saw the token'");
        spec.addSubcommand("list", new EffectListCommand().spec());
        spec.addSubcommand("resolve", new EffectResolveCommand().spec());
        return spec;
    }
}
