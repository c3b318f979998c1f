package dev.semel.cli;

import dev.semel.jdbc.SqliteSchema;
import dev.semel.store.TaskStore;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel migrate}: brings the tables of a store to this program's version. */
final class MigrateCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Brings the tables of a store to this version.",
                        "Every other command does so by itself; this one says what it did, or prints the SQL.",
                        "semel migrate --store sqlite:semel.db",
                        "semel migrate --print > schema.sql")
                .addOption(Options.flag(
                        "--print", "Print the statements that make the newest schema, and change nothing."));
    }

    @Override
    public int run(Invocation invocation) {
        Console console = invocation.console();
        if (invocation.has("--print")) {
            String sql = SqliteSchema.print();
            if (invocation.json()) {
                console.out()
                        .println(new JsonText()
                                .put("version", SqliteSchema.VERSION)
                                .put("sql", sql));
            } else {
                console.out().print(sql);
            }
            return ExitCode.DONE;
        }
        StoreUrl url = invocation.store();
        int from = SqliteInspection.schemaVersion(url.file());
        try (TaskStore store = url.open()) {
            store.close();
        }
        int to = SqliteInspection.schemaVersion(url.file());
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
