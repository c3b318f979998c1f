package dev.semel.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the measures take for granted of every contestant, on a real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContestantsTest {

    private static final int TASKS = 200;

    private Server server;

    @BeforeAll
    void start() {
        server = new Server();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    static Stream<Contestant> all() {
        return Peers.contestants().stream();
    }

    static Stream<Contestant> withBatches() {
        return all().filter(Contestant::hasBatches);
    }

    @ParameterizedTest
    @MethodSource("all")
    @DisplayName("Tasks that were submitted singly are stored, run once each, and end")
    void singly(Contestant contestant) {
        Executions executions = new Executions(TASKS);
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, executions)) {
            for (int number = 0; number < TASKS; number++) {
                session.submit(Piece.of(number, number % 2 == 0));
            }
            assertThat(place.number(contestant.stored())).isEqualTo(TASKS);
            assertThat(place.number(contestant.unsettled())).isEqualTo(TASKS);

            session.work();
            executions.await(TASKS, 60);
            place.awaitNone(contestant.unsettled());

            assertThat(executions.extra(TASKS)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("withBatches")
    @DisplayName("Tasks that were submitted in a batch are stored, run once each, and end")
    void inBatches(Contestant contestant) {
        Executions executions = new Executions(TASKS);
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, executions)) {
            session.submitBatch(Piece.fresh(TASKS, true));
            assertThat(place.number(contestant.stored())).isEqualTo(TASKS);

            session.work();
            executions.await(TASKS, 60);
            place.awaitNone(contestant.unsettled());

            assertThat(executions.extra(TASKS)).isZero();
        }
    }

    static Stream<Arguments> workflows() {
        return all().filter(Contestant::hasWorkflows)
                .flatMap(contestant -> Stream.of(Steps.values()).map(steps -> Arguments.of(contestant, steps)));
    }

    @ParameterizedTest
    @MethodSource("workflows")
    @DisplayName("Each step of a workflow runs once, and all workflows end")
    void workflows(Contestant contestant, Steps steps) {
        int workflows = 20;
        Executions executions = new Executions(workflows * Steps.COUNT);
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, executions)) {
            session.workOnWorkflows();
            for (int number = 0; number < workflows; number++) {
                session.startWorkflow(number, steps);
            }
            executions.await(workflows * Steps.COUNT, 60);
            place.awaitNone(contestant.unsettled());

            assertThat(executions.extra(workflows * Steps.COUNT)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    @DisplayName("A duplicate of a pending task stores nothing")
    void duplicates(Contestant contestant) {
        try (Place place = server.fresh(contestant.name(), contestant::makeTables);
                Session session = contestant.open(place, new Executions(1))) {
            for (int i = 0; i < 3; i++) {
                session.submit(Piece.of(0, true));
            }
            assertThat(place.number(contestant.stored())).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    @DisplayName("Every contestant says how it is set up, and why")
    void choices(Contestant contestant) {
        List<Contestant.Choice> choices = contestant.choices();
        assertThat(choices).isNotEmpty().allSatisfy(choice -> {
            assertThat(choice.chosen()).isNotBlank();
            assertThat(choice.why()).isNotBlank();
        });
    }
}
