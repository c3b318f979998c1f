package dev.semel.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import dev.semel.testservers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Batches in which new tasks, duplicates and keys that change hands are mixed in all proportions and sizes, answered as the
 * store in memory answers them. How a batch is sent depends on what those before it were like; what it means must not.
 */
@Timeout(300)
class PostgresMixturesTest {

    private static final int STEPS = 150;
    private static final int SMALL = 40;

    private final ManualClock clock = new ManualClock();

    private PostgresTaskStore open() {
        return PostgresTaskStore.open(
                PostgresServer.freshDatabase(),
                PostgresSettings.standard().withHints(false).withClock(clock));
    }

    private static NewTask task(TaskId id, String key, String input, ReusePolicy policy, Duration window) {
        return new NewTask(
                id,
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                input,
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(
                        Tasks.identity(key), InputHash.of(Json.parse(input), List.of()), window, policy));
    }

    /** What users do at random, more of one kind for a while and then more of another. */
    private final class Users {

        private final SplittableRandom random;
        private final List<String> known = new ArrayList<>();
        private final List<NewTask> sent = new ArrayList<>();
        private double duplicates;
        private int made;

        Users(long seed) {
            random = new SplittableRandom(seed);
        }

        List<NewTask> batch() {
            if (random.nextInt(12) == 0) {
                duplicates = List.of(0.0, 0.01, 0.5, 0.97, 1.0).get(random.nextInt(5));
            }
            int size = switch (random.nextInt(10)) {
                case 0 -> random.nextInt(100, 160);
                case 1, 2, 3 -> 1;
                default -> random.nextInt(2, SMALL);
            };
            List<NewTask> batch = new ArrayList<>();
            Set<TaskId> ids = new HashSet<>();
            for (int i = 0; i < size; i++) {
                NewTask next = next();
                if (ids.add(next.id())) {
                    batch.add(next);
                }
            }
            sent.addAll(batch);
            return batch;
        }

        private NewTask next() {
            if (!sent.isEmpty() && random.nextInt(400) == 0) {
                return sent.get(random.nextInt(sent.size()));
            }
            TaskId id = TaskId.next(clock, random);
            if (random.nextInt(20) == 0) {
                return Tasks.as(id, "{}", null);
            }
            boolean again = !known.isEmpty() && random.nextDouble() < duplicates;
            String key = again ? known.get(random.nextInt(known.size())) : "key " + made++;
            if (!again) {
                known.add(key);
            }
            String input = random.nextInt(30) == 0 ? "{\"other\":1}" : "{}";
            return task(id, key, input, policy(), Duration.ofSeconds(random.nextInt(1, 300)));
        }

        private ReusePolicy policy() {
            return switch (random.nextInt(40)) {
                case 0 -> ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RETURN, AfterEnd.RERUN);
                case 1 -> ReusePolicy.afterFinish();
                case 2 -> ReusePolicy.never();
                case 3 -> ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT);
                default -> ReusePolicy.allowFailedOnly();
            };
        }

        ClaimRequest claim() {
            return Tasks.request(random.nextInt(1, 60));
        }

        List<Settlement> ends(Claims claims) {
            List<Settlement> ends = new ArrayList<>();
            for (Claims.Claimed claimed : claims.tasks()) {
                Lease lease = claimed.lease();
                switch (random.nextInt(8)) {
                    case 0 -> ends.add(new Settlement.Fail(lease, false, "broken"));
                    case 1, 2 -> {
                        // Still running when the next ones come.
                    }
                    default -> ends.add(new Settlement.Complete(lease, "1"));
                }
            }
            return ends;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aBatchMeansTheSameAsInMemoryWhateverCameBefore(long seed) {
        Users users = new Users(seed);
        InMemoryTaskStore memory = new InMemoryTaskStore(clock);
        try (PostgresTaskStore postgres = open()) {
            for (int step = 0; step < STEPS; step++) {
                List<NewTask> batch = users.batch();
                assertThat(postgres.submit(batch)).as("step %s", step).isEqualTo(memory.submit(batch));
                if (users.random.nextInt(3) == 0) {
                    ClaimRequest request = users.claim();
                    Claims expected = memory.claim(request);
                    Claims claims = postgres.claim(request);
                    assertThat(Tasks.idsOf(claims)).as("step %s", step).isEqualTo(Tasks.idsOf(expected));
                    List<Settlement> ends = users.ends(claims);
                    assertThat(postgres.settle(ends)).isEqualTo(memory.settle(ends));
                }
                clock.advance(Duration.ofMillis(users.random.nextInt(3_000)));
            }
        }
    }

    @Test
    void aDuplicateInALargeBatchAfterManyWithoutIsFoundAndNothingIsDoubled() {
        try (PostgresTaskStore store = open()) {
            for (int i = 0; i < 30; i++) {
                store.submit(List.of(keyed("before " + i)));
            }
            List<NewTask> batch = new ArrayList<>(
                    IntStream.range(0, 200).mapToObj(i -> keyed("new " + i)).toList());
            batch.set(77, keyed("before 7"));
            List<Submitted> answers = store.submit(batch);
            assertThat(answers.get(77)).isInstanceOf(Submitted.Returned.class);
            assertThat(answers).filteredOn(Submitted.Created.class::isInstance).hasSize(199);
            assertThat(store.submit(batch.subList(0, 77)))
                    .as("sent again, the same answers")
                    .isEqualTo(answers.subList(0, 77));
            assertThat(Tasks.idsOf(store.claim(Tasks.request(1_000)))).hasSize(30 + 199);
        }
    }

    private static NewTask keyed(String key) {
        return task(Tasks.id(), key, "{}", ReusePolicy.allowFailedOnly(), Duration.ofDays(1));
    }
}
