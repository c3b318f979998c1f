package dev.semel.storetests.simulation;

import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.StoreInvariants;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import dev.semel.testkit.virtualtime.WorldFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One world, made by a seed: submitters, workers, schedulers, an operator, a clerk and a lease thief on one store, on virtual time. Things go wrong for a while, then they stop going wrong, and then all that is open must end.
 */
public final class Simulation {

    // What is still open when the faults stop may need all its retries, snoozes and vanished attempts, one after the
    // other.
    private static final Duration DRAIN = Duration.ofMinutes(3);
    private static final Duration DRAIN_PER_TASK = Duration.ofSeconds(20);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int CALM_LOOKS = 6;

    private static final Set<TaskState> OPEN = Set.of(TaskState.PENDING, TaskState.RUNNING, TaskState.WAITING);

    private final long seed;
    private final World world;
    private final Queueing queueing;
    private final List<Submitter> submitters = new ArrayList<>();

    /** How the store to be tested is opened. */
    @FunctionalInterface
    public interface StoreUnderTest {

        /**
         * Opens a fresh, empty store.
         *
         * @param clock the store's only notion of now
         * @return the store
         */
        TaskStore open(ManualClock clock);
    }

    private Simulation(long seed, StoreUnderTest opener, UnaryOperator<Scenario> change) {
        this.seed = seed;
        RandomSource randomness = new RandomSource(seed);
        this.world = new World(change.apply(Scenario.drawn(randomness.split())), opener, randomness.split());
        this.queueing = new Queueing(world);
        world.trace.line("world", "seed " + seed + ": " + world.scenario);
        populate(randomness);
    }

    /**
     * Runs the world of a seed from beginning to end and checks it.
     *
     * @param seed the seed
     * @param opener opens the store
     * @return the result
     */
    public static SimulationReport run(long seed, StoreUnderTest opener) {
        return run(seed, opener, scenario -> scenario);
    }

    /** The world of a seed, changed. */
    static SimulationReport run(long seed, StoreUnderTest opener, UnaryOperator<Scenario> change) {
        Simulation simulation = new Simulation(seed, opener, change);
        try (TaskStore store = simulation.world.store) {
            return simulation.report(simulation.live());
        } finally {
            simulation.world.end();
        }
    }

    /**
     * The command that replays a seed.
     *
     * @param seed the seed
     * @return a line for the shell
     */
    public static String replay(long seed) {
        return "./mvnw -pl store-tests -am test -Dtest=SimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dseed="
                + seed;
    }

    private void populate(RandomSource randomness) {
        Scenario scenario = world.scenario;
        queueing.declare();
        for (int i = 1; i <= scenario.submitters(); i++) {
            Submitter submitter = new Submitter(world, randomness.split(), i);
            submitters.add(submitter);
            submitter.start();
        }
        for (int i = 1; i <= scenario.workers(); i++) {
            new WorkerSlot(world, randomness.split(), i).start();
        }
        if (scenario.thief()) {
            new LeaseThief(world, randomness.split()).start();
        }
        new Clerk(world, randomness.split()).start();
        if (scenario.operator()) {
            new Operator(world, randomness.split()).start();
        }
        if (scenario.storeJumps()) {
            jumpStoreLater(randomness.split());
        }
        // Last, so that the rest of a seed's world is the same with and without them.
        int tickers = randomness.between(0, 3);
        for (int i = 1; i <= tickers; i++) {
            new Ticker(world, randomness.split(), i).start();
        }
    }

    private void jumpStoreLater(RandomSource randomness) {
        world.timeline.after(randomness.millis(5_000, 40_000), null, () -> {
            if (!world.isCalm()) {
                Duration by = randomness.spread(100, 120_000);
                world.timeline.jumpStore(by);
                world.trace.line("store", "CLOCK jumps by " + by);
                world.tally.count(Happening.STORE_CLOCK_JUMPED);
                jumpStoreLater(randomness);
            }
        });
    }

    /** Runs all events, and returns what broke in the middle, if anything did. */
    private @Nullable WorldFailure live() {
        try {
            long end = world.scenario.busy().toNanos();
            for (long look = LOOK.toNanos(); look < end; look += LOOK.toNanos()) {
                runUntil(look);
            }
            runUntil(end);
            world.calmDown();
            drain();
            return null;
        } catch (WorldFailure failure) {
            return failure;
        }
    }

    private void drain() {
        // Seldom enough to cost nothing, often enough to stop soon after the last task has ended.
        long deadline = world.timeline.now()
                + DRAIN.plus(DRAIN_PER_TASK.multipliedBy(open().size())).toNanos();
        for (int looks = 1; world.timeline.now() < deadline && (isUnderWay() || hasWork()); looks++) {
            queueing.resume();
            world.timeline.runUntil(Math.min(deadline, world.timeline.now() + LOOK.toNanos()));
            if (looks % CALM_LOOKS == 0) {
                checkStore(); // seldom, because it costs more than the little that still happens
            }
        }
        checkStore();
    }

    private boolean isUnderWay() {
        return submitters.stream().anyMatch(submitter -> submitter.underWay() > 0);
    }

    private boolean hasWork() {
        return open().stream().anyMatch(task -> Handling.TYPES.contains(task.type()));
    }

    private List<Task> open() {
        return world.store
                .list(new TaskQuery(null, null, null, OPEN, null, null, TaskQuery.MAX_LIMIT))
                .tasks();
    }

    private void runUntil(long time) {
        world.timeline.runUntil(time);
        checkStore();
    }

    private void checkStore() {
        try {
            StoreInvariants.check(world.store);
        } catch (AssertionError e) {
            throw new Broken(Invariant.I8, String.valueOf(e.getMessage()), e);
        }
    }

    private SimulationReport report(@Nullable WorldFailure failure) {
        Evidence evidence = new Evidence(world);
        List<Violation> violations = new ArrayList<>();
        if (failure != null) {
            Invariant broken = broken(failure);
            String message = String.valueOf(failure.getMessage());
            violations.add(new Violation(broken, message + "\nReplay: " + replay(seed)));
            world.trace.line("world", "BROKEN " + broken + " " + message);
        }
        // Also after a break: what the histories say is often more to the point.
        violations.addAll(new Checker(evidence, world.wording, seed, failure == null).check());
        Tally tally = world.tally;
        Outcomes.count(evidence, tally);
        return new SimulationReport(
                seed,
                world.timeline.happened(),
                world.sentIds.size(),
                world.trace.hash(),
                world.trace.text(),
                tally.counts(),
                violations);
    }

    private static Invariant broken(WorldFailure failure) {
        return switch (failure) {
            case Broken broken -> broken.invariant();
            case WorldFailure.Endless endless -> Invariant.I7;
            default -> Invariant.I8;
        };
    }
}
