package dev.semel.benchmarks;

import dev.semel.engine.Codec;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The raw limit of a storage under the same workloads. Rows are prepared before the time is taken. */
public final class Raw {

    // As many as in one batch of Semel, so that both divide the cost of a commit in the same way.
    private static final int BATCH = SemelRunner.BATCH;

    // Claimed and not yet completed: enough that neither side waits for a short pause of the other.
    private static final int CLAIMS_UNDER_WAY = 4;

    private static final long MADE_AT = System.currentTimeMillis();

    private Raw() {}

    static List<RawStore.Row> rows(List<Item> items, int size) {
        List<RawStore.Row> rows = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            rows.add(row(i, item.number(), item.key(), Codec.standard().encode(Work.of(item.number(), size))));
        }
        return rows;
    }

    /**
     * Returns a row for a task.
     *
     * @param position the position of the row; ids ascend with it
     * @param number the number of the task, which makes its id unique
     * @param key its key, or null
     * @param input its input, as JSON
     * @return the row
     */
    public static RawStore.Row row(int position, int number, @Nullable String key, String input) {
        byte[] hash =
                key == null ? null : InputHash.of(Json.parse(input), List.of()).bytes();
        // Ascending like Semel's ids, and as wide.
        byte[] id = ByteBuffer.allocate(16)
                .putLong(((MADE_AT + position / 50) << 16) | (position % 50))
                .putLong(number * 0x9E3779B97F4A7C15L)
                .array();
        return new RawStore.Row(id, key, hash, input);
    }

    /**
     * Inserts each row in a separate commit, by one caller or by many with a connection each.
     *
     * @param raw where to
     * @param rows the rows
     * @param callers how many threads
     * @return how long it took
     */
    public static Lap insertSingly(RawStore raw, List<RawStore.Row> rows, int callers) {
        List<List<RawStore.Row>> ones = rows.stream().map(List::of).toList();
        List<RawStore> stores = new ArrayList<>(List.of(raw));
        try {
            while (stores.size() < callers) {
                stores.add(raw.beside());
            }
            ConcurrentLinkedQueue<RawStore> free = new ConcurrentLinkedQueue<>(stores);
            return Callers.run(raw::logged, callers, rows.size(), i -> {
                RawStore mine = free.remove();
                mine.insert(ones.get(i), false);
                free.add(mine);
            });
        } finally {
            stores.subList(1, stores.size()).forEach(RawStore::close);
        }
    }

    /**
     * Inserts rows of many callers in shared commits: one writer takes all waiting rows and answers after the commit.
     *
     * @param raw where to
     * @param rows the rows
     * @param callers how many threads
     * @param mostlyDuplicates whether to look rows up first and insert only missing ones
     * @return how long it took
     */
    public static Lap insertShared(RawStore raw, List<RawStore.Row> rows, int callers, boolean mostlyDuplicates) {
        record Request(RawStore.Row row, CompletableFuture<Boolean> done) {}
        LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
        Thread writer = Thread.ofPlatform().name("raw-writer").start(() -> {
            List<Request> group = new ArrayList<>();
            int left = rows.size();
            while (left > 0) {
                try {
                    group.add(requests.take());
                } catch (InterruptedException e) {
                    return;
                }
                requests.drainTo(group, BATCH - 1);
                try {
                    raw.insert(group.stream().map(Request::row).toList(), mostlyDuplicates);
                    group.forEach(request -> request.done().complete(true));
                } catch (RuntimeException e) {
                    group.forEach(request -> request.done().completeExceptionally(e));
                }
                left -= group.size();
                group.clear();
            }
        });
        // Only the writer uses the connection while it writes.
        Lap took = Callers.run(raw::logged, callers, rows.size(), i -> {
            Request request = new Request(rows.get(i), new CompletableFuture<>());
            requests.add(request);
            request.done().join();
        });
        Callers.join(writer);
        return took;
    }

    /**
     * Inserts a thousand rows in each commit.
     *
     * @param raw where to
     * @param rows the rows
     * @param mostlyDuplicates whether to look rows up first and insert only missing ones
     * @return how long it took
     */
    public static Lap insertInBatches(RawStore raw, List<RawStore.Row> rows, boolean mostlyDuplicates) {
        Lap.Begun began = Lap.begin(raw::logged);
        for (int from = 0; from < rows.size(); from += BATCH) {
            raw.insert(rows.subList(from, Math.min(rows.size(), from + BATCH)), mostlyDuplicates);
        }
        return began.end();
    }

    /**
     * Claims and completes rows, a thousand at a time, on one thread and connection, or, if that is faster, on one for
     * claims and one for completions.
     *
     * @param raw where from
     * @param number how many
     * @return how long it took
     */
    public static Lap drain(RawStore raw, int number) {
        if (!raw.isConcurrent()) {
            Lap.Begun began = Lap.begin(raw::logged);
            drainInTurns(raw, number);
            return began.end();
        }
        try (RawStore claiming = raw.beside()) {
            Lap.Begun began = Lap.begin(raw::logged);
            Semaphore due = new Semaphore(number);
            pipeline(claiming, raw, due, number);
            return began.end();
        }
    }

    private static void drainInTurns(RawStore raw, int number) {
        int left = number;
        while (left > 0) {
            RawStore.Claim claim = some(raw, Math.min(left, BATCH));
            raw.complete(claim);
            left -= claim.tasks().size();
        }
    }

    private static RawStore.Claim some(RawStore raw, int limit) {
        RawStore.Claim claim = raw.claim(limit);
        if (claim.tasks().isEmpty()) {
            throw new IllegalStateException("Expected " + limit + " due rows, but none was due");
        }
        return claim;
    }

    /** Lets another thread claim due rows, and completes them on this one. */
    private static void pipeline(RawStore claiming, RawStore completing, Semaphore due, int number) {
        ArrayBlockingQueue<RawStore.Claim> claims = new ArrayBlockingQueue<>(CLAIMS_UNDER_WAY);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread claimer = Thread.ofPlatform().name("raw-claimer").start(() -> {
            try {
                int left = number;
                while (left > 0) {
                    due.acquire();
                    int wanted = 1 + taken(due, Math.min(left, BATCH) - 1);
                    int got = 0;
                    while (got < wanted) {
                        RawStore.Claim claim = some(claiming, wanted - got);
                        got += claim.tasks().size();
                        claims.put(claim);
                    }
                    left -= wanted;
                }
            } catch (InterruptedException | RuntimeException e) {
                failure.set(e);
            }
        });
        try {
            int left = number;
            while (left > 0) {
                RawStore.Claim claim = claims.poll(10, TimeUnit.MILLISECONDS);
                if (claim != null) {
                    completing.complete(claim);
                    left -= claim.tasks().size();
                } else if (failure.get() != null) {
                    throw new IllegalStateException("The claims failed", failure.get());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while measuring", e);
        } finally {
            claimer.interrupt();
            Callers.join(claimer);
        }
    }

    /** Takes the available permits, up to the limit. */
    private static int taken(Semaphore due, int limit) {
        int available = Math.min(limit, due.availablePermits());
        return available > 0 && due.tryAcquire(available) ? available : 0;
    }

    /**
     * Inserts rows a thousand at a time, claims and completes them: in turns on one thread, or, if that is faster, at
     * the same time on three threads.
     *
     * @param raw where to
     * @param rows the rows
     * @return how long it took
     */
    public static Lap life(RawStore raw, List<RawStore.Row> rows) {
        if (raw.isConcurrent()) {
            return lifeAtOnce(raw, rows);
        }
        Lap.Begun began = Lap.begin(raw::logged);
        for (int from = 0; from < rows.size(); from += BATCH) {
            List<RawStore.Row> batch = rows.subList(from, Math.min(rows.size(), from + BATCH));
            raw.insert(batch, false);
            drainInTurns(raw, batch.size());
        }
        return began.end();
    }

    private static Lap lifeAtOnce(RawStore raw, List<RawStore.Row> rows) {
        try (RawStore claiming = raw.beside();
                RawStore completing = raw.beside()) {
            Semaphore due = new Semaphore(0);
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            Lap.Begun began = Lap.begin(raw::logged);
            Thread drains = Thread.ofPlatform().name("raw-completer").start(() -> {
                try {
                    pipeline(claiming, completing, due, rows.size());
                } catch (RuntimeException e) {
                    failure.set(e);
                }
            });
            try {
                for (int from = 0; from < rows.size(); from += BATCH) {
                    List<RawStore.Row> batch = rows.subList(from, Math.min(rows.size(), from + BATCH));
                    raw.insert(batch, false);
                    due.release(batch.size());
                }
            } catch (RuntimeException e) {
                drains.interrupt(); // no more rows follow
                throw e;
            } finally {
                Callers.join(drains);
            }
            Lap took = began.end();
            if (failure.get() != null) {
                throw new IllegalStateException("The drain failed", failure.get());
            }
            return took;
        }
    }
}
