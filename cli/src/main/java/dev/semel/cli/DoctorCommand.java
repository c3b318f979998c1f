package dev.semel.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel doctor}: checks the machine and the store, and says how to fix problems. */
final class DoctorCommand implements Command {

    static final String REPAIR_TIME = "--repair-time";

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Checks this machine and the store.",
                        "Each line is ok, warn or fail, and says what to do. Exit code 1 if a check failed.",
                        "semel doctor",
                        "semel doctor --store sqlite:/var/lib/semel/semel.db --json",
                        "semel doctor --store s3://bucket/prefix?region=eu-central-1")
                .addOption(Options.flag(
                        REPAIR_TIME,
                        "First set back the time of a SQLite file that is ahead of this machine's clock. No other"
                                + " program may use the file meanwhile."));
    }

    @Override
    public int run(Invocation invocation) {
        Checkup checkup = new Checkup(invocation.store().withoutServer("doctor"));
        if (invocation.has(REPAIR_TIME)) {
            checkup.repairTime();
        }
        List<Checkup.Finding> findings = checkup.run();
        boolean healthy = findings.stream().noneMatch(finding -> finding.verdict() == Checkup.Verdict.FAIL);
        Console console = invocation.console();
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("ok", healthy)
                            .put("store", invocation.store().toString())
                            .objects(
                                    "checks",
                                    findings.stream()
                                            .map(finding -> new JsonText()
                                                    .put("check", finding.check())
                                                    .put(
                                                            "verdict",
                                                            finding.verdict().word())
                                                    .put("seen", finding.seen())
                                                    .put("remedy", finding.remedy()))
                                            .toList()));
        } else {
            boolean colors = console.hasColors();
            for (Checkup.Finding finding : findings) {
                String remedy = finding.remedy();
                console.out()
                        .println(finding.verdict().shown(colors) + "  " + finding.check() + ": "
                                + Text.printable(finding.seen())
                                + (remedy == null ? "" : "\n      → " + remedy));
            }
        }
        return healthy ? ExitCode.DONE : ExitCode.FAILED;
    }
}
