package dev.semel.cli;

import dev.semel.sqlite.SqliteBackup;
import dev.semel.task.InvalidInput;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/** {@code semel backup FILE}: copies a SQLite file while programs use it. */
final class BackupCommand implements Command {

    @Override
    public CommandSpec spec() {
        return Options.command(
                        this,
                        "Copies the SQLite file of a store while programs use it.",
                        "The copy holds everything that was accepted when the command began. It is checked, and appears under its"
                                + " name when it is complete. To restore it, stop all programs and put it in the place of the file.",
                        "semel backup /backups/semel-monday.db",
                        "semel backup copy.db --store sqlite:/var/lib/semel/semel.db --json")
                .addPositional(Options.position(0, "FILE", "The copy, which must not exist yet."));
    }

    @Override
    public int run(Invocation invocation) {
        StoreUrl url = invocation.store().withoutServer("backup");
        Path file = url.isDatabase() || url.objects() != null ? null : url.file();
        if (file == null) {
            throw new InvalidInput("Only a SQLite file is copied by this command, but got \"" + url
                    + "\". Back up PostgreSQL with pg_dump, and object storage with its own tools.");
        }
        Path copy = Path.of(invocation.position(0));
        long bytes = SqliteBackup.copy(file, copy);
        invocation
                .console()
                .out()
                .println(
                        invocation.json()
                                ? new JsonText()
                                        .put("store", url.toString())
                                        .put("copy", copy.toString())
                                        .put("bytes", bytes)
                                        .toString()
                                : url + " was copied to " + copy + " (" + bytes + " bytes).");
        return ExitCode.DONE;
    }
}
