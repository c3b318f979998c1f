package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Programs that open the store of a guard at the same moment. */
public final class GuardStarts {

    private GuardStarts() {}

    /**
     * Opens a store ten times at once and uses each.
     *
     * @param open opens the store
     * @throws Exception if one of them fails
     */
    public static void together(Callable<GuardStore> open) throws Exception {
        int number = 10;
        CyclicBarrier barrier = new CyclicBarrier(number);
        try (ExecutorService threads = Executors.newFixedThreadPool(number)) {
            List<Future<Boolean>> opened = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                opened.add(threads.submit(() -> {
                    barrier.await();
                    try (GuardStore store = open.call();
                            Guard guard = Guard.on(store).build()) {
                        return guard.run("own-" + Thread.currentThread().threadId(), token -> {});
                    }
                }));
            }
            for (Future<Boolean> each : opened) {
                assertThat(each.get()).isTrue();
            }
        }
    }
}
