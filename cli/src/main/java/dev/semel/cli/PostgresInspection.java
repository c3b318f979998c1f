package dev.semel.cli;

import dev.semel.cli.Checkup.Finding;
import dev.semel.cli.Checkup.Verdict;
import dev.semel.postgresql.PostgresSchema;
import dev.semel.postgresql.PostgresUrl;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks of {@code semel doctor} on a PostgreSQL server. They do not touch the store. */
final class PostgresInspection {

    // Rows that are deleted while a transaction is open stay until it ends, and claims must skip them.
    private static final long LONG_SECONDS = 300;

    private final List<Finding> findings = new ArrayList<>();

    private PostgresInspection() {}

    static List<Finding> of(String url) {
        int version = PostgresSchema.version(url);
        PostgresInspection inspection = new PostgresInspection();
        inspection.add(
                "schema version",
                version == PostgresSchema.VERSION ? Verdict.OK : Verdict.WARN,
                version + ", this program creates " + PostgresSchema.VERSION,
                "A newer version of Semel created it." + " Upgrade this machine to that version.");
        try (Connection connection = PostgresUrl.parse(url).single().getConnection();
                Statement statement = connection.createStatement()) {
            inspection.settings(statement);
            inspection.transactions(statement);
        } catch (SQLException e) {
            throw new StoreUnavailable(
                    "The settings of the server could not be read (SQLSTATE "
                            + (e.getSQLState() == null ? "none" : e.getSQLState()) + ").",
                    e);
        }
        return inspection.findings;
    }

    private void settings(Statement statement) throws SQLException {
        add("server", Verdict.OK, "PostgreSQL " + setting(statement, "server_version"), null);
        String forced = setting(statement, "fsync");
        String pages = setting(statement, "full_page_writes");
        add(
                "durability",
                forced.equals("on") && pages.equals("on") ? Verdict.OK : Verdict.FAIL,
                "fsync " + forced + ", full_page_writes " + pages,
                "Committed data may be lost and tables damaged if the machine crashes. Set both to on.");
        String commit = setting(statement, "synchronous_commit");
        add(
                "synchronous commit",
                commit.equals("off") ? Verdict.WARN : Verdict.OK,
                commit + " on a plain connection; Semel turns it on for its own connections",
                "Set it to on for connections in whose transactions you submit tasks.");
        String vacuum = setting(statement, "autovacuum");
        add(
                "autovacuum",
                vacuum.equals("on") ? Verdict.OK : Verdict.WARN,
                vacuum,
                "Without it, rows that claims and completions delete accumulate. Set it to on.");
    }

    private void transactions(Statement statement) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)"
                        + " FROM pg_catalog.pg_stat_activity WHERE datname = current_database()"
                        + " AND pid <> pg_backend_pid() AND backend_type = 'client backend'")) {
            row.next();
            long seconds = (long) row.getDouble(1);
            add(
                    "open transactions",
                    seconds < LONG_SECONDS ? Verdict.OK : Verdict.WARN,
                    "the oldest that this user may see has been open for " + seconds + " s",
                    "Rows that are deleted meanwhile cannot be removed, and claims must skip them. End the"
                            + " transaction, and set idle_in_transaction_session_timeout.");
        }
    }

    private static String setting(Statement statement, String name) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT current_setting('" + name + "')")) {
            row.next();
            return row.getString(1);
        }
    }

    private void add(String check, Verdict verdict, String seen, @Nullable String remedy) {
        findings.add(new Finding(check, verdict, seen, verdict == Verdict.OK ? null : remedy));
    }
}
