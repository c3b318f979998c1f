package dev.semel.cli;

import dev.semel.Semel;
import dev.semel.store.Swept;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel clean}: removes expired task data and expired records now. */
final class CleanCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                this,
                "Removes all task data past its retention and all records past their window.",
                "Programs that use Semel clean automatically, every hour unless configured otherwise.",
                "semel clean",
                "semel clean --config /etc/semel/semel.toml --json");
    }

    @Override
    public int run(Invocation invocation) {
        invocation.refuseTenant("Cleaning covers all tenants");
        Swept swept;
        try (Semel semel = invocation.semel(
                        invocation.store().withoutServer("clean").openExisting());
                Bar bar = new Bar(invocation, "clean", -1)) {
            swept = semel.operations().clean(step -> bar.at((long) step.tasks() + step.records()));
        }
        Console console = invocation.console();
        if (invocation.json()) {
            console.out().println(new JsonText().put("tasks", swept.tasks()).put("records", swept.records()));
        } else {
            console.out()
                    .println("Removed the data of " + Text.count(swept.tasks(), "task") + ", and "
                            + Text.count(swept.records(), "record") + ".");
        }
        return ExitCode.DONE;
    }
}
