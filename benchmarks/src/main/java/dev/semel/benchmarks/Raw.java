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

/** The raw limit of a storage under the same workloads. Rows are prepared before the clock runs. */
public final class Raw {

    // As many as one batch of ours, so that both share the cost of a commit in the same way.
    private static final int BATCH = Ours.BATCH;

    // Claimed and not yet completed: enough that neither side waits for the other's hiccups.
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
     * A row for a task.
     *
     * @param position which of the rows it is; its id is larger than those before
     * @param number a number of the task's own, which makes its id unlike others
     * @param key its key, or null
     * @param input its input, as JSON
     * @return the row
     */
    public static RawStore.Row row(int position, int number, @Nullable String key, String input) {
        byte[] hash =
                key == null ? null : InputHash.of(Json.parse(input), List.of()).bytes();
        // Rising like the ids of ours, and as wide.
        byte[] id = ByteBuffer.allocate(16)
                .putLong(((MADE_AT + position / 50) << 16) | (position % 50))
                .putLong(number * 0x9E3779B97F4A7C15L)
                .array();
        return new RawStore.Row(id, key, hash, input);
    }

    /**
     * One commit for each row, by one caller or by many with a connection each.
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
     * Callers that share a commit: one writer takes whatever waits and answers after the commit.
     *
     * @param raw where to
     * @param rows the rows
     * @param callers how many threads
     * @param mostlyDuplicates whether to look first and insert what is missing
     * @return how long it took
     */
    public static Lap insertShared(RawStore raw, List<RawStore.Row> rows, int callers, boolean mostlyDuplicates) {
        record Wish(RawStore.Row row, CompletableFuture<Boolean> done) {}
        LinkedBlockingQueue<Wish> wishes = new LinkedBlockingQueue<>();
        Thread writer = Thread.ofPlatform().name("raw-writer").start(() -> {
            List<Wish> group = new ArrayList<>();
            int left = rows.size();
            while (left > 0) {
                try {
                    group.add(wishes.take());
                } catch (InterruptedException e) {
                    return;
                }
                wishes.drainTo(group, BATCH - 1);
                try {
                    raw.insert(group.stream().map(Wish::row).toList(), mostlyDuplicates);
                    group.forEach(wish -> wish.done().complete(true));
                } catch (RuntimeException e) {
                    group.forEach(wish -> wish.done().completeExceptionally(e));
                }
                left -= group.size();
                group.clear();
            }
        });
        // The writer's connection is its own while it writes, and nobody else's before and after.
        Lap took = Callers.run(raw::logged, callers, rows.size(), i -> {
            Wish wish = new Wish(rows.get(i), new CompletableFuture<>());
            wishes.add(wish);
            wish.done().join();
        });
        Callers.join(writer);
        return took;
    }

    /**
     * A thousand rows in a commit.
     *
     * @param raw where to
     * @param rows the rows
     * @param mostlyDuplicates whether to look first and insert what is missing
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
     * Claims and completes so many rows, a thousand at a time; on one thread and connection, or on one for claims and one for
     * completions where that is faster.
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
            throw new IllegalStateException("Of " + limit + " rows that should be due none was");
        }
        return claim;
    }

    /** One thread claims what is due, this one completes it. */
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

    /** Takes what is there, up to the limit. */
    private static int taken(Semaphore due, int limit) {
        int available = Math.min(limit, due.availablePermits());
        return available > 0 && due.tryAcquire(available) ? available : 0;
    }

    /**
     * The whole life of rows: inserted a thousand at a time, claimed and completed; in turns on one thread, or all three at
     * the same time on a thread each where that is faster.
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
                drains.interrupt(); // nothing more comes
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
