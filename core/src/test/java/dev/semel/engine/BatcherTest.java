package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.task.StoreUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BatcherTest {

    private static final Executor CALLERS = task -> Thread.ofPlatform().daemon().start(task);

    /** A call that blocks until the test completes {@code free}. */
    private record Held(List<Integer> items, CompletableFuture<Void> free) {}

    private final LinkedBlockingQueue<Held> begun = new LinkedBlockingQueue<>();

    private List<String> held(List<Integer> items) {
        Held held = new Held(items, new CompletableFuture<>());
        begun.add(held);
        held.free().join();
        return items.stream().map(String::valueOf).toList();
    }

    private Held next() throws InterruptedException {
        Held held = begun.poll(30, TimeUnit.SECONDS);
        assertThat(held).as("a call").isNotNull();
        return held;
    }

    private static CompletableFuture<String> call(Batcher<Integer, String> batcher, int item) {
        return CompletableFuture.supplyAsync(() -> batcher.call(item), CALLERS);
    }

    /** Submits items one by one, each after the previous one waits, so that their order is known. */
    private static List<CompletableFuture<String>> callInOrder(Batcher<Integer, String> batcher, int from, int number) {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            int waiting = batcher.waiting();
            calls.add(call(batcher, from + i));
            while (batcher.waiting() == waiting) {
                Thread.onSpinWait();
            }
        }
        return calls;
    }

    @Test
    void itemsThatArriveDuringACallFormTheNextBatch() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(100, 1_000, 1, CALLERS, item -> 1, this::held);
        CompletableFuture<String> first = call(batcher, 0);
        Held alone = next();
        assertThat(alone.items()).containsExactly(0);
        List<CompletableFuture<String>> others = callInOrder(batcher, 1, 2 * Batcher.ENOUGH);
        assertThat(begun).as("one call at a time").isEmpty();
        alone.free().complete(null);
        Held second = next();
        assertThat(second.items())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 2 * Batcher.ENOUGH).boxed().toList());
        second.free().complete(null);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("0");
        assertThat(others.getLast().get(30, TimeUnit.SECONDS)).isEqualTo("" + 2 * Batcher.ENOUGH);
    }

    @Test
    void aCallForManyCallersIsFollowedByAWaitForThreeQuartersOfThem() throws Exception {
        Batcher<Integer, String> batcher = gathering(TimeUnit.MINUTES.toNanos(10));
        List<CompletableFuture<String>> first = answered(batcher, Batcher.MANY);
        assertThat(first.getLast().get(30, TimeUnit.SECONDS)).isEqualTo("" + Batcher.MANY);
        int enough = Batcher.MANY * 3 / 4;
        List<CompletableFuture<String>> some = callInOrder(batcher, 100, enough - 1);
        assertThat(begun).as("too few callers for the next call").isEmpty();
        some.add(call(batcher, 100 + enough - 1));
        Held second = next();
        assertThat(second.items()).hasSize(enough).startsWith(100);
        second.free().complete(null);
        assertThat(some.getLast().get(30, TimeUnit.SECONDS)).isEqualTo("" + (100 + enough - 1));
    }

    @Test
    void theWaitForManyCallersEndsWithItsTime() throws Exception {
        Batcher<Integer, String> batcher = gathering(1);
        assertThat(answered(batcher, Batcher.MANY).getLast().get(30, TimeUnit.SECONDS))
                .isEqualTo("" + Batcher.MANY);
        CompletableFuture<String> later = call(batcher, 100);
        next().free().complete(null);
        assertThat(later.get(30, TimeUnit.SECONDS)).isEqualTo("100");
    }

    @Test
    void aCallForFewCallersIsFollowedByTheNextAtOnce() throws Exception {
        Batcher<Integer, String> batcher = gathering(TimeUnit.MINUTES.toNanos(10));
        assertThat(answered(batcher, Batcher.MANY - 1).getLast().get(30, TimeUnit.SECONDS))
                .isEqualTo("" + (Batcher.MANY - 1));
        CompletableFuture<String> later = call(batcher, 100);
        next().free().complete(null);
        assertThat(later.get(30, TimeUnit.SECONDS)).isEqualTo("100");
    }

    private Batcher<Integer, String> gathering(long nanos) {
        return new Batcher<>(100, 1_000, 1, CALLERS, item -> 1, this::held, nanos);
    }

    /** Sends a call with one item and then one with so many, 1 and more, and lets both end. */
    private List<CompletableFuture<String>> answered(Batcher<Integer, String> batcher, int number) throws Exception {
        CompletableFuture<String> alone = call(batcher, 0);
        Held first = next();
        List<CompletableFuture<String>> others = callInOrder(batcher, 1, number);
        first.free().complete(null);
        Held second = next();
        assertThat(second.items()).hasSize(number);
        second.free().complete(null);
        assertThat(alone.get(30, TimeUnit.SECONDS)).isEqualTo("0");
        return others;
    }

    @Test
    void aSecondCallIsSentInParallelIfEnoughCallersWaitButNeverAThird() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(100, 1_000, 2, CALLERS, item -> 1, this::held);
        CompletableFuture<String> unused = call(batcher, 0);
        Held first = next();
        List<CompletableFuture<String>> some = callInOrder(batcher, 1, Batcher.ENOUGH - 1);
        assertThat(begun).as("too few callers for a second call").isEmpty();
        CompletableFuture<String> enough = call(batcher, Batcher.ENOUGH);
        Held second = next();
        assertThat(second.items()).hasSize(Batcher.ENOUGH).startsWith(1);
        List<CompletableFuture<String>> more = callInOrder(batcher, 100, 2 * Batcher.ENOUGH);
        assertThat(begun).as("no third call").isEmpty();
        second.free().complete(null);
        assertThat(enough.get(30, TimeUnit.SECONDS)).isEqualTo("" + Batcher.ENOUGH);
        assertThat(some.getFirst().get(30, TimeUnit.SECONDS)).isEqualTo("1");
        Held third = next();
        assertThat(third.items()).hasSize(2 * Batcher.ENOUGH).startsWith(100);
        first.free().complete(null);
        third.free().complete(null);
        assertThat(more.getLast().get(30, TimeUnit.SECONDS)).isEqualTo("" + (100 + 2 * Batcher.ENOUGH - 1));
    }

    @Test
    void aBatchIsBoundedAndTheRestFollows() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(2, 1_000, 1, CALLERS, item -> 1, this::held);
        CompletableFuture<String> unused = call(batcher, 0);
        Held first = next();
        List<CompletableFuture<String>> others = callInOrder(batcher, 1, 3);
        first.free().complete(null);
        Held second = next();
        assertThat(second.items()).containsExactly(1, 2);
        second.free().complete(null);
        Held third = next();
        assertThat(third.items()).containsExactly(3);
        third.free().complete(null);
        assertThat(others.getLast().get(30, TimeUnit.SECONDS)).isEqualTo("3");
    }

    @Test
    void aFailureIsReportedToAllCallersOfItsBatchAndTheNextBatchIsSent() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Batcher<Integer, String> batcher = new Batcher<>(100, 1_000, 2, CALLERS, item -> 1, items -> {
            if (calls.incrementAndGet() == 2) {
                throw new IllegalStateException("broken");
            }
            return held(items);
        });
        CompletableFuture<String> unused = call(batcher, 0);
        Held first = next();
        List<CompletableFuture<String>> failing = callInOrder(batcher, 1, 3);
        first.free().complete(null);
        for (CompletableFuture<String> one : failing) {
            assertThatThrownBy(() -> one.get(30, TimeUnit.SECONDS)).hasMessageContaining("broken");
        }
        CompletableFuture<String> after = call(batcher, 7);
        next().free().complete(null);
        assertThat(after.get(30, TimeUnit.SECONDS)).isEqualTo("7");
    }

    /** A caller on a thread that can be interrupted. */
    private static final class Caller {

        private final CompletableFuture<String> answer = new CompletableFuture<>();
        private final AtomicBoolean staysInterrupted = new AtomicBoolean();
        private final Thread thread;

        Caller(Batcher<Integer, String> batcher, int item) {
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    answer.complete(batcher.call(item));
                } catch (Throwable e) {
                    staysInterrupted.set(Thread.currentThread().isInterrupted());
                    answer.completeExceptionally(e);
                }
            });
        }

        void interruptAndExpect(String message) {
            thread.interrupt();
            assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining(message)
                    .hasCauseInstanceOf(InterruptedException.class);
            assertThat(staysInterrupted)
                    .as("the interrupt flag is kept for the caller")
                    .isTrue();
        }
    }

    @Test
    void anInterruptEndsOnlyTheWaitOfItsOwnCaller() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(3, 1_000, 1, CALLERS, item -> 1, this::interruptibly);
        CompletableFuture<String> first = call(batcher, 0);
        Held alone = next();
        Caller sent = new Caller(batcher, 1);
        awaitWaiting(batcher, 1);
        List<CompletableFuture<String>> strangers = callInOrder(batcher, 2, 2);
        Caller unsent = new Caller(batcher, 4);
        awaitWaiting(batcher, 4);
        alone.free().complete(null);
        Held shared = next();
        assertThat(shared.items()).containsExactly(1, 2, 3);
        sent.interruptAndExpect("is not known");
        unsent.interruptAndExpect("was not accepted");
        assertThat(batcher.waiting()).isZero();
        shared.free().complete(null);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("0");
        for (int i = 0; i < strangers.size(); i++) {
            assertThat(strangers.get(i).get(30, TimeUnit.SECONDS)).isEqualTo("" + (2 + i));
        }
    }

    @Test
    void aSingleCallerGetsTheSameErrorWhenItIsInterrupted() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(100, 1_000, 1, CALLERS, item -> 1, this::interruptibly);
        Caller alone = new Caller(batcher, 0);
        Held carried = next();
        CompletableFuture<String> stranger = callInOrder(batcher, 1, 1).getFirst();
        alone.interruptAndExpect("is not known");
        carried.free().complete(null);
        next().free().complete(null);
        assertThat(stranger.get(30, TimeUnit.SECONDS)).isEqualTo("1");
    }

    @Test
    void withoutAThreadAllWaitingCallersFailAndALaterCallerIsServed() throws Exception {
        Batcher<Integer, String> batcher = new Batcher<>(
                100,
                1_000,
                1,
                task -> {
                    throw new OutOfMemoryError("no thread");
                },
                item -> 1,
                this::held);
        CompletableFuture<String> first = call(batcher, 0);
        Held alone = next();
        List<CompletableFuture<String>> others = callInOrder(batcher, 1, 3);
        alone.free().complete(null);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("0");
        for (CompletableFuture<String> other : others) {
            assertThatThrownBy(() -> other.get(30, TimeUnit.SECONDS)).hasMessageContaining("nothing was sent");
        }
        CompletableFuture<String> later = call(batcher, 9);
        next().free().complete(null);
        assertThat(later.get(30, TimeUnit.SECONDS)).isEqualTo("9");
    }

    /** Blocks like a store whose driver reacts to interrupts. */
    private List<String> interruptibly(List<Integer> items) {
        Held held = new Held(items, new CompletableFuture<>());
        begun.add(held);
        try {
            held.free().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("The connection broke", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return items.stream().map(String::valueOf).toList();
    }

    private static void awaitWaiting(Batcher<Integer, String> batcher, int number) {
        while (batcher.waiting() < number) {
            Thread.onSpinWait();
        }
    }

    @Test
    void manyConcurrentCallersEachGetTheirOwnAnswer() throws Exception {
        for (int most : List.of(1, 2, 3)) {
            AtomicInteger underWay = new AtomicInteger();
            AtomicInteger mostUnderWay = new AtomicInteger();
            ConcurrentHashMap<Integer, Integer> times = new ConcurrentHashMap<>();
            Batcher<Integer, String> batcher = new Batcher<>(20, 40, most, CALLERS, item -> 1, items -> {
                mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                items.forEach(item -> times.merge(item, 1, Integer::sum));
                underWay.decrementAndGet();
                return items.stream().map(String::valueOf).toList();
            });
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int caller = 0; caller < 64; caller++) {
                int from = caller * 200;
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int item = from; item < from + 200; item++) {
                                assertThat(batcher.call(item)).isEqualTo("" + item);
                            }
                        },
                        CALLERS));
            }
            CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            assertThat(times).hasSize(64 * 200);
            assertThat(times.values()).allMatch(count -> count == 1);
            assertThat(mostUnderWay.get()).isBetween(1, most);
            assertThat(batcher.waiting()).isZero();
        }
    }
}
