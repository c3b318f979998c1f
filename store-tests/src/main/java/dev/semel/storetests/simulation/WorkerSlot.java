package dev.semel.storetests.simulation;

import dev.semel.engine.WorkerSettings;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A place where a worker process runs, and is started again after each end; and what befalls these processes. */
final class WorkerSlot {

    private final World world;
    private final Lots lots;
    private final int number;
    private @Nullable WorkerProcess process;
    private int lives;

    WorkerSlot(World world, Lots lots, int number) {
        this.world = world;
        this.lots = lots;
        this.number = number;
    }

    void start() {
        lives++;
        // The first one takes everything, so that every task with a handler is somebody's.
        boolean all = number == 1 || lots.chance(0.5);
        WorkerSettings settings = new WorkerSettings(
                "w" + number + "." + lives,
                all ? Set.copyOf(Queueing.ALL) : Set.of(lots.oneOf(Queueing.ALL)),
                lots.between(1, 4),
                lots.oneOf(List.of(0, 2, 100)),
                world.scenario.lease(),
                lots.millis(300, 2_000),
                world.scenario.maxVanished(),
                WorkerSettings.FEWEST_BYTES);
        Set<String> types = all ? Set.copyOf(Handling.TYPES) : Set.of(lots.oneOf(Handling.TYPES));
        process = new WorkerProcess(world, lots.split(), settings, types, () -> {
            process = null;
            world.timeline.after(lots.spread(100, 5_000), null, this::start);
        });
        befall();
    }

    /** One misfortune of this life, or none. */
    private void befall() {
        WorkerProcess victim = process;
        if (victim == null || world.isCalm()) {
            return;
        }
        Scenario.WorkerFaults faults = world.scenario.workerFaults();
        world.timeline.after(lots.spread(100, 20_000), victim, () -> {
            if (world.isCalm()) {
                return;
            }
            int lot = lots.between(0, 3);
            if (lot == 0 && faults.freezes()) {
                victim.freeze(lots.spread(100, 4 * world.scenario.lease().toMillis()));
            } else if (lot == 1 && faults.closes()) {
                victim.close();
            } else if (lot == 2 && faults.clockJumps()) {
                victim.clock().disturb(lots);
                world.trace.line(
                        victim.name(), "CLOCK now shows " + victim.clock().instant());
                world.tally.count(Happening.WORKER_CLOCK_JUMPED);
            } else if (lot == 3 && faults.crashPerEvent() > 0) {
                victim.crash("by chance");
            }
            befall();
        });
    }
}
