package dev.semel.benchmarks;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.engine.Worker;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** An instance of Semel on a store, with the measured workloads. It counts created tasks and executions. */
final class SemelRunner implements AutoCloseable {

    /** The number of submissions in one batch. */
    static final int BATCH = 1_000;

    private final StoreUnderTest.Place place;
    private final CountingStore store;
    private final Semel semel;
    private final int size;
    private final AtomicIntegerArray executions;
    private final AtomicLong created = new AtomicLong();

    /**
     * Opens the instance.
     *
     * @param place the place of the store, which the caller closes
     * @param mostTasks the number of tasks that can be counted
     * @param size the number of characters of an input
     */
    SemelRunner(StoreUnderTest.Place place, int mostTasks, int size) {
        this.place = place;
        this.store = new CountingStore(place.open());
        this.semel = Semel.on(store).build();
        this.size = size;
        this.executions = new AtomicIntegerArray(mostTasks);
    }

    /** Begins a lap that counts writes to the storage's log. */
    Lap.Begun begin() {
        return Lap.begin(place::logged);
    }

    CountingStore store() {
        return store;
    }

    Semel semel() {
        return semel;
    }

    private SubmissionRequest<Work, @Nullable Void> request(Item item) {
        SubmissionRequest<Work, @Nullable Void> request = semel.submit(Work.TYPE, Work.of(item.number(), size));
        return item.key() == null ? request : request.idempotencyKey(item.key());
    }

    /** Submits one at a time. */
    Lap submitSingly(List<Item> items, int callers) {
        return Callers.run(place::logged, callers, items.size(), i -> {
            if (request(items.get(i)).send().created()) {
                created.incrementAndGet();
            }
        });
    }

    /** Submits in batches of a thousand. */
    Lap submitInBatches(List<Item> items) {
        Lap.Begun began = Lap.begin(place::logged);
        for (int from = 0; from < items.size(); from += BATCH) {
            List<SubmissionRequest<Work, @Nullable Void>> requests = new ArrayList<>(BATCH);
            for (Item item : items.subList(from, Math.min(items.size(), from + BATCH))) {
                requests.add(request(item));
            }
            for (SubmitOutcome<@Nullable Void> outcome : semel.submitAll(requests)) {
                if (outcome.submission().created()) {
                    created.incrementAndGet();
                }
            }
        }
        return began.end();
    }

    /** Starts a worker with the default settings and a handler that only counts. */
    Worker work() {
        return semel.worker(Work.QUEUE)
                .handle(Work.TYPE, (context, work) -> {
                    executions.incrementAndGet(work.number());
                    return null;
                })
                .start();
    }

    /** Starts a worker whose handler runs a number of effects, each of which only returns its token. */
    Worker workWithEffects(int effects, int handlers) {
        return semel.worker(Work.QUEUE)
                .concurrency(handlers)
                .handle(Work.TYPE, (context, work) -> {
                    executions.incrementAndGet(work.number());
                    for (int i = 0; i < effects; i++) {
                        context.effect("step", i, String.class, token -> token);
                    }
                    return null;
                })
                .start();
    }

    /** Finishes a number of tasks directly in the store, to create history. */
    void finishQuickly(int number) {
        int left = number;
        long claim = System.nanoTime();
        while (left > 0) {
            Claims claims = store.claim(new ClaimRequest(
                    claim++,
                    false,
                    Set.of(Work.QUEUE),
                    null,
                    Math.min(left, BATCH),
                    0,
                    Duration.ofMinutes(5),
                    "history"));
            List<Settlement> settlements = new ArrayList<>(claims.tasks().size());
            for (Claims.Claimed claimed : claims.tasks()) {
                settlements.add(new Settlement.Complete(claimed.lease(), null));
            }
            if (settlements.isEmpty()) {
                throw new IllegalStateException("The history could not be created: " + left + " tasks are not due");
            }
            store.settle(settlements);
            left -= settlements.size();
        }
    }

    /** Fails unless the expected number of submissions created a task. */
    void checkCreated(long expected) {
        if (created.get() != expected) {
            throw new IllegalStateException(
                    "Expected " + expected + " submissions to create a task, but " + created.get() + " did");
        }
    }

    /** Fails unless each of the tasks was executed once and completed once. */
    void checkExecutedOnce(int from, int to) {
        for (int number = from; number < to; number++) {
            if (executions.get(number) != 1) {
                throw new IllegalStateException("Expected one execution of task " + number + ", but it was executed "
                        + executions.get(number) + " times, so the figure is not valid");
            }
        }
    }

    /** Returns how often handlers ran. */
    long executed() {
        long all = 0;
        for (int number = 0; number < executions.length(); number++) {
            all += executions.get(number);
        }
        return all;
    }

    @Override
    public void close() {
        semel.close();
    }
}
