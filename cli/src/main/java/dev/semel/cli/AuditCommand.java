package dev.semel.cli;

import dev.semel.server.audit.AuditEntry;
import dev.semel.server.audit.AuditFile;
import dev.semel.task.InvalidInput;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel audit}: shows what operators did through a server. */
final class AuditCommand implements Command {

    private static final int MOST = 100_000;

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Shows what operators did through a server: who, what, when, and with which outcome.",
                        "Reads the file that \"semel server --audit FILE\" writes, and the older ones beside it. An action whose"
                                + " outcome is \"unknown\" began, but its server ended before it recorded the outcome.",
                        "semel audit --audit /var/lib/semel/audit.jsonl",
                        "semel audit --caller alice --limit 20 --json")
                .addOption(Options.value("--audit", "FILE", "The file. Default: \"audit\" of [server]."))
                .addOption(Options.value("--caller", "NAME", "Only actions of this token."))
                .addOption(Options.value("--limit", "N", "Only the newest N actions. Default: 100."));
    }

    @Override
    public int run(Invocation invocation) {
        String given = invocation.text("--audit");
        String file = given == null ? invocation.settings().listening().audit() : given;
        if (file == null) {
            throw new InvalidInput(
                    "The file of the audit log is not known. Name it with --audit, or with \"audit\" in [server] of the"
                            + " configuration.");
        }
        int limit = invocation.number("--limit", 100);
        if (limit < 1 || limit > MOST) {
            throw new InvalidInput("Option --limit takes 1 to " + MOST + ", but got \"" + limit + "\".");
        }
        String caller = invocation.text("--caller");
        AuditFile.Contents contents = AuditFile.read(Path.of(file), 2 * MOST);
        if (contents.unreadable() > 0) {
            invocation
                    .console()
                    .err()
                    .println("Lines of the audit log that cannot be read: " + contents.unreadable() + ".");
        }
        List<AuditEntry> actions = actions(contents.entries()).stream()
                .filter(entry -> caller == null || entry.action().caller().equals(caller))
                .toList();
        print(actions.subList(Math.max(0, actions.size() - limit), actions.size()), invocation);
        return ExitCode.DONE;
    }

    /**
     * Returns one entry for each action: its end, or its start if that is all there is. A client chooses the id of its request and may repeat it,
     * so an end belongs to one start only: the last one before it.
     */
    private static List<AuditEntry> actions(List<AuditEntry> entries) {
        Map<String, Deque<AuditEntry>> open = new HashMap<>();
        Set<AuditEntry> started = Collections.newSetFromMap(new IdentityHashMap<>());
        for (AuditEntry entry : entries) {
            Deque<AuditEntry> starts = open.computeIfAbsent(entry.action().request(), id -> new ArrayDeque<>());
            if (entry.status() == null) {
                starts.push(entry);
            } else if (!starts.isEmpty()) {
                started.add(starts.pop());
            }
        }
        return entries.stream().filter(entry -> !started.contains(entry)).toList();
    }

    private static void print(List<AuditEntry> actions, Invocation invocation) {
        if (invocation.json()) {
            actions.forEach(entry -> invocation.console().out().println(entry.json()));
            return;
        }
        Table table = new Table("!TIME", "!CALLER", "TENANT", "ACTION", "TARGET", "!OUTCOME", "DETAILS");
        for (AuditEntry entry : actions) {
            String tenant = entry.action().tenant();
            table.add(
                    entry.time().toString(),
                    entry.action().caller(),
                    tenant == null ? "*" : tenant,
                    entry.action().name(),
                    entry.action().target(),
                    entry.status() == null ? "unknown" : entry.outcome() + " (" + entry.status() + ")",
                    entry.details());
        }
        table.print(invocation.console());
    }
}
