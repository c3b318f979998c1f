package dev.semel.cli;

import dev.semel.postgresql.PostgresSchema;
import dev.semel.s3.S3Settings;
import dev.semel.sqlite.SqliteSchema;
import dev.semel.store.TaskStore;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel migrate}: upgrades the tables of a store to this program's version. */
final class MigrateCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Upgrades the tables of a store to this version.",
                        "Every other command upgrades them"
                                + " automatically; this one reports what it did, or prints the SQL. Object storage has no tables: there it prints"
                                + " the only lifecycle rule that the bucket may have.",
                        "semel migrate --store sqlite:semel.db",
                        "semel migrate --store postgresql://localhost/app --print > schema.sql",
                        "semel migrate --store s3://bucket/prefix --print > lifecycle.json")
                .addOption(Options.flag(
                        "--print",
                        "Print the statements that create the newest schema, or the bucket's lifecycle policy, and change"
                                + " nothing."));
    }

    @Override
    public int run(Invocation invocation) {
        Console console = invocation.console();
        StoreUrl url = invocation.store().withoutServer("migrate");
        if (invocation.has("--print")) {
            if (url.objects() != null) {
                String policy = S3Settings.of(url.complete()).lifecyclePolicy();
                console.out()
                        .println(
                                invocation.json()
                                        ? policy.replaceAll("\\s+", " ").strip()
                                        : policy.strip());
                return ExitCode.DONE;
            }
            boolean database = url.isDatabase();
            String sql = database ? PostgresSchema.print(url.schema()) : SqliteSchema.print();
            if (invocation.json()) {
                console.out()
                        .println(new JsonText()
                                .put("version", database ? PostgresSchema.VERSION : SqliteSchema.VERSION)
                                .put("sql", sql));
            } else {
                console.out().print(sql);
            }
            return ExitCode.DONE;
        }
        int from = url.schemaVersion();
        try (TaskStore store = url.open()) {
            store.close();
        }
        url.migrateGuard();
        int to = url.schemaVersion();
        if (invocation.json()) {
            console.out()
                    .println(new JsonText()
                            .put("store", url.toString())
                            .put("from", from)
                            .put("to", to));
        } else {
            console.out()
                    .println(
                            from == to
                                    ? url + " has schema version " + to + ", nothing to do."
                                    : url + ": schema version " + from + " → " + to + ".");
        }
        return ExitCode.DONE;
    }
}
