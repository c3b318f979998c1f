package dev.semel.benchmarks;

import dev.semel.engine.Codec;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** The raw limit of a storage under the same workloads. Rows are prepared before the clock runs. */
final class Raw {

    // As many as one batch of ours, so that both share the cost of a commit in the same way.
    private static final int BATCH = Ours.BATCH;

    private Raw() {}

    static List<RawStore.Row> rows(List<Item> items, int size) {
        List<RawStore.Row> rows = new ArrayList<>(items.size());
        long millis = System.currentTimeMillis();
        for (int i = 0; i < items.size(); i++) {
            Item item = items.get(i);
            String input = Codec.standard().encode(Work.of(item.number(), size));
            byte[] hash = item.key() == null
                    ? null
                    : InputHash.of(Json.parse(input), List.of()).bytes();
            // Rising like the ids of ours, and as wide.
            byte[] id = ByteBuffer.allocate(16)
                    .putLong(((millis + i / 50) << 16) | (i % 50))
                    .putLong(item.number() * 0x9E3779B97F4A7C15L)
                    .array();
            rows.add(new RawStore.Row(id, item.key(), hash, input));
        }
        return rows;
    }

    /** One commit for each row. */
    static Lap insertSingly(RawStore raw, List<RawStore.Row> rows) {
        List<List<RawStore.Row>> ones = rows.stream().map(List::of).toList();
        Lap began = Lap.begin();
        for (List<RawStore.Row> one : ones) {
            raw.insert(one, false);
        }
        return began.end();
    }

    /** Callers that share a commit: one writer takes whatever waits and answers after the commit. */
    static Lap insertShared(RawStore raw, List<RawStore.Row> rows, int callers, boolean mostlyDuplicates) {
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
                raw.insert(group.stream().map(Wish::row).toList(), mostlyDuplicates);
                group.forEach(wish -> wish.done().complete(true));
                left -= group.size();
                group.clear();
            }
        });
        Lap took = Callers.run(callers, rows.size(), i -> {
            Wish wish = new Wish(rows.get(i), new CompletableFuture<>());
            wishes.add(wish);
            wish.done().join();
        });
        Callers.join(writer);
        return took;
    }

    /** A thousand rows in a commit. */
    static Lap insertInBatches(RawStore raw, List<RawStore.Row> rows, boolean mostlyDuplicates) {
        Lap began = Lap.begin();
        for (int from = 0; from < rows.size(); from += BATCH) {
            raw.insert(rows.subList(from, Math.min(rows.size(), from + BATCH)), mostlyDuplicates);
        }
        return began.end();
    }

    /** Claims and completes so many rows, a thousand at a time. */
    static Lap drain(RawStore raw, int number) {
        Lap began = Lap.begin();
        int left = number;
        while (left > 0) {
            int done = raw.claimAndComplete(Math.min(left, BATCH));
            if (done == 0) {
                throw new IllegalStateException(left + " rows were not due");
            }
            left -= done;
        }
        return began.end();
    }

    /** Inserts a thousand, claims them, completes them, and so on. */
    static Lap life(RawStore raw, List<RawStore.Row> rows) {
        Lap began = Lap.begin();
        for (int from = 0; from < rows.size(); from += BATCH) {
            List<RawStore.Row> batch = rows.subList(from, Math.min(rows.size(), from + BATCH));
            raw.insert(batch, false);
            drain(raw, batch.size());
        }
        return began.end();
    }
}
