package dev.semel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Does numbered things on many platform threads at once, as the threads of a web server would. */
final class Callers {

    private Callers() {}

    /** Does everything from 0 to the number and tells how long it took. */
    static Lap run(int callers, int number, IntConsumer one) {
        if (callers == 1) {
            Lap began = Lap.begin();
            for (int i = 0; i < number; i++) {
                one.accept(i);
            }
            return began.end();
        }
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            threads.add(Thread.ofPlatform().name("caller-" + i).start(() -> {
                try {
                    go.await();
                    for (int mine = next.getAndIncrement(); mine < number; mine = next.getAndIncrement()) {
                        one.accept(mine);
                    }
                } catch (InterruptedException | RuntimeException e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        Lap began = Lap.begin();
        go.countDown();
        threads.forEach(Callers::join);
        Lap took = began.end();
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("A caller failed", thrown);
        }
        return took;
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        }
    }
}
