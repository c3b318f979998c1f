package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.PlanRecorder.Execution;
import dev.semel.postgresql.PostgresBystanders.Statistics;
import dev.semel.testkit.ManualClock;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Runs every statement of the PostgreSQL stores under untrue statistics, among many rows, and fails if one of them touches more
 * than a few rows and blocks for each item, or if a text of the stores is in no statement that was run.
 */
final class PostgresCosts {

    private static final int ROWS = 100_000;

    // For each item the way down some indexes, of three or four blocks each, and rows and index entries that are
    // written.
    // A statement that goes through a table, or through its array for each row, touches thousands.
    private static final long FOR_EACH = 100;

    // Where a text reads or changes a table.
    private static final Pattern TABLE = Pattern.compile("\\b(FROM|JOIN|INTO|UPDATE) semel[._]");

    // Statements that look through a table for what they are about: counts, lists by state and sweeps.
    private static final List<String> WHOLE = List.of(
            "AS all_of",
            "WITH clock AS MATERIALIZED",
            "SELECT d.task, d.finished_at, t.scope, t.key FROM semel.done d",
            "SELECT r.scope, r.key FROM semel.record r WHERE r.expires_at",
            "SELECT id FROM semel.lane WHERE (?::text IS NULL",
            "DELETE FROM semel.guard WHERE ctid");

    private final PGSimpleDataSource database;
    private final ManualClock clock = new ManualClock();
    // All statements so far: names are made once.
    private final Set<String> run = new TreeSet<>();

    /** Fills a database. */
    PostgresCosts(PGSimpleDataSource database) throws SQLException {
        this.database = database;
        PostgresBystanders.fill(database, ROWS);
    }

    /**
     * Runs everything under these statistics.
     *
     * @param many the size of large batches
     */
    void areSmall(Statistics statistics, int many) throws Exception {
        PostgresBystanders.set(database, statistics);
        PlanRecorder recorder = new PlanRecorder(database);
        String prefix = statistics.name().toLowerCase(Locale.ROOT) + "-";
        try (PostgresWorkload workload = new PostgresWorkload(new FewConnections(recorder, 4), clock, prefix, many)) {
            workload.run();
        }
        recorder.executions().forEach(execution -> run.add(execution.sql()));
        assertThat(tooDear(recorder, many)).isEmpty();
        assertThat(notRun()).isEmpty();
    }

    /**
     * The dearest executions of statements that cost too much.
     *
     * @param ended rows of a large batch before, which are gone, but still in the indexes until the next vacuum
     */
    private static List<String> tooDear(PlanRecorder recorder, int ended) {
        Map<String, Execution> worst = new LinkedHashMap<>();
        for (Execution execution : recorder.executions()) {
            long items = WHOLE.stream().anyMatch(execution.sql()::contains) ? ROWS : execution.items();
            if (execution.work() > ended + FOR_EACH * items) {
                worst.merge(execution.sql(), execution, (a, b) -> a.work() / a.items() > b.work() / b.items() ? a : b);
            }
        }
        return worst.values().stream()
                .sorted(Comparator.comparingLong(Execution::work).reversed())
                .map(one ->
                        one.work() + " rows and blocks for " + one.items() + " items: " + one.sql() + "\n" + one.plan())
                .toList();
    }

    /** The texts of the stores that no executed statement contains. */
    private List<String> notRun() throws Exception {
        List<String> missing = new ArrayList<>();
        for (Class<?> type : storeClasses()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                    field.setAccessible(true);
                    for (String part : ((String) field.get(null)).split(";", -1)) {
                        String text = PlanRecorder.normalized(part);
                        if (TABLE.matcher(text).find() && run.stream().noneMatch(sql -> sql.contains(text))) {
                            missing.add(type.getSimpleName() + "." + field.getName() + ": " + text);
                        }
                    }
                }
            }
        }
        return missing;
    }

    private static List<Class<?>> storeClasses() throws IOException, URISyntaxException, ClassNotFoundException {
        Path classes = Path.of(PostgresTaskStore.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes.resolve("dev/semel/postgresql"))) {
            for (Path file : files.sorted().toList()) {
                String path = classes.relativize(file).toString();
                if (path.endsWith(".class") && !path.endsWith("package-info.class")) {
                    found.add(Class.forName(
                            path.substring(0, path.length() - ".class".length()).replace(File.separatorChar, '.')));
                }
            }
        }
        // Of each package with statements one: a package that is not looked into would not be checked.
        assertThat(found)
                .extracting(Class::getSimpleName)
                .contains(
                        "Names",
                        "KeyRecords",
                        "TaskLookups",
                        "Claimer",
                        "LockedSubmit",
                        "RunningTaskSettler",
                        "Sweeper",
                        "GuardRows");
        return found;
    }
}
