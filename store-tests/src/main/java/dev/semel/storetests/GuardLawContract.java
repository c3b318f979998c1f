package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.guard.Begun;
import dev.semel.guard.Begun.Busy;
import dev.semel.guard.Begun.Conflicted;
import dev.semel.guard.Begun.Done;
import dev.semel.guard.Begun.Entered;
import dev.semel.guard.GuardEntry;
import dev.semel.guard.GuardKey;
import dev.semel.guard.GuardState;
import dev.semel.guard.GuardStore;
import dev.semel.guard.Hold;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.guard.OwnerToken;
import dev.semel.guard.Settled;
import dev.semel.task.InputHash;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The laws of {@link GuardStore}. Time that must not expire is an hour and time that must is some milliseconds, so that
 * they hold on a store whose clock is real as well.
 */
public abstract class GuardLawContract {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final InputHash APPLE = hash("{\"fruit\":\"apple\"}");
    private static final InputHash PEAR = hash("{\"fruit\":\"pear\"}");

    private final ManualClock clock = new ManualClock();
    private final RandomGenerator random = new SplittableRandom(7);
    private final List<GuardStore> opened = new ArrayList<>();
    private GuardStore store;

    /** For subclasses. */
    @SuppressWarnings("NullAway.Init") // the store is opened before each test
    protected GuardLawContract() {}

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

    /**
     * Lets time pass by the store's clock.
     *
     * @param clock the clock that the store was opened with
     * @param time how much
     */
    protected abstract void pass(ManualClock clock, Duration time);

    @BeforeEach
    final void openTheStore() {
        store = open(clock);
        opened.add(store);
    }

    @AfterEach
    final void closeAll() {
        opened.reversed().forEach(GuardStore::close);
    }

    private GuardStore another() {
        GuardStore handle = openAnother();
        opened.add(handle);
        return handle;
    }

    private static InputHash hash(String json) {
        return InputHash.of(Json.parse(json), List.of());
    }

    private Hold hold(String key) {
        return hold(key, null, LONG, LONG);
    }

    private Hold hold(String key, @Nullable InputHash payload, Duration lease, Duration ttl) {
        return new Hold(new GuardKey("default", key), OwnerToken.next(random), payload, lease, ttl);
    }

    /** The same key and payload, another caller. */
    private Hold other(Hold hold) {
        return new Hold(hold.key(), OwnerToken.next(random), hold.payload(), LONG, LONG);
    }

    private Hold asking(Hold hold, @Nullable InputHash payload) {
        return new Hold(hold.key(), OwnerToken.next(random), payload, LONG, LONG);
    }

    private void enters(Hold hold) {
        assertThat(store.begin(hold)).isEqualTo(new Entered(false));
    }

    private GuardEntry entry(Hold hold) {
        return store.find(hold.key()).orElseThrow();
    }

    /** Does something that must not change the entry. */
    private void changesNothing(Hold hold, Runnable step) {
        Optional<GuardEntry> before = store.find(hold.key());
        step.run();
        assertThat(store.find(hold.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("B1: of 64 concurrent beginnings one enters and all others find the key busy")
    void oneEnters() {
        GuardStore second = another();
        try (Crowd crowd = new Crowd(64)) {
            for (int round = 0; round < 5; round++) {
                String key = "round-" + round;
                List<Hold> holds = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    holds.add(hold(key));
                }
                List<Begun> answers = crowd.together(i -> (i % 2 == 0 ? store : second).begin(holds.get(i)));
                assertThat(answers.stream().filter(Entered.class::isInstance)).hasSize(1);
                assertThat(answers.stream().filter(Busy.class::isInstance)).hasSize(63);
            }
        }
    }

    @Test
    @DisplayName("B1: a busy key returns how long its lease still lasts")
    void busyTellsTheLease() {
        Hold first = hold("k");
        enters(first);
        Duration remaining = ((Busy) store.begin(other(first))).remaining();
        assertThat(remaining).isPositive().isLessThanOrEqualTo(LONG).isGreaterThan(LONG.minusMinutes(1));
    }

    @Test
    @DisplayName("B2: after a success every call gets the stored result")
    void aSuccessIsReturned() {
        Hold first = hold("k");
        enters(first);
        assertThat(store.finish(first, "{\"a\":1}")).isEqualTo(Settled.APPLIED);
        GuardStore second = another();
        for (GuardStore handle : List.of(store, second)) {
            Done done = (Done) handle.begin(other(first));
            assertThat(done.result()).isEqualTo("{\"a\":1}");
            assertThat(done.finishedAt()).isEqualTo(entry(first).changedAt());
            assertThat(done.remaining()).isPositive().isLessThanOrEqualTo(LONG);
        }
        assertThat(store.begin(first)).as("the first owner too").isInstanceOf(Done.class);
        assertThat(entry(first).state()).isEqualTo(GuardState.SUCCESS);
        assertThat(entry(first).leaseUntil()).isNull();
    }

    @Test
    @DisplayName("B2: a success without a result is returned without one")
    void aSuccessWithoutResult() {
        Hold first = hold("k");
        enters(first);
        store.finish(first, null);
        assertThat(((Done) store.begin(other(first))).result()).isNull();
    }

    @Test
    @DisplayName("B3: after a failure the next beginning enters, and the error can be read until then")
    void aFailureDoesNotBlock() {
        Hold first = hold("k");
        enters(first);
        assertThat(store.fail(first, "java.io.IOException: no route")).isEqualTo(Settled.APPLIED);
        assertThat(entry(first).state()).isEqualTo(GuardState.FAILURE);
        assertThat(entry(first).error()).isEqualTo("java.io.IOException: no route");
        Hold second = other(first);
        enters(second);
        assertThat(entry(first).state()).isEqualTo(GuardState.IN_PROGRESS);
        assertThat(entry(first).error()).isNull();
        assertThat(store.begin(other(first))).isInstanceOf(Busy.class);
        assertThat(store.finish(second, "1")).isEqualTo(Settled.APPLIED);
    }

    @Test
    @DisplayName("B4: a hold whose lease has expired is taken over by exactly one of 64 callers, which learns that")
    void anExpiredHoldIsTakenOver() {
        Hold dead = hold("k", null, SHORT, LONG);
        enters(dead);
        pass(clock, SHORT);
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            holds.add(other(dead));
        }
        try (Crowd crowd = new Crowd(64)) {
            List<Begun> answers = crowd.together(i -> store.begin(holds.get(i)));
            assertThat(answers.stream().filter(new Entered(true)::equals)).hasSize(1);
            assertThat(answers.stream().filter(Busy.class::isInstance)).hasSize(63);
        }
    }

    @Test
    @DisplayName("B5: a hold that is renewed is not taken over")
    void aRenewedHoldStays() {
        Hold first = hold("k", null, SHORT, LONG);
        enters(first);
        Hold longer = new Hold(first.key(), first.owner(), null, LONG, LONG);
        assertThat(store.renew(longer)).isEqualTo(Settled.APPLIED);
        pass(clock, SHORT);
        assertThat(store.begin(other(first))).isInstanceOf(Busy.class);
        assertThat(store.renew(longer)).as("again").isEqualTo(Settled.APPLIED);
        assertThat(store.finish(first, "1")).isEqualTo(Settled.APPLIED);
    }

    @Test
    @DisplayName("B6: another payload is a conflict in every state and changes nothing")
    void anotherPayloadIsAConflict() {
        Hold first = hold("k", APPLE, SHORT, LONG);
        Hold wrong = asking(first, PEAR);
        enters(first);
        changesNothing(
                first, () -> assertThat(store.begin(wrong)).as("in progress").isEqualTo(new Conflicted(APPLE)));
        pass(clock, SHORT);
        changesNothing(
                first, () -> assertThat(store.begin(wrong)).as("vanished").isEqualTo(new Conflicted(APPLE)));
        store.fail(first, "e");
        changesNothing(first, () -> assertThat(store.begin(wrong)).as("failed").isEqualTo(new Conflicted(APPLE)));
        Hold second = other(first);
        enters(second);
        store.finish(second, "1");
        changesNothing(first, () -> assertThat(store.begin(wrong)).as("done").isEqualTo(new Conflicted(APPLE)));
        assertThat(store.begin(other(first))).isInstanceOf(Done.class);
        assertThat(((Done) store.begin(other(first))).payload()).isEqualTo(APPLE);
    }

    @Test
    @DisplayName("B6: where one side gave no payload, none is compared, and one that was given is kept")
    void noPayloadIsNotCompared() {
        Hold none = hold("none");
        enters(none);
        store.fail(none, "e");
        enters(asking(none, PEAR));

        Hold given = hold("given", APPLE, LONG, LONG);
        enters(given);
        assertThat(store.begin(asking(given, null))).isInstanceOf(Busy.class);
        store.fail(given, "e");
        Hold without = asking(given, null);
        enters(without);
        assertThat(store.begin(asking(given, PEAR))).isEqualTo(new Conflicted(APPLE));
        store.finish(without, null);
        assertThat(store.begin(asking(given, PEAR))).isEqualTo(new Conflicted(APPLE));
        assertThat(store.begin(asking(given, null))).isInstanceOf(Done.class);
    }

    @Test
    @DisplayName("B7: a beginning that is sent again by the same owner enters again")
    void aRepeatedBeginningEnters() {
        Hold first = hold("k");
        enters(first);
        enters(first);
        assertThat(store.begin(other(first))).isInstanceOf(Busy.class);
        assertThat(store.finish(first, "1")).isEqualTo(Settled.APPLIED);
    }

    @Test
    @DisplayName("B8: no two different pairs of tenant and key share an entry")
    void pairsDoNotMeet() {
        List<GuardKey> keys = List.of(
                new GuardKey("a", "b:c"),
                new GuardKey("a:b", "c"),
                new GuardKey("a", "b"),
                new GuardKey("b", "a"),
                new GuardKey("a", "B"),
                new GuardKey("A", "b"),
                new GuardKey("a", "b "),
                new GuardKey("a", " b"),
                new GuardKey("a", "result:b"),
                new GuardKey("a", "1:b:c"),
                new GuardKey("1", "1:1"),
                new GuardKey("1:1", "1"),
                new GuardKey("a", "{x}b"),
                new GuardKey("a", "{x}"),
                new GuardKey("a", "é"),
                new GuardKey("a", "e\u0301"),
                new GuardKey("a", "ß"),
                new GuardKey("a", "ss"),
                new GuardKey("a", "%"),
                new GuardKey("a", "_"),
                new GuardKey("a", "*"),
                new GuardKey("a", "'; DROP TABLE semel_guard; --"),
                new GuardKey("a", "😀"),
                new GuardKey("a", "k".repeat(Limits.KEY_LENGTH)),
                new GuardKey("a", "ж".repeat(Limits.KEY_LENGTH)),
                new GuardKey("t".repeat(Limits.NAME_LENGTH), "k"));
        for (int i = 0; i < keys.size(); i++) {
            Hold hold = new Hold(keys.get(i), OwnerToken.next(random), null, LONG, LONG);
            enters(hold);
            store.finish(hold, "" + i);
        }
        for (int i = 0; i < keys.size(); i++) {
            GuardEntry found = store.find(keys.get(i)).orElseThrow();
            assertThat(found.result()).as("%s", keys.get(i)).isEqualTo("" + i);
            assertThat(found.key()).isEqualTo(keys.get(i));
        }
    }

    @Test
    @DisplayName("E1: a late owner's renewal, finish and failure are stale and change nothing")
    void aLateOwnerChangesNothing() {
        Hold late = hold("k", null, SHORT, LONG);
        enters(late);
        pass(clock, SHORT);
        Hold successor = other(late);
        assertThat(store.begin(successor)).isEqualTo(new Entered(true));
        stale(late, "the successor is busy");
        store.fail(successor, "e");
        stale(late, "the successor has failed");
        enters(successor);
        store.finish(successor, "2");
        stale(late, "the successor is done");
        assertThat(entry(late).result()).isEqualTo("2");
    }

    private void stale(Hold late, String when) {
        changesNothing(late, () -> {
            assertThat(store.renew(late)).as(when).isEqualTo(Settled.STALE);
            assertThat(store.finish(late, "1")).as(when).isEqualTo(Settled.STALE);
            assertThat(store.fail(late, "late")).as(when).isEqualTo(Settled.STALE);
        });
    }

    @Test
    @DisplayName("E1: a stranger's settlement of an entry in progress is stale")
    void aStrangerChangesNothing() {
        Hold owner = hold("k");
        enters(owner);
        stale(other(owner), "it was never entered");
    }

    @Test
    @DisplayName("E2: settling an entry that does not exist is stale and creates none")
    void settlingNothingIsStale() {
        Hold never = hold("never");
        stale(never, "it was never there");
        assertThat(store.find(never.key())).isEmpty();

        Hold gone = hold("gone", null, SHORT, SHORT);
        enters(gone);
        pass(clock, SHORT.multipliedBy(2));
        stale(gone, "it has expired");
        assertThat(store.find(gone.key())).isEmpty();
        assertThat(store.begin(other(gone))).isEqualTo(new Entered(false));
    }

    @Test
    @DisplayName("E3: an expired lease still holds until another call has entered")
    void anExpiredLeaseStillHolds() {
        Hold slow = hold("k", null, SHORT, LONG);
        enters(slow);
        pass(clock, SHORT);
        assertThat(store.renew(slow)).isEqualTo(Settled.APPLIED);
        pass(clock, SHORT);
        assertThat(store.finish(slow, "1")).isEqualTo(Settled.APPLIED);
        Hold failing = hold("f", null, SHORT, LONG);
        enters(failing);
        pass(clock, SHORT);
        assertThat(store.fail(failing, "e")).isEqualTo(Settled.APPLIED);
    }

    @Test
    @DisplayName("E4: a finish or failure that is sent again is applied again; the opposite is stale")
    void settlingAgainIsApplied() {
        Hold done = hold("done");
        enters(done);
        store.finish(done, "1");
        changesNothing(done, () -> {
            assertThat(store.finish(done, "1")).isEqualTo(Settled.APPLIED);
            assertThat(store.fail(done, "e")).isEqualTo(Settled.STALE);
            assertThat(store.renew(done)).isEqualTo(Settled.STALE);
        });
        Hold failed = hold("failed");
        enters(failed);
        store.fail(failed, "e");
        changesNothing(failed, () -> {
            assertThat(store.fail(failed, "e")).isEqualTo(Settled.APPLIED);
            assertThat(store.finish(failed, "1")).isEqualTo(Settled.STALE);
            assertThat(store.renew(failed)).isEqualTo(Settled.STALE);
        });
    }

    @Test
    @DisplayName("K1: an outcome is kept for its ttl from its recording on, to the millisecond")
    void anOutcomeIsKeptForItsTtl() {
        for (Duration ttl : List.of(Duration.ofMillis(1), Duration.ofMillis(1_234_567), Limits.LONGEST)) {
            Hold hold = hold("ttl-" + ttl, null, LONG, ttl);
            enters(hold);
            GuardEntry begun = entry(hold);
            assertThat(begun.leaseUntil()).isEqualTo(begun.beganAt().plus(LONG));
            assertThat(begun.expiresAt()).isEqualTo(begun.beganAt().plus(LONG).plus(ttl));
            store.finish(hold, "1");
            store.find(hold.key()).ifPresent(entry -> {
                assertThat(entry.expiresAt()).isEqualTo(entry.changedAt().plus(ttl));
                assertThat(entry.beganAt()).isEqualTo(begun.beganAt());
            });
        }
    }

    @Test
    @DisplayName("K1: after a ttl of milliseconds the key is free again, for one of many")
    void afterItsTtlAKeyIsFree() {
        Hold first = hold("k", APPLE, LONG, SHORT);
        enters(first);
        store.finish(first, "1");
        pass(clock, SHORT);
        assertThat(store.find(first.key())).isEmpty();
        try (Crowd crowd = new Crowd(16)) {
            List<Hold> holds = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                holds.add(asking(first, PEAR));
            }
            List<Begun> answers = crowd.together(i -> store.begin(holds.get(i)));
            assertThat(answers.stream().filter(new Entered(false)::equals)).hasSize(1);
            assertThat(answers.stream().filter(Busy.class::isInstance)).hasSize(15);
        }
        assertThat(entry(first).payload()).isEqualTo(PEAR);
    }

    @Test
    @DisplayName("K2: what is stored is what is found")
    void whatIsStoredIsFound() {
        List<String> results = List.of(
                "null", "\"\"", "{\"a b\":[1, 2 ,3]}\n", "\"é 😀 | \\n '\"", "!", "x".repeat(Limits.DOCUMENT_BYTES));
        for (int i = 0; i < results.size(); i++) {
            Hold hold = hold("r" + i, APPLE, LONG, LONG);
            enters(hold);
            store.finish(hold, results.get(i));
            assertThat(((Done) store.begin(other(hold))).result()).isEqualTo(results.get(i));
            assertThat(entry(hold).result()).isEqualTo(results.get(i));
            assertThat(entry(hold).payload()).isEqualTo(APPLE);
            assertThat(entry(hold).error()).isNull();
        }
        String error = "weird: 'é' \"😀\"\nat somewhere\twith tabs";
        Hold failed = hold("e");
        enters(failed);
        store.fail(failed, error);
        assertThat(entry(failed).error()).isEqualTo(error);
        assertThat(entry(failed).result()).isNull();
    }

    @Test
    @DisplayName("K3: a sweep removes what has expired, and nothing else")
    void aSweepRemovesWhatHasExpired() {
        List<Hold> old = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Hold hold = hold("old-" + i, null, LONG, SHORT);
            enters(hold);
            store.finish(hold, "1");
            old.add(hold);
        }
        Hold kept = hold("kept");
        enters(kept);
        store.finish(kept, "1");
        Hold busy = hold("busy");
        enters(busy);
        pass(clock, SHORT);
        assertThat(store.sweep(2)).isLessThanOrEqualTo(2);
        store.sweep(GuardStore.MAX_SWEEP);
        assertThat(store.sweep(GuardStore.MAX_SWEEP)).isZero();
        old.forEach(hold -> assertThat(store.find(hold.key())).isEmpty());
        assertThat(entry(kept).state()).isEqualTo(GuardState.SUCCESS);
        assertThat(entry(busy).state()).isEqualTo(GuardState.IN_PROGRESS);
        for (int limit : new int[] {0, -1, GuardStore.MAX_SWEEP + 1}) {
            assertThatThrownBy(() -> store.sweep(limit)).isInstanceOf(InvalidInput.class);
        }
    }

    @Test
    @DisplayName("Random operations give the same answers as the store in memory")
    void asTheModel() {
        Seeds.each(10, seed -> {
            RandomGenerator randomness = new SplittableRandom(seed);
            GuardStore model = new InMemoryGuardStore(clock);
            List<Hold> holds = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                @Nullable
                InputHash payload = randomness.nextInt(4) == 0 ? PEAR : randomness.nextBoolean() ? APPLE : null;
                holds.add(hold("model-" + seed + "-" + i % 3, payload, LONG, LONG));
            }
            for (int step = 0; step < 60; step++) {
                Hold hold = holds.get(randomness.nextInt(holds.size()));
                int kind = randomness.nextInt(8);
                String text = "" + randomness.nextInt(3);
                assertThat(timeless(did(store, kind, hold, text)))
                        .as("step %s", step)
                        .isEqualTo(timeless(did(model, kind, hold, text)));
            }
        });
    }

    private static Object did(GuardStore on, int kind, Hold hold, String text) {
        return switch (kind) {
            case 0, 1, 2 -> on.begin(hold);
            case 3 -> on.renew(hold);
            case 4, 5 -> on.fail(hold, text);
            case 6 -> on.finish(hold, text);
            default -> on.find(hold.key());
        };
    }

    /** The answer without what depends on the store's clock. */
    private static Object timeless(Object answer) {
        return switch (answer) {
            case Busy busy -> "busy";
            case Done done -> "done " + done.result() + " " + done.payload();
            case Optional<?> found ->
                found.map(GuardEntry.class::cast)
                        .map(entry -> entry.state() + " " + entry.payload() + " " + entry.result() + " " + entry.error()
                                + " " + (entry.leaseUntil() == null))
                        .orElse("nothing");
            default -> answer;
        };
    }
}
