package dev.semel.storetests.simulation;

import dev.semel.engine.WorkerSettings;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A place where a worker process runs, and is started again after each end; and what befalls these processes. */
final class WorkerSlot {

    /** What a process is: its settings and its handlers. */
    record Staff(WorkerSettings settings, WorkerProcess.Crew crew) {}

    /** Decides about each life of a process. */
    @FunctionalInterface
    interface Hiring {

        /** Makes the next one. */
        Staff staff(String name, RandomSource randomness);
    }

    private final World world;
    private final RandomSource randomness;
    private final int number;
    private final Hiring hiring;
    private @Nullable WorkerProcess process;
    private int lives;

    WorkerSlot(World world, RandomSource randomness, int number) {
        // The first one takes everything, so that every task with a handler has a worker.
        this(world, randomness, number, (name, random) -> tasks(world, name, number == 1, random));
    }

    WorkerSlot(World world, RandomSource randomness, int number, Hiring hiring) {
        this.world = world;
        this.randomness = randomness;
        this.number = number;
        this.hiring = hiring;
    }

    private static Staff tasks(World world, String name, boolean first, RandomSource randomness) {
        boolean all = first || randomness.chance(0.5);
        WorkerSettings settings = new WorkerSettings(
                name,
                all ? Set.copyOf(Queueing.ALL) : Set.of(randomness.oneOf(Queueing.ALL)),
                randomness.between(1, 4),
                randomness.oneOf(List.of(0, 2, 100)),
                world.scenario.lease(),
                randomness.millis(300, 2_000),
                world.scenario.maxVanished(),
                WorkerSettings.FEWEST_BYTES);
        Set<String> types = all ? Set.copyOf(Handling.TYPES) : Set.of(randomness.oneOf(Handling.TYPES));
        return new Staff(settings, (process, host, own) -> new Handling(world, process, host, own).of(types));
    }

    void start() {
        lives++;
        Staff staff = hiring.staff("w" + number + "." + lives, randomness);
        process = new WorkerProcess(world, randomness.split(), staff.settings(), staff.crew(), () -> {
            process = null;
            world.timeline.after(randomness.spread(100, 5_000), null, this::start);
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
        world.timeline.after(randomness.spread(100, 20_000), victim, () -> {
            if (world.isCalm()) {
                return;
            }
            int choice = randomness.between(0, 3);
            if (choice == 0 && faults.freezes()) {
                victim.freeze(randomness.spread(100, 4 * world.scenario.lease().toMillis()));
            } else if (choice == 1 && faults.closes()) {
                victim.close();
            } else if (choice == 2 && faults.clockJumps()) {
                victim.clock().disturb(randomness);
                world.trace.line(
                        victim.name(), "CLOCK now shows " + victim.clock().instant());
                world.tally.count(Happening.WORKER_CLOCK_JUMPED);
            } else if (choice == 3 && faults.crashPerEvent() > 0) {
                victim.crash("by chance");
            }
            befall();
        });
    }
}
