package dev.semel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.CheckResult;
import dev.semel.task.InvalidInput;
import dev.semel.task.StoreUnavailable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the guard on the store in memory. */
@Timeout(180)
class GuardTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-27T12:00:00Z"));
    private final AtomicLong nanos = new AtomicLong();
    private final BreakableStore store = new BreakableStore(new InMemoryGuardStore(now::get));
    private final AtomicInteger effects = new AtomicInteger();
    private final List<Guard> guards = new ArrayList<>();

    @AfterEach
    void closeGuards() {
        guards.forEach(Guard::close);
    }

    private Guard guard() {
        return built(Guard.on(store).remember(0));
    }

    private Guard built(Guard.Builder builder) {
        Guard guard = builder.build();
        guards.add(guard);
        return guard;
    }

    private int effect(String token) {
        return effects.incrementAndGet();
    }

    private void pass(Duration time) {
        now.updateAndGet(before -> before.plus(time));
        nanos.addAndGet(time.toNanos());
    }

    record Receipt(String order, long cents, List<String> notes) {}

    @Test
    void aSecondCallGetsTheStoredResult() {
        Receipt receipt = new Receipt("ORD-1", 9900, List.of("é", "\"quoted\""));
        assertThat(guard().once("k", Receipt.class, token -> receipt)).isSameAs(receipt);
        assertThat(guard().once("k", Receipt.class, token -> new Receipt("other", 0, List.of())))
                .isEqualTo(receipt);
        Outcome<Receipt> outcome = guard().call("k").outcome(Receipt.class, token -> receipt);
        assertThat(outcome).isEqualTo(new Outcome.Repeated<>(receipt, now.get()));
    }

    @Test
    void nullIsAResultAsWell() {
        assertThat(guard().once("k", String.class, token -> null)).isNull();
        assertThat(guard().once("k", String.class, token -> "second")).isNull();
        assertThat(guard().run("void", this::effect)).isTrue();
        assertThat(guard().run("void", this::effect)).isFalse();
        assertThat(effects).hasValue(1);
    }

    @Test
    void onlyAnExtractorMayAnswerThatThereIsNoKey() {
        Guard prefixed = built(Guard.on(store).prefix("orders/"));
        assertThat(guard().call(input -> null, "x").outcome(Integer.class, this::effect))
                .isEqualTo(new Outcome.Unguarded<>(1));
        assertThat(guard().call(input -> "", "x").outcome(Integer.class, this::effect))
                .isEqualTo(new Outcome.Unguarded<>(2));
        assertThat(prefixed.wrap(input -> "", Integer.class, (input, token) -> effect(token))
                        .apply("x"))
                .isEqualTo(3);
        for (String blank : List.of("", " ", "\u2003", "\u00a0 ")) {
            for (Guard guard : List.of(guard(), prefixed)) {
                assertThatThrownBy(() -> guard.once(blank, Integer.class, this::effect))
                        .isInstanceOf(InvalidInput.class)
                        .hasMessageContaining("An idempotency key");
                assertThatThrownBy(() -> guard.run(blank, this::effect)).isInstanceOf(InvalidInput.class);
                assertThatThrownBy(() -> guard.call(blank)).isInstanceOf(InvalidInput.class);
                assertThatThrownBy(() -> guard.find(blank)).isInstanceOf(InvalidInput.class);
                if (!blank.isEmpty()) {
                    assertThatThrownBy(() -> guard.call(input -> blank, "x").once(Integer.class, this::effect))
                            .isInstanceOf(InvalidInput.class);
                }
            }
        }
        assertThat(effects).hasValue(3);
        assertThat(store.begins).hasValue(0);
    }

    @Test
    void tenantsPrefixesAndKeysAreApart() {
        guard().once("k", Integer.class, this::effect);
        guard().call("k").tenant("acme").once(Integer.class, this::effect);
        built(Guard.on(store).tenant("acme")).once("other", Integer.class, this::effect);
        built(Guard.on(store).prefix("p/")).once("k", Integer.class, this::effect);
        assertThat(effects).hasValue(4);
        assertThat(guard().lookup("p/k", Integer.class).orElseThrow().result()).isEqualTo(4);
        assertThat(built(Guard.on(store).tenant("acme")).once("k", Integer.class, this::effect))
                .isEqualTo(2);
    }

    @Test
    void theTtlIsTheGuardsOrTheCalls() {
        guard().once("day", Integer.class, this::effect);
        guard().call("minute").ttl(Duration.ofMinutes(1)).once(Integer.class, this::effect);
        pass(Duration.ofMinutes(1).minusMillis(1));
        assertThat(guard().run("minute", this::effect)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(guard().run("minute", this::effect)).isTrue();
        pass(Duration.ofHours(24).minusMinutes(1).minusMillis(1));
        assertThat(guard().run("day", this::effect)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(guard().run("day", this::effect)).isTrue();
    }

    @Test
    void theTokenOfAnEffectIsAlwaysTheSameForItsKey() {
        List<String> tokens = new ArrayList<>();
        for (String key : List.of("a", "a", "b")) {
            assertThatThrownBy(() -> guard().once(key, String.class, token -> {
                        tokens.add(token);
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class);
        }
        guard().call("a").tenant("acme").once(String.class, token -> {
            tokens.add(token);
            return token;
        });
        assertThat(tokens.get(0)).isEqualTo(tokens.get(1)).matches("[0-9a-f]{32}");
        assertThat(List.of(tokens.get(0), tokens.get(2), tokens.get(3))).doesNotHaveDuplicates();
    }

    @Test
    void aFailureIsKeptAndDoesNotBlockTheRetry() {
        assertThatThrownBy(() -> guard().once("k", String.class, token -> {
                    throw new IOException("no route");
                }))
                .isInstanceOf(IOException.class);
        GuardEntry entry = guard().find("k").orElseThrow();
        assertThat(entry.state()).isEqualTo(GuardState.FAILURE);
        assertThat(entry.error()).isEqualTo("java.io.IOException: no route");
        assertThat(entry.toString()).doesNotContain("route");
        assertThat(guard().once("k", String.class, token -> "now")).isEqualTo("now");
    }

    @Test
    void anErrorWhoseMessageFailsIsStillAFailure() {
        class Bad extends RuntimeException {
            @Override
            public String getMessage() {
                throw new IllegalStateException();
            }
        }
        assertThatThrownBy(() -> guard().run("k", token -> {
                    throw new Bad();
                }))
                .isInstanceOf(Bad.class);
        assertThat(guard().find("k").orElseThrow().error()).startsWith(Bad.class.getName());
    }

    @Test
    void whatIsInProgressIsThrownSkippedOrWaitedFor() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> guard().once("k", String.class, token -> {
            running.countDown();
            awaited(go);
            return "first";
        }));
        running.await();
        assertThatThrownBy(() -> guard().once("k", String.class, token -> "second"))
                .isInstanceOfSatisfying(
                        InProgress.class, e -> assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(30)))
                .hasMessageContaining("\"k\"");
        Guard skipping = built(Guard.on(store).whenBusy(WhenBusy.SKIP));
        assertThat(skipping.once("k", String.class, token -> "second")).isNull();
        assertThat(skipping.call("k").outcome(String.class, token -> "second"))
                .isEqualTo(new Outcome.Skipped<>(Duration.ofSeconds(30)));
        assertThat(skipping.run("k", token -> {})).isFalse();
        Guard hasty = built(Guard.on(store).whenBusy(WhenBusy.WAIT).waitLimit(Duration.ofMillis(20)));
        assertThatThrownBy(() -> hasty.once("k", String.class, token -> "second"))
                .isInstanceOf(InProgress.class);
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(
                () -> guard().call("k").whenBusy(WhenBusy.WAIT).once(String.class, token -> "second"));
        go.countDown();
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("first");
        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("first");
    }

    @Test
    void anInterruptEndsTheWaitAndStays() {
        Guard waiting = built(Guard.on(store).whenBusy(WhenBusy.WAIT));
        guard().run("k", token -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> waiting.run("k", this::effect)).isInstanceOf(InProgress.class);
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(guard().find("k").orElseThrow().state()).isEqualTo(GuardState.SUCCESS);
    }

    @Test
    void aClosedGuardThrowsAndAnOpenOneRunsWhenTheStoreIsDown() {
        store.failing = true;
        assertThatThrownBy(() -> guard().once("k", Integer.class, this::effect)).isInstanceOf(StoreUnavailable.class);
        assertThat(effects).hasValue(0);
        Guard open = built(Guard.on(store).failMode(FailMode.OPEN));
        assertThat(open.once("k", Integer.class, this::effect)).isEqualTo(1);
        assertThat(open.call("k").outcome(Integer.class, this::effect)).isEqualTo(new Outcome.Unguarded<>(2));
        store.failing = false;
        assertThat(open.once("k", Integer.class, this::effect)).isEqualTo(3);
        assertThat(open.once("k", Integer.class, this::effect)).isEqualTo(3);
    }

    @Test
    void aStoreThatGoesDownDuringTheEffectLeavesTheResultInTheException() {
        Effect<Integer, RuntimeException> breaking = token -> {
            store.failing = true;
            return effects.incrementAndGet();
        };
        assertThatThrownBy(() -> guard().once("k", Integer.class, breaking))
                .isInstanceOfSatisfying(OutcomeNotRecorded.class, e -> {
                    assertThat(e.result()).isEqualTo(1);
                    assertThat(e).hasCauseInstanceOf(StoreUnavailable.class);
                });
        store.failing = false;
        Guard open = built(Guard.on(store).failMode(FailMode.OPEN));
        assertThat(open.once("other", Integer.class, breaking)).isEqualTo(2);
    }

    @Test
    void aStoreThatGoesDownDuringAFailureDoesNotHideIt() {
        assertThatThrownBy(() -> guard().run("k", token -> {
                    store.failing = true;
                    throw new IOException("mine");
                }))
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasOnlyElementsOfType(StoreUnavailable.class));
    }

    @Test
    void aLostAnswerIsAskedForAgain() {
        for (int call = 0; call < 3; call++) {
            store.losing = call + 1;
            assertThat(guard().once("k" + call, Integer.class, this::effect)).isEqualTo(call + 1);
            store.losing = 0;
            assertThat(guard().once("k" + call, Integer.class, this::effect)).isEqualTo(call + 1);
        }
    }

    @Test
    void aHoldThatWasLostIsNoRecordAndAFailureOfItNeither() {
        assertThatThrownBy(() -> guard().once("k", Integer.class, token -> {
                    pass(Duration.ofDays(2));
                    return effects.incrementAndGet();
                }))
                .isInstanceOfSatisfying(
                        OutcomeNotRecorded.class, e -> assertThat(e.result()).isEqualTo(1))
                .hasNoCause();
        assertThatThrownBy(() -> guard().run("k", token -> {
                    pass(Duration.ofDays(2));
                    throw new IOException("mine");
                }))
                .isInstanceOf(IOException.class);
        assertThat(guard().find("k")).isEmpty();
    }

    @Test
    void anEffectThatNestsAGuardAndPassesItsExceptionOnHasFailed() {
        assertThatThrownBy(() -> guard().run("outer", token -> {
                    throw new OutcomeNotRecorded("of another key", "x", null);
                }))
                .isInstanceOf(OutcomeNotRecorded.class);
        assertThat(guard().find("outer").orElseThrow().state()).isEqualTo(GuardState.FAILURE);
    }

    @Test
    void aResultThatCannotBeStoredDoesNotMakeTheEffectRunAgain() {
        String large = "x".repeat(1 << 20);
        assertThat(guard().once("large", String.class, token -> large)).isSameAs(large);
        assertThatThrownBy(() -> guard().once("large", String.class, token -> "small"))
                .isInstanceOf(ResultNotStored.class)
                .hasMessageContaining("\"large\"");
        assertThatThrownBy(() -> guard().lookup("large", String.class)).isInstanceOf(ResultNotStored.class);
        List<Object> circle = new ArrayList<>();
        circle.add(circle);
        assertThat(guard().once("circle", Object.class, token -> circle)).isSameAs(circle);
        assertThatThrownBy(() -> guard().once("circle", Object.class, token -> "small"))
                .isInstanceOf(ResultNotStored.class);
    }

    @Test
    void aStoredResultThatDoesNotFitTheClassIsAnError() {
        guard().once("k", String.class, token -> "secret text");
        assertThatThrownBy(() -> guard().once("k", Receipt.class, token -> new Receipt("o", 1, List.of())))
                .isInstanceOf(InvalidInput.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aResultIsLookedUpByItsKey() {
        assertThat(guard().lookup("k", String.class)).isEmpty();
        guard().once("k", String.class, token -> {
            assertThat(guard().lookup("k", String.class)).isEmpty();
            return "done";
        });
        assertThat(guard().lookup("k", String.class))
                .isEqualTo(Optional.of(
                        new StoredResult<>("done", now.get(), now.get().plus(Duration.ofHours(24)))));
    }

    @Test
    void finishedKeysAreRememberedForAsLongAsTheStoreKeepsThem() {
        Guard remembering = built(Guard.on(store).remember(2).nanos(nanos::get).ttl(Duration.ofMinutes(1)));
        remembering.once("a", Integer.class, this::effect);
        assertThat(remembering.once("a", Integer.class, this::effect)).isEqualTo(1);
        int asked = store.begins.get();
        pass(Duration.ofSeconds(59));
        assertThat(remembering.once("a", Integer.class, this::effect)).isEqualTo(1);
        assertThat(store.begins).hasValue(asked);
        pass(Duration.ofSeconds(1));
        assertThat(remembering.once("a", Integer.class, this::effect)).isEqualTo(2);

        for (String key : List.of("b", "c", "d")) {
            remembering.once(key, Integer.class, this::effect);
            remembering.once(key, Integer.class, this::effect);
        }
        asked = store.begins.get();
        remembering.once("d", Integer.class, this::effect);
        remembering.once("c", Integer.class, this::effect);
        assertThat(store.begins).hasValue(asked);
        remembering.once("b", Integer.class, this::effect);
        assertThat(store.begins).as("only two are remembered").hasValue(asked + 1);
    }

    @Test
    void aLongResultIsNotRemembered() {
        Guard remembering = built(Guard.on(store));
        String text = "x".repeat(FinishedKeys.LONGEST_RESULT);
        remembering.once("a", String.class, token -> text);
        remembering.once("a", String.class, token -> text);
        int asked = store.begins.get();
        assertThat(remembering.once("a", String.class, token -> "other")).isEqualTo(text);
        assertThat(store.begins).hasValue(asked + 1);
    }

    @Test
    void anotherPayloadIsAConflictWithBothHashes() {
        guard().call("k").payload(new Receipt("a", 1, List.of())).once(Integer.class, this::effect);
        assertThat(guard().call("k").payload(new Receipt("a", 1, List.of())).once(Integer.class, this::effect))
                .isEqualTo(1);
        assertThatThrownBy(() -> guard().call("k")
                        .payload(new Receipt("a", 2, List.of()))
                        .once(Integer.class, this::effect))
                .isInstanceOfSatisfying(
                        GuardConflict.class, e -> assertThat(e.existingHash()).isNotEqualTo(e.requestHash()))
                .hasMessageContaining("\"k\"");
        assertThat(effects).hasValue(1);
    }

    @Test
    void everyLookAtAKeyIsObserved() {
        List<CheckResult> seen = new ArrayList<>();
        Guard observed =
                built(Guard.on(store).remember(10).whenBusy(WhenBusy.SKIP).observer((result, took) -> {
                    assertThat(took).isGreaterThanOrEqualTo(Duration.ZERO);
                    seen.add(result);
                }));
        observed.once("k", Integer.class, this::effect);
        observed.once("k", Integer.class, this::effect);
        observed.once("k", Integer.class, this::effect);
        observed.call(input -> "", "x").once(Integer.class, this::effect);
        observed.run("busy", token -> observed.run("busy", this::effect));
        observed.call("p").payload("a").once(Integer.class, this::effect);
        assertThatThrownBy(() -> observed.call("p").payload("b").once(Integer.class, this::effect))
                .isInstanceOf(GuardConflict.class);
        store.failing = true;
        assertThatThrownBy(() -> observed.run("down", this::effect)).isInstanceOf(StoreUnavailable.class);
        assertThat(seen)
                .containsExactly(
                        CheckResult.NEW,
                        CheckResult.DUPLICATE,
                        CheckResult.DUPLICATE,
                        CheckResult.NEW,
                        CheckResult.DUPLICATE,
                        CheckResult.NEW,
                        CheckResult.CONFLICT,
                        CheckResult.ERROR);
    }

    @Test
    void anObserverThatFailsIsIgnored() {
        Guard observed = built(Guard.on(store).observer((result, took) -> {
            throw new IllegalStateException("observer");
        }));
        assertThat(observed.once("k", Integer.class, this::effect)).isEqualTo(1);
    }

    @Test
    void expiredEntriesAreSweptByThemselves() throws Exception {
        guard().call("old").ttl(Duration.ofMillis(1)).once(Integer.class, this::effect);
        pass(Duration.ofSeconds(1));
        store.swept = new CountDownLatch(2);
        built(Guard.on(store).sweepEvery(Duration.ofMillis(5)));
        assertThat(store.swept.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aHoldIsRenewedWhileItsEffectRunsAndAFailedRenewalIsTriedAgain() {
        store.renewals = new CountDownLatch(3);
        Guard guard = built(Guard.on(store).lease(Duration.ofMillis(100)));
        guard.run("k", token -> {
            store.failingRenewals.set(1);
            awaited(store.renewals);
        });
        store.renewals = new CountDownLatch(1);
        guard.run("gone", token -> {
            pass(Duration.ofDays(3));
            awaited(store.renewals);
            pass(Duration.ofDays(-3));
        });
    }

    @Test
    void aGuardThatIsClosedUnderItsCallStillRecords() {
        Guard guard = guard();
        guard.run("k", token -> guard.close());
        assertThat(guard.run("k", this::effect)).isFalse();
        assertThat(guard.run("next", this::effect)).isTrue();
    }

    @Test
    void nothingButADatabaseJoinsATransaction() {
        assertThatThrownBy(() -> Guard.on(new InMemoryGuardStore()).build().joining((java.sql.Connection)
                        java.lang.reflect.Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {java.sql.Connection.class},
                                (proxy, method, arguments) -> null)))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("InMemoryGuardStore");
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A store that fails a given number of times, before or after it has done its work. */
    private static final class BreakableStore implements GuardStore {

        private final GuardStore store;
        private final AtomicInteger begins = new AtomicInteger();
        private volatile boolean failing;
        private volatile int losing;
        private final AtomicInteger failingRenewals = new AtomicInteger();
        private volatile CountDownLatch renewals = new CountDownLatch(0);
        private volatile CountDownLatch swept = new CountDownLatch(0);

        BreakableStore(GuardStore store) {
            this.store = store;
        }

        private <T> T answer(Supplier<T> call) {
            if (failing) {
                throw new StoreUnavailable("down");
            }
            T answer = call.get();
            if (losing == 1) {
                losing = 0;
                throw new StoreUnavailable("lost");
            }
            losing = Math.max(0, losing - 1);
            return answer;
        }

        @Override
        public Begun begin(Hold hold) {
            begins.incrementAndGet();
            return answer(() -> store.begin(hold));
        }

        @Override
        public Settled renew(Hold hold) {
            renewals.countDown();
            if (failingRenewals.getAndSet(0) > 0) {
                throw new StoreUnavailable("down");
            }
            return store.renew(hold);
        }

        @Override
        public Settled finish(Hold hold, String result) {
            return answer(() -> store.finish(hold, result));
        }

        @Override
        public Settled fail(Hold hold, String error) {
            return answer(() -> store.fail(hold, error));
        }

        @Override
        public Optional<GuardEntry> find(GuardKey key) {
            return store.find(key);
        }

        @Override
        public int sweep(int limit) {
            swept.countDown();
            if (swept.getCount() == 1) {
                throw new StoreUnavailable("down");
            }
            return store.sweep(limit);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
