package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.storetests.FaultyWire;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.testservers.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * How often the program and the server wait for each other, counted on the wire between them; and what is sent on the chance
 * that a claim needs it and turns out to be something else than it needs.
 */
@Timeout(120)
class PostgresRoundTripsTest {

    private static final int WARM = 30;

    // A claim whose read took longer than five milliseconds, as on a busy machine, asks once more why.
    private static final int ROUNDS = 20;

    private FaultyWire wire;
    private PostgresTaskStore store;

    @BeforeEach
    void open() throws SQLException {
        PGSimpleDataSource database = PostgresServer.freshDatabase();
        wire = FaultyWire.to(database.getPortNumbers()[0]);
        store = PostgresTaskStore.open(
                new FewConnections(PostgresWireTest.through(wire, database), 1),
                PostgresSettings.standard().withHints(false));
    }

    @AfterEach
    void close() {
        store.close();
        wire.close();
    }

    private long requestsOf(Runnable work) {
        long before = wire.requests();
        work.run();
        return wire.requests() - before;
    }

    private static NewTask keyed(String key) {
        return Tasks.keyed(key, "{}");
    }

    private static List<NewTask> plain(int number) {
        return IntStream.range(0, number).mapToObj(i -> Tasks.plain()).toList();
    }

    private void complete(Claims claims) {
        store.settle(claims.tasks().stream()
                .map(claimed -> new Settlement.Complete(claimed.lease(), "1"))
                .toList());
    }

    @Test
    void aClaimLikeTheOneBeforeIsTwoRoundTripsWhateverItFinds() {
        for (int i = 0; i < WARM; i++) {
            store.submit(plain(10));
            complete(store.claim(Tasks.request(5)));
            complete(store.claim(Tasks.request(50)));
            complete(store.claim(Tasks.request(50)));
        }
        long[] fewest = {ROUNDS, ROUNDS, ROUNDS, ROUNDS};
        int[] limits = {5, 2, 50, 50};
        int[] sizes = {5, 2, 4, 0};
        for (int round = 0; round < ROUNDS; round++) {
            store.submit(plain(11));
            List<Claims> claims = new ArrayList<>();
            for (int i = 0; i < limits.length; i++) {
                int limit = limits[i];
                fewest[i] = Math.min(fewest[i], requestsOf(() -> claims.add(store.claim(Tasks.request(limit)))));
                assertThat(claims.get(i).tasks()).hasSize(sizes[i]);
            }
            claims.forEach(this::complete);
        }
        assertThat(fewest)
                .as(
                        "one that takes all it may, one of few that share no lease, one that takes the rest, one that finds nothing")
                .containsOnly(2);
    }

    @Test
    void aSettlementFindsItsLeaseWithTheRoundTripThatBegins() {
        long[] fewest = {ROUNDS, ROUNDS};
        for (int round = 0; round < WARM + ROUNDS; round++) {
            store.submit(plain(11));
            for (int i = 0; i < fewest.length; i++) {
                Claims claims = store.claim(Tasks.request(i == 0 ? 1 : 10));
                fewest[i] = Math.min(fewest[i], requestsOf(() -> complete(claims)));
            }
        }
        assertThat(fewest)
                .as("one task with a lease of its own, ten that share one")
                .containsExactly(3, 4);
    }

    @Test
    void aFewSubmissionsAreOneRoundTripIfAllAreNewOrNoneAndTwoOtherwise() {
        List<String> keys = IntStream.range(0, 40).mapToObj(i -> "key " + i).toList();
        store.submit(keys.stream().map(PostgresRoundTripsTest::keyed).toList());
        for (int i = 0; i < WARM; i++) {
            store.submit(List.of(keyed("warm " + i), Tasks.plain()));
        }
        assertThat(requestsOf(() -> store.submit(List.of(keyed("new 1"), Tasks.plain(), keyed("new 2")))))
                .as("new")
                .isEqualTo(1);
        for (int i = 0; i < WARM; i++) {
            store.submit(List.of(keyed("mixed " + i), keyed(keys.get(i))));
        }
        List<Submitted> mixed = new ArrayList<>();
        assertThat(requestsOf(
                        () -> mixed.addAll(store.submit(List.of(keyed("new 3"), keyed("key 7"), keyed("new 4"))))))
                .as("some new and some not")
                .isEqualTo(2);
        assertThat(mixed)
                .extracting(Object::getClass)
                .containsExactly((Class) Submitted.Created.class, (Class) Submitted.Returned.class, (Class)
                        Submitted.Created.class);
        for (int i = 0; i < WARM; i++) {
            store.submit(List.of(keyed("key 1"), keyed("key 2")));
        }
        assertThat(requestsOf(() -> store.submit(List.of(keyed("key 3"), keyed("key 4")))))
                .as("duplicates")
                .isEqualTo(1);
    }

    @Test
    void aLargeBatchNeedsOnlyOneConnectionAlthoughItIsLookedUpInHalves() {
        List<NewTask> known =
                IntStream.range(0, 300).mapToObj(i -> keyed("key " + i)).toList();
        assertThat(store.submit(known)).allMatch(Submitted.Created.class::isInstance);
        List<Submitted> answers = store.submit(IntStream.range(0, 300)
                .mapToObj(i -> keyed((i % 3 == 0 ? "new " : "key ") + i))
                .toList());
        assertThat(answers).hasSize(300);
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i))
                    .as("item %s", i)
                    .isInstanceOf(i % 3 == 0 ? Submitted.Created.class : Submitted.Returned.class);
        }
        assertThat(store.submit(known))
                .as("sent again, the same answers")
                .allMatch(Submitted.Created.class::isInstance);
    }

    @Test
    void aClaimFindsTasksOfATypeAndATenantThatAreNewSinceTheOneBefore() {
        store.submit(plain(2));
        assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(2);
        store.submit(List.of(
                Tasks.plain(),
                Tasks.of(Identity.DEFAULT_TENANT, Tasks.QUEUE, "other-type"),
                Tasks.of("other-tenant", Tasks.QUEUE, Tasks.TYPE)));
        Set<String> found = new HashSet<>();
        store.claim(Tasks.request(10))
                .tasks()
                .forEach(claimed ->
                        found.add(claimed.task().tenant() + "/" + claimed.task().type()));
        assertThat(found)
                .containsExactlyInAnyOrder(
                        Identity.DEFAULT_TENANT + "/" + Tasks.TYPE,
                        Identity.DEFAULT_TENANT + "/other-type",
                        "other-tenant/" + Tasks.TYPE);
    }

    @Test
    void aClaimHeedsWhatWasSetForAQueueSinceTheOneBefore() {
        store.submit(plain(1));
        assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(1);
        store.submit(plain(20));
        set(QueueSettings.builder().paused(true));
        assertThat(store.claim(Tasks.request(10)).tasks()).isEmpty();
        set(QueueSettings.builder().paused(false).concurrency(4));
        assertThat(store.claim(Tasks.request(10)).tasks())
                .as("one runs already")
                .hasSize(3);
        assertThat(store.claim(Tasks.request(10)).tasks()).isEmpty();
        store.operate(List.of(new Operation.ResetQueue(Tasks.QUEUE)));
        assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(10);
        assertThat(store.claim(Tasks.request(3)).tasks())
                .as("another limit than before")
                .hasSize(3);
        assertThat(store.claim(Tasks.request(10)).tasks()).hasSize(4);
    }

    private void set(QueueSettings.Builder settings) {
        store.operate(List.of(new Operation.SetQueue(Tasks.QUEUE, settings.build())));
    }
}
