package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Begun;
import dev.semel.guard.Guard;
import dev.semel.guard.GuardConflict;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.InProgress;
import dev.semel.guard.OutcomeNotRecorded;
import dev.semel.guard.OwnerToken;
import dev.semel.guard.Settled;
import dev.semel.guard.WhenBusy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a {@link Guard} does on a store, with real time: its leases are short here. */
public abstract class GuardUseContract {

    private static final Duration LEASE = Duration.ofMillis(400);
    // Long enough that the renewals of a live owner are in time on a busy machine.
    private static final Duration LONG_LEASE = Duration.ofSeconds(2);
    private static final int PATIENCE_SECONDS = 60;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private GuardStore store;

    /** For subclasses. */
    @SuppressWarnings("NullAway.Init") // the store is opened before each test
    protected GuardUseContract() {}

    /**
     * Opens a fresh, empty store.
     *
     * @param clock the store's notion of now, unless it has a server's
     * @return the store
     */
    protected abstract GuardStore open(InstantSource clock);

    /**
     * Opens a second handle on the data of the store that was opened last.
     *
     * @return the handle
     */
    protected abstract GuardStore openAnother();

    @BeforeEach
    final void openTheStore() {
        store = open(InstantSource.system());
        opened.add(store);
    }

    @AfterEach
    final void closeAll() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private Guard guard(GuardStore on, WhenBusy whenBusy) {
        return guard(on, whenBusy, LEASE);
    }

    private Guard guard(GuardStore on, WhenBusy whenBusy, Duration lease) {
        Guard guard = Guard.on(on).lease(lease).whenBusy(whenBusy).remember(0).build();
        opened.add(guard);
        return guard;
    }

    private static Hold stranger(String key, Duration lease) {
        OwnerToken owner = OwnerToken.next(new SplittableRandom(key.hashCode()));
        return new Hold(new GuardKey("default", key), owner, null, lease, Duration.ofHours(1));
    }

    @Test
    @DisplayName("64 threads with two handles call under one key: one effect, one result for all")
    void sixtyFourThreadsOneEffect() {
        GuardStore second = openAnother();
        opened.add(second);
        Guard one = guard(store, WhenBusy.WAIT, LONG_LEASE);
        Guard two = guard(second, WhenBusy.WAIT, LONG_LEASE);
        AtomicInteger effects = new AtomicInteger();
        try (Crowd crowd = new Crowd(64)) {
            List<Integer> results = crowd.together(
                    i -> (i % 2 == 0 ? one : two).once("k", Integer.class, token -> effects.incrementAndGet()));
            assertThat(results).hasSize(64).containsOnly(1);
        }
        assertThat(effects).hasValue(1);
    }

    @Test
    @DisplayName("64 threads that do not wait: one effect, the others are answered that it is in progress or done")
    void sixtyFourThreadsThatThrow() {
        Guard guard = guard(store, WhenBusy.THROW, LONG_LEASE);
        AtomicInteger effects = new AtomicInteger();
        try (Crowd crowd = new Crowd(64)) {
            List<Object> results = crowd.together(i -> {
                try {
                    return guard.once("k", Integer.class, token -> effects.incrementAndGet());
                } catch (InProgress e) {
                    return e;
                }
            });
            assertThat(results).allMatch(result -> result instanceof InProgress || result.equals(1));
        }
        assertThat(effects).hasValue(1);
        assertThat(guard.once("k", Integer.class, token -> effects.incrementAndGet()))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("A failed effect runs again at once, and a failed run is not a result")
    void aFailureRunsAgain() {
        Guard guard = guard(store, WhenBusy.THROW);
        assertThatThrownBy(() -> guard.once("k", String.class, token -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(guard.lookup("k", String.class)).isEmpty();
        assertThat(guard.once("k", String.class, token -> "yes")).isEqualTo("yes");
        assertThat(guard.once("k", String.class, token -> "again")).isEqualTo("yes");
        assertThat(guard.lookup("k", String.class).orElseThrow().result()).isEqualTo("yes");
    }

    @Test
    @DisplayName("A payload that differs is a conflict, also when the key is remembered in the program")
    void aRememberedKeyComparesPayloads() {
        Guard guard = Guard.on(store).remember(10).checkPayload(true).build();
        opened.add(guard);
        var wrapped = guard.wrap((List<String> input) -> input.get(0), String.class, (input, token) -> "ran");
        for (int i = 0; i < 3; i++) {
            assertThat(wrapped.apply(List.of("k", "a"))).isEqualTo("ran");
            assertThatThrownBy(() -> wrapped.apply(List.of("k", "b"))).isInstanceOf(GuardConflict.class);
        }
    }

    @Test
    @DisplayName("An effect longer than the lease is not taken over while its owner lives")
    void aSlowEffectIsNotTakenOver() throws Exception {
        Guard owner = guard(store, WhenBusy.THROW, LONG_LEASE);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<String> result =
                CompletableFuture.supplyAsync(() -> owner.once("slow", String.class, token -> {
                    running.countDown();
                    await(enough);
                    return "mine";
                }));
        await(running);
        Instant until = Instant.now().plus(LONG_LEASE.multipliedBy(2)).plus(LEASE);
        while (Instant.now().isBefore(until)) {
            assertThat(store.begin(stranger("slow", LEASE))).isInstanceOf(Begun.Busy.class);
            LockSupport.parkNanos(50_000_000);
        }
        enough.countDown();
        assertThat(result.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("mine");
    }

    @Test
    @DisplayName("A call that vanished is taken over as soon as its lease has expired")
    void aVanishedCallIsTakenOver() {
        Hold dead = stranger("k", LEASE);
        assertThat(store.begin(dead)).isEqualTo(new Begun.Entered(false));
        Instant leaseUntil = store.find(dead.key()).map(GuardEntry::leaseUntil).orElseThrow();
        Guard next = guard(store, WhenBusy.WAIT);
        assertThat(next.once("k", String.class, token -> "mine")).isEqualTo("mine");
        GuardEntry entry = store.find(dead.key()).orElseThrow();
        assertThat(entry.beganAt()).isAfterOrEqualTo(leaseUntil).isBefore(leaseUntil.plus(Duration.ofSeconds(5)));
        assertThat(store.finish(dead, "\"late\"")).isEqualTo(Settled.STALE);
        assertThat(next.lookup("k", String.class).orElseThrow().result()).isEqualTo("mine");
    }

    @Test
    @DisplayName(
            "An owner that was frozen and taken over cannot record its outcome, and gets an exception with its result")
    void anOwnerThatWasTakenOver() {
        FaultyGuardStore freezing = new FaultyGuardStore(store);
        freezing.freezeRenewals();
        Guard late = guard(freezing, WhenBusy.THROW);
        Guard next = guard(store, WhenBusy.WAIT);
        assertThatThrownBy(() -> late.once("k", String.class, token -> {
                    assertThat(next.once("k", String.class, same -> "next for " + same.equals(token)))
                            .isEqualTo("next for true");
                    return "late";
                }))
                .isInstanceOfSatisfying(
                        OutcomeNotRecorded.class, e -> assertThat(e.result()).isEqualTo("late"));
        assertThat(late.lookup("k", String.class).orElseThrow().result()).isEqualTo("next for true");
    }

    @Test
    @DisplayName("Whichever call of the store fails, before or after it was done: never two effects without an error")
    void everyCallMayFail() {
        FaultyGuardStore faulty = new FaultyGuardStore(store);
        for (boolean afterwards : new boolean[] {false, true}) {
            for (int which = 1; which <= 4; which++) {
                String key = "k-" + which + "-" + afterwards;
                Guard guard = guard(faulty, WhenBusy.WAIT);
                AtomicInteger effects = new AtomicInteger();
                faulty.fail(which, 1, afterwards);
                assertThat(guard.once(key, Integer.class, token -> effects.incrementAndGet()))
                        .isEqualTo(1);
                assertThat(guard.once(key, Integer.class, token -> effects.incrementAndGet()))
                        .as("call %s fails, afterwards: %s", which, afterwards)
                        .isEqualTo(1);
                faulty.heal();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
