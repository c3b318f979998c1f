package dev.semel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.benchmarks.Item.Keys;
import dev.semel.postgresql.PostgresTaskStore;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.testservers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The measurement of PostgreSQL works. A test does not check its speed. */
@Timeout(300)
class PostgresBenchTest {

    private static final Scale TINY =
            new Scale(50, 50, 100, 1_000, 1_000, 5, 1, List.of(0, 1_000), List.of(), 1_000, 1, 1);

    private static PGSimpleDataSource database;
    private static String url;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        database = PostgresServer.freshDatabase();
        url = "postgresql://postgres@127.0.0.1:" + database.getPortNumbers()[0] + "/" + database.getDatabaseName();
    }

    @Test
    void every_kind_of_measure_is_taken_beside_a_store_that_stays_as_it_was() throws Exception {
        try (TaskStore mine = PostgresTaskStore.open(url)) {
            mine.depths();
        }
        List<String> before = schemas();
        BenchOptions options = new BenchOptions(
                url,
                true,
                List.of(
                        "submit-64-key",
                        "duplicates-64",
                        "drain-key",
                        "life-key",
                        "idle-across-key",
                        "workflow-queued",
                        "history-1000",
                        "pinned"),
                directory.resolve("out"));
        BenchReport report = new Bench(options, BenchProgress.SILENT, TINY).run();

        assertThat(report.results())
                .extracting(Result::id)
                .containsExactly(
                        "submit-64-key",
                        "duplicates-64",
                        "drain-key",
                        "life-key",
                        "idle-across-key",
                        "workflow-queued-4",
                        "history-1000",
                        "pinned-1000");
        assertThat(report.results())
                .allSatisfy(result -> assertThat(result.ours().median()).isPositive());
        assertThat(report.facts())
                .containsEntry("fsync", "on")
                .containsEntry("synchronous_commit", "on")
                .containsKeys("server_version", "shared_buffers");
        assertThat(report.warnings()).isEmpty();
        assertThat(report.goals())
                .extracting(Goal::what)
                .contains(
                        "drain to raw, with key",
                        "64 callers to raw single-row commits from as many, with key",
                        "WAL for each finished task, bytes, with key",
                        "idle p99 across processes, ms, with key",
                        "drain past 1,000 dead rows of its queue, to the same with nothing dead");
        assertThat(directory.resolve("out/report.md")).content().contains("WAL, bytes per task");
        assertThat(schemas()).isEqualTo(before);
    }

    @Test
    void what_the_server_counts_is_what_was_done() throws Exception {
        StoreUnderTest storage = StoreUnderTest.of(url);
        int tasks = 2_000;
        try (StoreUnderTest.Place place = storage.fresh()) {
            Lap lap;
            try (RawStore raw = place.openRaw()) {
                assertThat(raw.insert(Raw.rows(Item.fresh(0, tasks, Keys.RISING), 100), false))
                        .isEqualTo(tasks);
                assertThat(raw.insert(Raw.rows(Item.fresh(0, tasks, Keys.RISING), 100), true))
                        .isZero();
                lap = Raw.drain(raw, tasks);
                assertThat(raw.claim(1).tasks()).isEmpty();
            }
            assertThat(lap.loggedPer(tasks)).isBetween(100.0, 2_000.0);
            // The row that marks a task as due, and the two rows with the leases of all tasks.
            assertThat(place.died()).isEqualTo(tasks + 2);
            assertThat(place.bytes()).isGreaterThan(tasks * 100L);
        }
        List<Forced> counted = Forced.count(storage, TINY);
        assertThat(counted).allSatisfy(each -> {
            assertThat(each.calls()).isPositive();
            assertThat(each.roundTrips()).isPositive();
        });
        // One caller, one submission at a time: at least one forced write and one wait for each.
        assertThat(counted.getFirst().calls()).isGreaterThanOrEqualTo(TINY.one());
        assertThat(counted.getFirst().roundTrips()).isGreaterThanOrEqualTo(TINY.one());
        assertThat(new BenchReport("", "", "", Map.of(), List.of("careful"), counted, List.of(), List.of()).markdown())
                .contains("round trips", "submitted one at a time by one caller", "**Warning:** careful");
    }

    @Test
    void the_raw_limit_takes_each_key_once_whether_it_was_told_of_duplicates_or_not() {
        try (StoreUnderTest.Place place = StoreUnderTest.of(url).fresh();
                RawStore raw = place.openRaw()) {
            assertThat(raw.insert(Raw.rows(Item.fresh(0, 500, Keys.RISING), 100), false))
                    .isEqualTo(500);
            // Half of the rows exist: first unannounced, then announced, then known; and a few at a time.
            assertThat(raw.insert(Raw.rows(Item.fresh(250, 500, Keys.RISING), 100), false))
                    .isEqualTo(250);
            assertThat(raw.insert(Raw.rows(Item.fresh(500, 500, Keys.RISING), 100), true))
                    .isEqualTo(250);
            assertThat(raw.insert(Raw.rows(Item.fresh(750, 500, Keys.RISING), 100), false))
                    .isEqualTo(250);
            assertThat(raw.insert(Raw.rows(Item.fresh(1_245, 10, Keys.RISING), 100), false))
                    .isEqualTo(5);
            Lap drained = Raw.drain(raw, 1_255);
            assertThat(drained.nanos()).isPositive();
            assertThat(raw.claim(1).tasks()).isEmpty();
        }
    }

    @Test
    void the_raw_limit_refuses_a_completion_whose_lease_is_gone() {
        try (StoreUnderTest.Place place = StoreUnderTest.of(url).fresh();
                RawStore raw = place.openRaw()) {
            raw.insert(Raw.rows(Item.fresh(0, 10, Keys.NONE), 100), false);
            RawStore.Claim claim = raw.claim(10);
            raw.complete(claim);
            assertThatThrownBy(() -> raw.complete(claim)).hasMessageContaining("refused");
        }
    }

    @Test
    void a_sample_that_fails_leaves_nothing_behind() throws Exception {
        List<String> before = schemas();
        List<TaskStore> left = new ArrayList<>();
        Throughput failing = new Throughput(
                "failing",
                "",
                "",
                StoreUnderTest.of(url),
                4,
                1,
                (place, number) -> {
                    left.add(place.open());
                    throw new IllegalStateException("planned");
                },
                null,
                null);
        assertThatThrownBy(failing::take).hasMessage("planned");
        assertThat(left).hasSize(1);
        assertThat(schemas()).isEqualTo(before);
        left.forEach(TaskStore::close);
    }

    @Test
    void settings_with_which_nothing_is_durable_are_warned_of() {
        StoreUnderTest storage = StoreUnderTest.of(url);
        assertThat(storage.warnings(Map.of("fsync", "on", "synchronous_commit", "local")))
                .isEmpty();
        assertThat(storage.warnings(Map.of("fsync", "off", "synchronous_commit", "off")))
                .satisfiesExactly(
                        fsync -> assertThat(fsync).startsWith("fsync is off"),
                        commit -> assertThat(commit).startsWith("synchronous_commit is off"));
    }

    @Test
    void a_server_that_is_not_there_is_told_without_the_password() {
        BenchOptions options =
                new BenchOptions("postgresql://me:secret@127.0.0.1:1/nothing", true, List.of("drain"), null);
        assertThatThrownBy(() -> new Bench(options, BenchProgress.SILENT, TINY).run())
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("127.0.0.1:1/nothing")
                .hasMessageNotContaining("secret");
    }

    private static List<String> schemas() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT nspname FROM pg_namespace ORDER BY nspname")) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        }
        return names;
    }
}
