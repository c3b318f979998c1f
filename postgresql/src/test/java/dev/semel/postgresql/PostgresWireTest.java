package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgresql.PostgresScenes.Call;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.storetests.FaultyWire;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.Tasks;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A network that loses what it should pass on, at each single step of each kind of call. Whatever is lost: what was asked is
 * done as a whole or not at all (each part of it, where a call has several), the repeated call gives the answer that the first one would have given, and the end is the
 * same as if nothing had happened.
 */
@Timeout(300)
class PostgresWireTest {

    private static final String SCHEMA = "semel";

    // More than any call has steps.
    private static final int MOST_STEPS = 100;

    private static final ManualClock CLOCK = new ManualClock();

    private static PGSimpleDataSource database;
    private static FaultyWire wire;
    private static Connection look;
    private static String everything;
    private static PostgresTaskStore calm;
    private static PostgresTaskStore wired;

    @BeforeAll
    static void connect() throws SQLException {
        database = PostgresServer.freshDatabase();
        wire = FaultyWire.to(database.getPortNumbers()[0]);
        look = database.getConnection();
        PostgresTaskStore.open(database, PostgresSettings.standard().withHints(false))
                .close();
        StringJoiner tables = new StringJoiner(" UNION ALL ", "", " ORDER BY 1, 2");
        for (String table : PostgresSchemas.tables(look, SCHEMA)) {
            tables.add("SELECT '" + table
                    + "', (to_jsonb(t) - 'seq' - 'first_seq' - 'last_seq' - 'duplicates' - 'last_duplicate_at')::text FROM "
                    + SCHEMA + "."
                    + table + " t");
        }
        everything = tables.toString();
        PostgresSettings settings = PostgresSettings.standard().withHints(false).withClock(CLOCK);
        calm = PostgresTaskStore.open(new FewConnections(database, 2), settings);
        // One connection, so that the steps of a call have one order, and none that was cut is left in the pool.
        wired = PostgresTaskStore.open(new FewConnections(through(wire, database), 1), settings);
    }

    @AfterAll
    static void disconnect() throws SQLException {
        wired.close();
        calm.close();
        look.close();
        wire.close();
    }

    /** The same database at the other end of a wire. */
    static PGSimpleDataSource through(FaultyWire wire, PGSimpleDataSource database) {
        PGSimpleDataSource source = copyOf(database);
        source.setPortNumbers(new int[] {wire.port()});
        return source;
    }

    static PGSimpleDataSource copyOf(PGSimpleDataSource database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(database.getServerNames());
        source.setPortNumbers(database.getPortNumbers());
        source.setDatabaseName(database.getDatabaseName());
        source.setUser(database.getUser());
        return source;
    }

    static List<String> scenes() {
        return PostgresScenes.names();
    }

    /**
     * What a scene leads to if nothing goes wrong.
     *
     * @param stages what is stored before the call and after each of its parts
     */
    private record Undisturbed(Object answer, List<String> stages) {

        String before() {
            return stages.getFirst();
        }

        String after() {
            return stages.getLast();
        }
    }

    private static Undisturbed undisturbed(String scene) throws SQLException {
        List<String> stages = new ArrayList<>();
        Call inParts = prepare(scene);
        stages.add(stored());
        for (Call part : inParts.parts()) {
            part.make(wired, false);
            stages.add(stored());
        }
        Object answer = prepare(scene).make(wired, false);
        assertThat(stored()).isEqualTo(stages.getLast());
        return new Undisturbed(answer, stages);
    }

    /** Plays a scene up to the call; the connection to the server stands. */
    private static Call prepare(String scene) throws SQLException {
        PostgresSchemas.empty(look, SCHEMA);
        Call call = PostgresScenes.prepare(scene, calm, CLOCK);
        assertThat(wired.find(List.of(Tasks.id()))).isEmpty();
        return call;
    }

    @AfterEach
    void everythingFitsTogether() {
        wire.heal();
        StoreInvariants.check(calm);
        StoreInvariants.drain(calm, CLOCK);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenes")
    void anAnswerLostAfterTheCommitIsGivenAgainAndNothingIsDoubled(String scene) throws SQLException {
        Undisturbed expected = undisturbed(scene);
        Call call = prepare(scene);
        if (PostgresScenes.isAtOnce(scene)) {
            wire.loseReply(1);
        } else {
            wire.loseReplyWith("COMMIT\0");
        }
        assertThat(failed(call, false)).as("the answer to the commit is lost").isTrue();
        assertThat(wire.isPlanned()).isFalse();
        assertThat(stored())
                .as("the first part is done")
                .isEqualTo(expected.stages().get(1));
        assertThat(call.make(wired, true)).isEqualTo(expected.answer());
        assertThat(stored()).as("it is not done twice").isEqualTo(expected.after());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenes")
    void aRequestThatNeverArrivesIsAllOrNothing(String scene) throws SQLException {
        atEveryStep(scene, wire::cutRequest);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenes")
    void aReplyThatNeverArrivesIsAllOrNothing(String scene) throws SQLException {
        atEveryStep(scene, wire::loseReply);
    }

    /** Plays a scene again and again, and lets the first, the second and each further step of its call go wrong. */
    private static void atEveryStep(String scene, IntConsumer fault) throws SQLException {
        Undisturbed expected = undisturbed(scene);
        int failures = 0;
        for (int step = 1; step <= MOST_STEPS; step++) {
            Call call = prepare(scene);
            fault.accept(step);
            boolean failed = failed(call, false);
            failures += failed ? 1 : 0;
            if (wire.isPlanned()) {
                assertThat(failed).as("there is no step %s", step).isFalse();
                assertThat(failures)
                        .as("a call has at least a beginning and an end")
                        .isGreaterThan(PostgresScenes.isAtOnce(scene) ? 0 : 1);
                return;
            }
            assertThat(stored()).as("after step %s", step).isIn(expected.stages());
            assertThat(call.make(wired, failed))
                    .as("answer after step %s was lost", step)
                    .isEqualTo(expected.answer());
            assertThat(stored()).as("in the end, step %s", step).isEqualTo(expected.after());
        }
        throw new AssertionError("A call has more than " + MOST_STEPS + " steps");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenes")
    void aNetworkThatIsCutInTheMiddleAndComesBackIsNoTrouble(String scene) throws SQLException {
        Undisturbed expected = undisturbed(scene);
        Call call = prepare(scene);
        wire.refuse();
        wire.cutRequest(PostgresScenes.isAtOnce(scene) ? 1 : 2);
        assertThat(failed(call, false)).isTrue();
        wire.cut();
        assertThat(failed(call, true)).as("nobody is there").isTrue();
        assertThat(stored()).isEqualTo(expected.before());
        wire.heal();
        assertThat(call.make(wired, true)).isEqualTo(expected.answer());
        assertThat(stored()).isEqualTo(expected.after());
    }

    @Test
    void namesThatAreNewAreMadeOnceWhateverIsLost() throws SQLException {
        for (boolean reply : List.of(true, false)) {
            for (int step = 1; ; step++) {
                NewTask task = Tasks.of("tenant", "new-" + reply + "-" + step, "type");
                assertThat(wired.find(List.of(task.id()))).isEmpty();
                if (reply) {
                    wire.loseReply(step);
                } else {
                    wire.cutRequest(step);
                }
                boolean failed = failed((store, again) -> store.submit(List.of(task)), false);
                if (wire.isPlanned()) {
                    assertThat(failed).isFalse();
                    assertThat(step).isGreaterThan(2);
                    wire.heal();
                    break;
                }
                assertThat(wired.submit(List.of(task))).allMatch(Submitted.Created.class::isInstance);
                try (Statement statement = look.createStatement();
                        ResultSet row = statement.executeQuery(
                                "SELECT count(*) FROM semel.lane WHERE queue = '" + task.queue() + "'")) {
                    row.next();
                    assertThat(row.getInt(1)).isEqualTo(1);
                }
            }
        }
    }

    /** Whether a call fails as one that may be repeated; it must not fail in another way. */
    private static boolean failed(Call call, boolean again) {
        try {
            assertThat(call.make(wired, again)).isNotNull();
            return false;
        } catch (StoreUnavailable e) {
            return true;
        }
    }

    /**
     * All that is stored, without the order of creation, which may have gaps, and the count of duplicates, which a repeated
     * call may raise again.
     */
    private static String stored() throws SQLException {
        StringJoiner all = new StringJoiner("\n");
        try (Statement statement = look.createStatement();
                ResultSet row = statement.executeQuery(everything)) {
            while (row.next()) {
                all.add(row.getString(1) + " " + row.getString(2));
            }
        }
        return all.toString();
    }
}
