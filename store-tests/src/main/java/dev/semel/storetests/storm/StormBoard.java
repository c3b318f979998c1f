package dev.semel.storetests.storm;

import dev.semel.store.Operation;
import dev.semel.task.Identity;
import dev.semel.task.TaskId;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** What actors have seen lately and others may act on: tasks, dead letters and effects with unknown outcome. */
final class StormBoard {

    private static final int PLACES = 24;
    private static final int FLOWS = 12;

    /** A task with the identity that it may have. */
    record Seen(TaskId id, @Nullable Identity identity) {}

    private final AtomicReferenceArray<Seen> tasks = new AtomicReferenceArray<>(PLACES);
    private final AtomicReferenceArray<Operation.Redrive> dead = new AtomicReferenceArray<>(PLACES);
    private final AtomicReferenceArray<Operation.Resolve> unknown = new AtomicReferenceArray<>(PLACES);
    private final AtomicReferenceArray<TaskId> flows = new AtomicReferenceArray<>(FLOWS);
    private final AtomicInteger bulks = new AtomicInteger();

    void seen(TaskId id, @Nullable Identity identity, SplittableRandom random) {
        tasks.set(random.nextInt(PLACES), new Seen(id, identity));
    }

    void died(Operation.Redrive redrive, SplittableRandom random) {
        dead.set(random.nextInt(PLACES), redrive);
    }

    void leftUnknown(Operation.Resolve resolve, SplittableRandom random) {
        unknown.set(random.nextInt(PLACES), resolve);
    }

    void sawFlow(TaskId id, SplittableRandom random) {
        flows.set(random.nextInt(FLOWS), id);
    }

    /** A workflow that was seen lately. */
    @Nullable
    TaskId flow(SplittableRandom random) {
        return flows.get(random.nextInt(FLOWS));
    }

    /** The number of the next large batch: in turn one that was never used, and the one before again. */
    int nextBulk() {
        return bulks.getAndIncrement() / 2;
    }

    /** A number of a large batch that was used lately. */
    int recentBulk(SplittableRandom random) {
        return Math.max(0, bulks.get() / 2 - 1 - random.nextInt(2));
    }

    @Nullable
    Seen task(SplittableRandom random) {
        return tasks.get(random.nextInt(PLACES));
    }

    Operation.@Nullable Redrive dead(SplittableRandom random) {
        return dead.get(random.nextInt(PLACES));
    }

    Operation.@Nullable Resolve unknown(SplittableRandom random) {
        return unknown.get(random.nextInt(PLACES));
    }
}
