package dev.semel.s3.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.Begun;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.guard.Settled;
import dev.semel.s3.S3GuardStore;
import dev.semel.s3.objects.FaultPlan;
import dev.semel.s3.objects.FaultyNetwork;
import dev.semel.s3.objects.InMemoryObjects;
import dev.semel.s3.objects.RetrySettings;
import dev.semel.s3.objects.RetryingObjectStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of several processes over many days, with faults, stale lists, sweeps and requests that arrive late. What
 * every process was answered must fit one key: at most one holder, and nobody enters while a success is kept.
 */
class GuardHistoryTest {

    private static final int SEEDS = Integer.getInteger("guard.seeds", 150);
    private static final GuardKey KEY = new GuardKey("default", "order-1");
    private static final Duration LEASE = Duration.ofMinutes(10);

    private final ManualClock clock = new ManualClock();
    private final List<Held> held = new ArrayList<>();
    private @Nullable Instant successUntil;

    private record Held(int process, Hold hold, Instant until) {}

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void everyHistoryFitsOneKey(int part) {
        for (long seed = part * (long) SEEDS / 4; seed < (part + 1) * (long) SEEDS / 4; seed++) {
            try {
                held.clear();
                successUntil = null;
                play(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Failed with seed " + seed, e);
            }
        }
    }

    private void play(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        FaultyNetwork network = new FaultyNetwork(new InMemoryObjects(clock), seed);
        List<GuardStore> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FaultPlan plan = FaultPlan.seeded(seed * 3 + i, 0.3);
            processes.add(S3GuardStore.on(
                    RetryingObjectStore.on(network.connect(plan), RetrySettings.withoutPauses()), clock));
        }
        for (int step = 0; step < 120; step++) {
            int process = random.nextInt(processes.size());
            GuardStore store = processes.get(process);
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> begin(store, process, random);
                case 4, 5 -> settle(store, process, random);
                case 6 -> sweep(store);
                default -> pass(network, random);
            }
        }
    }

    private void begin(GuardStore store, int process, RandomGenerator random) {
        Duration ttl = random.nextBoolean() ? Duration.ofMinutes(1) : Duration.ofHours(30);
        Hold hold = new Hold(KEY, OwnerToken.next(random), null, LEASE, ttl);
        Begun begun = store.begin(hold);
        Instant now = clock.instant();
        held.removeIf(each -> !now.isBefore(each.until()));
        switch (begun) {
            case Begun.Entered entered -> {
                assertThat(held).as("others that hold the key").isEmpty();
                assertThat(successUntil == null || !now.isBefore(successUntil))
                        .as("entered although the success is kept until %s", successUntil)
                        .isTrue();
                held.add(new Held(process, hold, now.plus(LEASE)));
            }
            case Begun.Busy busy ->
                assertThat(held).as("busy, so somebody holds the key").isNotEmpty();
            case Begun.Done done ->
                assertThat(successUntil != null && now.isBefore(successUntil))
                        .as("done, so a success is kept")
                        .isTrue();
            case Begun.Conflicted conflicted -> throw new AssertionError("No payload was given");
        }
    }

    private void settle(GuardStore store, int process, RandomGenerator random) {
        Held mine = held.stream()
                .filter(each -> each.process() == process)
                .findAny()
                .orElse(null);
        if (mine == null) {
            return;
        }
        Instant now = clock.instant();
        boolean live = now.isBefore(mine.until());
        held.remove(mine);
        Settled settled;
        switch (random.nextInt(3)) {
            case 0 -> {
                settled = store.renew(mine.hold());
                if (settled == Settled.APPLIED) {
                    held.add(new Held(process, mine.hold(), now.plus(LEASE)));
                }
            }
            case 1 -> settled = store.fail(mine.hold(), "failed");
            default -> {
                settled = store.finish(mine.hold(), "done");
                if (settled == Settled.APPLIED) {
                    successUntil = now.plus(mine.hold().ttl());
                }
            }
        }
        if (live) {
            assertThat(settled).as("a live hold is settled").isEqualTo(Settled.APPLIED);
        }
    }

    private static void sweep(GuardStore store) {
        try {
            store.sweep(GuardStore.MAX_SWEEP);
        } catch (StoreUnavailable e) {
            // A delete without an answer is not repeated; the next sweep finds what is left.
        }
    }

    private void pass(FaultyNetwork network, RandomGenerator random) {
        Duration time = switch (random.nextInt(5)) {
            case 0 -> Duration.ofMinutes(1);
            case 1 -> Duration.ofMinutes(11);
            case 2 -> Duration.ofHours(1);
            case 3 -> Duration.ofHours(13);
            default -> Duration.ofHours(30);
        };
        if (random.nextBoolean()) {
            network.deliverLate();
        }
        clock.advance(time);
    }

    @Test
    void aKeyThatExpiredLeavesNothingBehind() {
        InMemoryObjects service = new InMemoryObjects(clock);
        try (GuardStore store =
                S3GuardStore.on(RetryingObjectStore.on(service, RetrySettings.withoutPauses()), clock)) {
            RandomGenerator random = new SplittableRandom(1);
            for (int day = 0; day < 4; day++) {
                Hold hold = new Hold(KEY, OwnerToken.next(random), null, LEASE, Duration.ofMinutes(1));
                assertThat(store.begin(hold)).isEqualTo(new Begun.Entered(false));
                assertThat(store.finish(hold, "1")).isEqualTo(Settled.APPLIED);
                assertThat(store.sweep(10)).as("chains of today are left alone").isZero();
                clock.advance(Duration.ofDays(1));
                assertThat(store.sweep(10)).isEqualTo(1);
                clock.advance(Duration.ofHours(2));
                assertThat(store.sweep(10)).isZero();
                assertThat(store.find(KEY)).isEmpty();
            }
            clock.advance(Duration.ofDays(2));
            assertThat(store.sweep(10)).isZero();
            assertThat(service.list("", "", 1000).objects()).isEmpty();
        }
    }
}
