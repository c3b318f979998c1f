package dev.semel.cli;

import dev.semel.server.limit.TenantLimits;
import dev.semel.server.token.TokenFile;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Sets, lists and resets the limits of tenants on a server. */
final class TenantCommand {

    private static final String SUBMISSIONS = "--submissions";
    private static final String OPEN_TASKS = "--open-tasks";
    private static final String STORED_BYTES = "--stored-bytes";
    private static final String UNLIMITED = "none";

    private TenantCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Limits what each tenant may use of a server: limit, list, unlimit.",
                "semel tenant limit acme --submissions 100/sec --open-tasks 50000",
                "semel tenant list",
                "semel tenant unlimit acme");
        spec.addSubcommand("limit", new Limit().spec());
        spec.addSubcommand("list", new ListLimits().spec());
        spec.addSubcommand("unlimit", new Unlimit().spec());
        return spec;
    }

    private static String tenant(Invocation invocation) {
        invocation.refuseTenant("The tenant is the argument of this command");
        return invocation.position(0);
    }

    private static JsonText json(String tenant, TenantLimits limits) {
        return new JsonText()
                .put("tenant", tenant)
                .put("submissions", rate(limits.submissions()))
                .raw(
                        "open_tasks",
                        limits.openTasks() == null ? null : limits.openTasks().toString())
                .raw(
                        "stored_bytes",
                        limits.storedBytes() == null
                                ? null
                                : limits.storedBytes().toString());
    }

    private static @Nullable String rate(@Nullable RateLimit rate) {
        return rate == null ? null : rate.text();
    }

    private static void print(Invocation invocation, Map<String, TenantLimits> limits) {
        if (invocation.json()) {
            limits.forEach((tenant, own) -> invocation.console().out().println(json(tenant, own)));
            return;
        }
        Table table = new Table("!TENANT", "SUBMISSIONS", "OPEN TASKS", "STORED BYTES");
        limits.forEach((tenant, own) ->
                table.add(tenant, shown(rate(own.submissions())), shown(own.openTasks()), shown(own.storedBytes())));
        table.print(invocation.console());
    }

    private static String shown(@Nullable Object limit) {
        return limit == null ? UNLIMITED : limit.toString();
    }

    private static final class Limit implements Command {

        @Override
        public CommandSpec spec() {
            return TokenCommand.withFile(Options.command(
                            this,
                            "Limits what a tenant may use of a server. Servers apply it within a second.",
                            "Limits that are not given stay as they are; \"none\" removes one. The tenant \"*\" stands for every tenant"
                                    + " without limits of its own.",
                            "semel tenant limit acme --submissions 100/sec --open-tasks 50000 --stored-bytes 10GiB",
                            "semel tenant limit '*' --open-tasks 1000"))
                    .addPositional(Options.position(0, "TENANT", "The tenant, or * for all others."))
                    .addOption(Options.value(
                            SUBMISSIONS, "RATE", "How many tasks it may submit to each server: 100/sec, 500/min."))
                    .addOption(Options.value(OPEN_TASKS, "NUMBER", "How many open tasks it may have."))
                    .addOption(Options.value(
                            STORED_BYTES, "SIZE", "How much may be stored of its inputs, results and errors: 10GiB."));
        }

        @Override
        public int run(Invocation invocation) {
            String tenant = tenant(invocation);
            String rate = invocation.text(SUBMISSIONS);
            String open = invocation.text(OPEN_TASKS);
            String bytes = invocation.text(STORED_BYTES);
            if (rate == null && open == null && bytes == null) {
                throw new InvalidInput(
                        "A limit needs " + SUBMISSIONS + ", " + OPEN_TASKS + " or " + STORED_BYTES + ", but got none.");
            }
            TenantLimits next = TokenCommand.file(invocation)
                    .limit(
                            tenant,
                            before -> new TenantLimits(
                                    rate == null ? before.submissions() : RateLimit.parse(rate),
                                    open == null ? before.openTasks() : number(open),
                                    bytes == null ? before.storedBytes() : size(bytes)));
            print(invocation, Map.of(tenant, next));
            return ExitCode.DONE;
        }

        private static @Nullable Long number(String text) {
            if (text.equals(UNLIMITED)) {
                return null;
            }
            if (!text.matches("[0-9]{1,15}")) {
                throw new InvalidInput(
                        "Option " + OPEN_TASKS + " takes a number, or none, but got \"" + Limits.shown(text) + "\".");
            }
            return Long.valueOf(text);
        }

        private static @Nullable Long size(String text) {
            return text.equals(UNLIMITED) ? null : (Long) TenantLimits.bytes(text);
        }
    }

    private static final class ListLimits implements Command {

        @Override
        public CommandSpec spec() {
            return TokenCommand.withFile(
                    Options.command(this, "Lists the limits of tenants.", "", "semel tenant list --json"));
        }

        @Override
        public int run(Invocation invocation) {
            print(invocation, new TreeMap<>(TokenCommand.file(invocation).limits()));
            return ExitCode.DONE;
        }
    }

    private static final class Unlimit implements Command {

        @Override
        public CommandSpec spec() {
            return TokenCommand.withFile(
                            Options.command(this, "Removes all limits of a tenant.", "", "semel tenant unlimit acme"))
                    .addPositional(Options.position(0, "TENANT", "The tenant, or * for all others."));
        }

        @Override
        public int run(Invocation invocation) {
            String tenant = tenant(invocation);
            TokenFile file = TokenCommand.file(invocation);
            if (!file.unlimit(tenant)) {
                throw new Refusal(
                        ExitCode.NOT_FOUND,
                        "TenantNotFound",
                        "Tenant \"" + Text.shown(tenant)
                                + "\" has no limits of its own. \"semel tenant list\" shows all limits.");
            }
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? new JsonText()
                                            .put("tenant", tenant)
                                            .put("removed", true)
                                            .toString()
                                    : "The limits of tenant " + tenant + " were removed.");
            return ExitCode.DONE;
        }
    }
}
