package dev.semel.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A host with virtual time and one thread. A started handler runs, to its end, when the test calls {@link #end}. */
final class ManualHost implements WorkerHost {

    private static final Instant BEGIN = Instant.parse("2026-01-27T12:00:00Z");

    private final RandomGenerator random = new SplittableRandom(7);
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final PriorityQueue<Timed> timers = new PriorityQueue<>(Comparator.comparingLong(Timed::at));
    private final Set<Runnable> handlers = new LinkedHashSet<>();
    private Runnable whenStarting = () -> {};
    private boolean stepping;
    private long now;

    private record Timed(long at, Runnable step) {}

    Instant time() {
        return BEGIN.plusNanos(now);
    }

    /** Returns the handlers that were started and have not ended. */
    List<Runnable> running() {
        return List.copyOf(handlers);
    }

    /** Sets what runs whenever a handler is about to start. */
    void whenStarting(Runnable look) {
        whenStarting = look;
    }

    void end(Runnable handler) {
        handlers.remove(handler);
        handler.run();
    }

    void pass(Duration duration) {
        long until = now + duration.toNanos();
        while (!timers.isEmpty() && timers.peek().at() <= until) {
            Timed next = timers.remove();
            now = Math.max(now, next.at());
            execute(next.step());
        }
        now = until;
    }

    @Override
    public InstantSource clock() {
        return this::time;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void execute(Runnable step) {
        steps.add(step);
        if (!stepping) {
            stepping = true;
            while (!steps.isEmpty()) {
                steps.remove().run();
            }
            stepping = false;
        }
    }

    @Override
    public Timer later(Duration delay, Runnable step) {
        Timed timed = new Timed(now + delay.toNanos(), step);
        timers.add(timed);
        return () -> timers.remove(timed);
    }

    @Override
    public <T> void call(Supplier<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        // The answer arrives a moment later, as from a real store.
        later(Duration.ofMillis(1), () -> {
            T answer;
            try {
                answer = call.get();
            } catch (RuntimeException e) {
                failed.accept(e);
                return;
            }
            answered.accept(answer);
        });
    }

    @Override
    public Started start(Runnable handler) {
        whenStarting.run();
        handlers.add(handler);
        return () -> {};
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
        return future.join();
    }
}
