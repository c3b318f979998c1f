package dev.semel.s3.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.s3.objects.Creation.Created;
import dev.semel.s3.objects.Creation.Exists;
import dev.semel.s3.objects.Reading.Absent;
import dev.semel.s3.objects.Reading.Found;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The laws on a network with faults, and each fault by itself. */
class FaultyObjectStoreTest {

    private static final byte[] CONTENT = {1, 2, 3};

    private final RandomGenerator random = new SplittableRandom(5);
    private final ManualClock clock = new ManualClock();
    private final InMemoryObjects service = new InMemoryObjects(clock);
    private final FaultyNetwork network = new FaultyNetwork(service, 5);

    @Nested
    class AtRandom extends ObjectStoreContract {

        private static long seed;

        @Override
        ObjectStore open() {
            return store(FaultPlan.seeded(seed++, 0.5));
        }

        @Override
        Instant serviceTime() {
            return clock.instant();
        }

        @Override
        boolean isFaulty() {
            return true;
        }
    }

    private ObjectStore store(FaultPlan plan) {
        return RetryingObjectStore.on(network.connect(plan), RetrySettings.withoutPauses());
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"KILLED_BEFORE", "KILLED_AFTER"})
    void aWriteKnowsItsOutcomeWhateverHappensToARequest(Fault fault) {
        // A creation is a PUT and at the most a GET after it, so that the second request is the last that can fail.
        for (int at = 1; at <= 2; at++) {
            Mark mark = Mark.next(random);
            String name = "at/" + fault.name() + "/" + at;
            assertThat(store(FaultPlan.at(at, fault)).create(name, CONTENT, mark))
                    .isInstanceOf(Created.class);
            assertThat(store(FaultPlan.at(at, fault)).create(name, CONTENT, Mark.next(random)))
                    .isInstanceOfSatisfying(
                            Exists.class, e -> assertThat(e.found().mark()).isEqualTo(mark));
            network.deliverLate();
            assertThat(((Found) service.get(name)).object().mark()).isEqualTo(mark);
        }
    }

    @Test
    void aWriterThatWasKilledIsRecognisedByItsMark() {
        for (Fault fault : List.of(Fault.KILLED_BEFORE, Fault.KILLED_AFTER)) {
            Mark mark = Mark.next(random);
            String name = "killed/" + fault.name();
            ObjectStore dying = store(FaultPlan.at(1, fault));
            assertThatThrownBy(() -> dying.create(name, CONTENT, mark)).isInstanceOf(ProcessKilled.class);
            assertThatThrownBy(() -> dying.get(name)).isInstanceOf(ProcessKilled.class);
            assertThat(service.get(name)).isInstanceOf(fault == Fault.KILLED_BEFORE ? Absent.class : Found.class);
            assertThat(store(FaultPlan.calm()).create(name, CONTENT, mark)).isInstanceOf(Created.class);
        }
    }

    @Test
    void racesHaveOneWinnerWhateverHappens() {
        for (long seed = 0; seed < 300; seed++) {
            String name = "seed/" + seed;
            List<ObjectStore> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                writers.add(store(FaultPlan.seeded(seed * 4 + i, 0.6)));
            }
            int created = 0;
            for (ObjectStore writer : writers) {
                created += writer.create(name, CONTENT, Mark.next(random)) instanceof Created ? 1 : 0;
            }
            assertThat(created).as("seed %s", seed).isEqualTo(1);
            StoredObject winner = ((Found) service.get(name)).object();
            network.deliverLate();
            assertThat(((Found) service.get(name)).object()).isEqualTo(winner);
        }
    }

    @Test
    void aDeleteIsSentOnceAndMayArriveLate() {
        FaultyNetwork.Connection connection = network.connect(FaultPlan.at(2, Fault.APPLIED_LATER));
        ObjectStore store = RetryingObjectStore.on(connection, RetrySettings.withoutPauses());
        store.create("late", CONTENT, Mark.next(random));
        assertThatThrownBy(() -> store.delete("late")).isInstanceOf(StoreUnavailable.class);
        assertThat(connection.sent()).isEqualTo(2);
        network.deliverLate();
        assertThat(service.get("late")).isInstanceOf(Absent.class);
    }

    @Test
    void listsCanBeStaleButNotOlderThanTheirBound() {
        ObjectStore stale = store(number -> Fault.STALE_LIST);
        ObjectStore calm = store(FaultPlan.calm());
        calm.create("list/old", CONTENT, Mark.next(random));
        clock.advance(FaultyNetwork.STALENESS.plusSeconds(1));
        calm.create("list/young", CONTENT, Mark.next(random));
        boolean seenStale = false;
        for (int i = 0; i < 50; i++) {
            List<ListedObject> objects = stale.list("list/", "", 10).objects();
            assertThat(objects.getFirst().name()).isEqualTo("list/old");
            seenStale |= objects.size() == 1;
        }
        assertThat(seenStale).isTrue();
    }

    @Test
    void aServiceThatNeverAnswersIsUnavailableAfterThePatience() {
        ObjectStore store = RetryingObjectStore.on(
                network.connect(number -> Fault.UNAVAILABLE),
                RetrySettings.withoutPauses().withPatience(Duration.ofMillis(20)));
        assertThatThrownBy(() -> store.create("never", CONTENT, Mark.next(random)))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("create \"never\"")
                .hasMessageContaining("not known");
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() {
        ObjectStore store = RetryingObjectStore.on(
                network.connect(number -> Fault.UNAVAILABLE),
                new RetrySettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1)));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> store.get("never")).isInstanceOf(StoreUnavailable.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
