package dev.semel.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardKey;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stores on one file whose clocks disagree and jump. Each store stands for a process; {@code real} is the time that passes for
 * all of them.
 */
@Timeout(120)
class SqliteClocksTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final ManualClock real = new ManualClock(Instant.parse("2026-05-01T12:00:00Z"));
    private final ManualClock right = new ManualClock(real.instant());
    private final ManualClock wrong = new ManualClock(real.instant());

    @Test
    void aProcessADayAheadTakesNoLiveLease() {
        try (SqliteTaskStore here = open(right)) {
            NewTask task = Tasks.plain();
            Tasks.submit(here, task);
            Lease held = here.claim(Tasks.request(1)).tasks().getFirst().lease();
            wrong.advance(DAY);
            try (SqliteTaskStore there = open(wrong)) {
                assertThat(there.claim(Tasks.request(1)).tasks()).isEmpty();
                pass(Duration.ofSeconds(10));
                assertThat(here.settle(List.of(new Settlement.Extend(held, Tasks.LEASE))))
                        .containsExactly(Settled.APPLIED);
                pass(Duration.ofSeconds(25));
                assertThat(there.claim(Tasks.request(1)).tasks()).isEmpty();
                // Silent for longer than its lease, so its task is due, on a process with a wrong clock too.
                pass(Duration.ofSeconds(6));
                assertThat(Tasks.idsOf(there.claim(Tasks.request(1)))).containsExactly(task.id());
            }
        }
    }

    @Test
    void aProcessADayAheadDoesNotExpireTheLeasesOfOthers() {
        try (SqliteTaskStore here = open(right)) {
            Tasks.submit(here, Tasks.plain());
            Lease held = here.claim(Tasks.request(1)).tasks().getFirst().lease();
            wrong.advance(DAY);
            try (SqliteTaskStore there = open(wrong)) {
                Tasks.submit(there, Tasks.of(Identity.DEFAULT_TENANT, "other", Tasks.TYPE));
                pass(SECOND);
                assertThat(here.claim(Tasks.request(5)).tasks()).isEmpty();
                assertThat(here.settle(List.of(new Settlement.Complete(held, null))))
                        .containsExactly(Settled.APPLIED);
            }
        }
    }

    @Test
    void aProcessADayAheadMakesNoSecondTaskInsideAWindow() {
        try (SqliteTaskStore here = open(right)) {
            complete(here, keyed("k", HOUR));
            wrong.advance(DAY);
            try (SqliteTaskStore there = open(wrong)) {
                assertThat(Tasks.submit(there, keyed("k", HOUR))).isInstanceOf(Submitted.Returned.class);
                assertThat(there.records(List.of(Tasks.identity("k")))).hasSize(1);
            }
            pass(HOUR.minus(SECOND));
            assertThat(Tasks.submit(here, keyed("k", HOUR))).isInstanceOf(Submitted.Returned.class);
            pass(SECOND.multipliedBy(2));
            assertThat(Tasks.submit(here, keyed("k", HOUR))).isInstanceOf(Submitted.Created.class);
        }
    }

    @Test
    void aProcessWhoseClockIsBehindSeesLeasesAndWindowsEnd() {
        try (SqliteTaskStore here = open(right)) {
            NewTask task = keyed("k", HOUR);
            Tasks.submit(here, task);
            here.claim(Tasks.request(1));
            wrong.advance(DAY.negated());
            try (SqliteTaskStore there = open(wrong)) {
                assertThat(there.claim(Tasks.request(1)).tasks()).isEmpty();
                pass(Tasks.LEASE.plus(SECOND));
                Claims taken = there.claim(Tasks.request(1));
                assertThat(Tasks.idsOf(taken)).containsExactly(task.id());
                there.settle(
                        List.of(new Settlement.Complete(taken.tasks().getFirst().lease(), null)));
                pass(HOUR);
                assertThat(Tasks.submit(there, keyed("k", HOUR))).isInstanceOf(Submitted.Created.class);
            }
        }
    }

    @Test
    void theFilesTimeNeverFalls() {
        try (SqliteTaskStore here = open(right)) {
            complete(here, keyed("k", HOUR));
            pass(HOUR.multipliedBy(2));
            Tasks.submit(here, Tasks.plain());
        }
        right.advance(DAY.negated());
        try (SqliteTaskStore here = open(right)) {
            Submitted answer = Tasks.submit(here, keyed("k", HOUR));
            assertThat(answer).isInstanceOf(Submitted.Created.class);
            assertThat(((Submitted.Created) answer).createdAt()).isAfterOrEqualTo(real.instant());
        }
    }

    @Test
    void aClockThatIsMillisecondsBehindDoesNotLoosenARateLimit() {
        try (SqliteTaskStore here = open(right);
                SqliteTaskStore there = open(wrong)) {
            here.operate(List.of(new Operation.SetQueue(
                    Tasks.QUEUE, QueueSettings.builder().rateLimit("100/sec").build())));
            for (int i = 0; i < 30; i++) {
                Tasks.submit(here, Tasks.plain());
            }
            pass(Duration.ofMillis(8));
            assertThat(here.claim(Tasks.request(30)).tasks()).hasSize(10);
            wrong.advance(Duration.ofMillis(-8));
            assertThat(there.claim(Tasks.request(30)).tasks()).isEmpty();
            pass(Duration.ofMillis(9));
            assertThat(here.claim(Tasks.request(30)).tasks()).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(here.claim(Tasks.request(30)).tasks()).hasSize(1);
        }
    }

    @Test
    void theOnlyProcessThatComesBackAfterADayGoesOnAtOnce() {
        // Neither the uptime nor the process saw the time pass, as on a machine whose uptime stands still while it
        // sleeps.
        try (SqliteTaskStore here = open(right)) {
            NewTask task = Tasks.plain();
            Tasks.submit(here, task);
            Lease held = here.claim(Tasks.request(1)).tasks().getFirst().lease();
            right.advance(DAY);
            assertThat(here.settle(List.of(new Settlement.Extend(held, Tasks.LEASE))))
                    .containsExactly(Settled.APPLIED);
            assertThat(here.claim(Tasks.request(1)).tasks()).isEmpty();
            Submitted next = Tasks.submit(here, Tasks.plain());
            assertThat(((Submitted.Created) next).createdAt()).isEqualTo(right.instant());
        }
        pass(DAY);
        try (SqliteTaskStore here = open(right)) {
            Submitted next = Tasks.submit(here, Tasks.plain());
            assertThat(((Submitted.Created) next).createdAt()).isEqualTo(right.instant());
        }
    }

    @Test
    void aClockThatIsSetForAllProcessesIsFollowedAndNoLeaseEnds() {
        try (SqliteTaskStore here = open(right);
                SqliteTaskStore there = open(right)) {
            Tasks.submit(here, Tasks.plain());
            Tasks.submit(there, Tasks.plain());
            Lease one = here.claim(Tasks.request(1)).tasks().getFirst().lease();
            Lease two = there.claim(Tasks.request(1)).tasks().getFirst().lease();
            right.advance(DAY);
            for (int i = 0; i < 2; i++) {
                assertThat(here.settle(List.of(new Settlement.Extend(one, Tasks.LEASE))))
                        .containsExactly(Settled.APPLIED);
                assertThat(there.settle(List.of(new Settlement.Extend(two, Tasks.LEASE))))
                        .containsExactly(Settled.APPLIED);
                assertThat(here.claim(Tasks.request(5)).tasks()).isEmpty();
                assertThat(there.claim(Tasks.request(5)).tasks()).isEmpty();
            }
            Submitted next = Tasks.submit(here, Tasks.plain());
            assertThat(((Submitted.Created) next).createdAt()).isEqualTo(right.instant());
        }
    }

    @Test
    void theGuardGoesByTheFilesTimeToo() {
        GuardKey key = new GuardKey("default", "k");
        Hold mine = new Hold(key, new OwnerToken(1, 1), null, Tasks.LEASE, HOUR);
        Hold other = new Hold(key, new OwnerToken(2, 2), null, Tasks.LEASE, HOUR);
        try (SqliteGuardStore here = SqliteGuardStore.open(file(), settings(right))) {
            assertThat(here.begin(mine)).isInstanceOf(Begun.Entered.class);
            wrong.advance(DAY);
            try (SqliteGuardStore there = SqliteGuardStore.open(file(), settings(wrong))) {
                assertThat(there.begin(other)).isInstanceOf(Begun.Busy.class);
                here.finish(mine, "1");
                assertThat(there.begin(other)).isInstanceOf(Begun.Done.class);
                assertThat(there.find(key)).isPresent();
            }
        }
    }

    /**
     * A simulation: clocks jump both ways by up to days while a right one stays at work. A worker whose lease has not expired by
     * the time that really passed keeps it, and a key makes one task in each window.
     */
    @Test
    void whateverTheClocksOfOthersShowLeasesAndWindowsHold() {
        long seed = Long.getLong("seed", 20260501L);
        SplittableRandom random = new SplittableRandom(seed);
        Map<TaskId, Instant> leases = new HashMap<>();
        ManualClock third = new ManualClock(real.instant());
        try (SqliteTaskStore here = open(right);
                SqliteTaskStore there = open(wrong);
                SqliteTaskStore beyond = open(third)) {
            List<SqliteTaskStore> stores = List.of(here, there, beyond);
            Map<String, Instant> windows = new HashMap<>();
            for (int step = 0; step < 400; step++) {
                String where = "seed " + seed + ", step " + step;
                pass(Duration.ofMillis(random.nextInt(20_000)));
                third.set(real.instant().plusSeconds(random.nextInt(-200_000, 200_000)));
                wrong.set(wrong.instant().plusSeconds(random.nextInt(4) == 0 ? random.nextInt(-90_000, 100_000) : 0));
                // The right one shows that it is there.
                here.settle(List.of(new Settlement.Extend(new Lease(Tasks.id(), 1, 1), Tasks.LEASE)));
                SqliteTaskStore one = stores.get(random.nextInt(3));
                switch (random.nextInt(4)) {
                    case 0 -> Tasks.submit(one, Tasks.plain());
                    case 1, 2 ->
                        one.claim(Tasks.request(2)).tasks().forEach(claimed -> {
                            TaskId id = claimed.task().id();
                            assertThat(leases.getOrDefault(id, Instant.MIN))
                                    .as(where)
                                    .isBeforeOrEqualTo(real.instant().plus(SECOND));
                            leases.put(id, real.instant().plus(Tasks.LEASE));
                        });
                    default -> {
                        String key = "key-" + random.nextInt(3);
                        if (Tasks.submit(one, keyed(key, HOUR)) instanceof Submitted.Created) {
                            assertThat(windows.getOrDefault(key, Instant.MIN))
                                    .as(where)
                                    .isBeforeOrEqualTo(real.instant().plus(SECOND));
                            windows.put(key, real.instant().plus(HOUR));
                        }
                    }
                }
            }
            assertThat(leases).hasSizeGreaterThan(20);
        }
    }

    private Path file() {
        return directory.resolve("semel.db");
    }

    private SqliteSettings settings(ManualClock clock) {
        return SqliteSettings.standard().withClock(clock).withElapsed(clock).withElapsed(real);
    }

    private SqliteTaskStore open(ManualClock clock) {
        return SqliteTaskStore.open(file(), settings(clock));
    }

    /** Time passes for all, and every clock goes on from what it shows. */
    private void pass(Duration time) {
        real.advance(time);
        right.advance(time);
        wrong.advance(time);
    }

    private static NewTask keyed(String key, Duration window) {
        return new NewTask(
                Tasks.id(),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(
                        Tasks.identity(key),
                        InputHash.of(Json.parse("{}"), List.of()),
                        window,
                        ReusePolicy.allowFailedOnly()));
    }

    private static void complete(SqliteTaskStore store, NewTask task) {
        Tasks.submit(store, task);
        Lease lease = store.claim(Tasks.request(1)).tasks().getFirst().lease();
        assertThat(store.settle(List.of(new Settlement.Complete(lease, null)))).containsExactly(Settled.APPLIED);
    }
}
