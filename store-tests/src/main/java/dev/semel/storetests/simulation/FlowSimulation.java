package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.engine.WorkerSettings;
import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.storetests.StoreInvariants;
import dev.semel.storetests.simulation.FlowProgram.Deed;
import dev.semel.testkit.virtualtime.WorldFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One world of workflows, made by a seed: the real engine runs real workflows on virtual time, while processes crash, freeze and are
 * closed, calls and hints are lost, leases are stolen, clocks jump and an operator restarts workflows. When the faults have stopped, every workflow has the result that it
 * has in the same world without faults.
 */
public final class FlowSimulation {

    private static final Duration BUSY = Duration.ofSeconds(25);
    private static final Duration DRAIN = Duration.ofMinutes(5);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int MOST_VANISHED = 1_000;

    /**
     * The result of one seed.
     *
     * @param seed the seed
     * @param results the results of the workflows, by their numbers
     * @param traceHash the same for the same seed, always
     * @param trace what happened, for people
     * @param happenings what happened how often
     * @param violations what is broken; empty if nothing is
     */
    public record Report(
            long seed,
            Map<Integer, String> results,
            String traceHash,
            String trace,
            Map<Happening, Integer> happenings,
            List<Violation> violations) {

        /** Copies. */
        public Report {
            results = Map.copyOf(results);
            happenings = Map.copyOf(happenings);
            violations = List.copyOf(violations);
        }
    }

    private final long seed;
    private final World world;
    private final FlowLedger ledger;
    private final RandomSource randomness;
    private final List<FlowClient> clients = new ArrayList<>();
    private final FlowRestarter restarter;

    private FlowSimulation(
            long seed, Simulation.StoreUnderTest opener, UnaryOperator<Scenario> change, boolean restarts) {
        this.seed = seed;
        this.randomness = new RandomSource(seed);
        // Drawn first, so that a world without faults has the same workflows.
        RandomSource programs = randomness.split();
        this.world = new World(change.apply(Scenario.drawn(randomness.split())), opener, randomness.split());
        this.ledger = new FlowLedger(world);
        world.trace.line("world", "seed " + seed + ": " + world.scenario);
        populate(programs);
        this.restarter = new FlowRestarter(world, randomness.split(), clients);
        if (restarts && world.scenario.operator()) {
            restarter.start();
        }
    }

    /**
     * Runs the world of a seed with faults and without, and compares.
     *
     * @param seed the seed
     * @param opener opens the store
     * @return the result of the world with faults
     */
    public static Report run(long seed, Simulation.StoreUnderTest opener) {
        Report calm = run(seed, opener, Scenario::withoutFaults, false);
        Report report = run(seed, opener, scenario -> scenario, true);
        List<Violation> violations = new ArrayList<>(calm.violations());
        violations.addAll(report.violations());
        calm.results().forEach((number, result) -> {
            String other = report.results().get(number);
            if (other != null && !other.equals(result)) {
                violations.add(new Violation(
                        Invariant.FLOWS,
                        "Workflow " + number + " has result \"" + other + "\", and without faults \"" + result + "\"."
                                + replay(seed)));
            }
        });
        return new Report(seed, report.results(), report.traceHash(), report.trace(), report.happenings(), violations);
    }

    private static Report run(
            long seed, Simulation.StoreUnderTest opener, UnaryOperator<Scenario> change, boolean restarts) {
        FlowSimulation simulation = new FlowSimulation(seed, opener, change, restarts);
        try (TaskStore store = simulation.world.store) {
            return simulation.report(simulation.live());
        } finally {
            simulation.world.end();
        }
    }

    private static String replay(long seed) {
        return "\nSeed " + seed + ". Replay: ./mvnw -pl store-tests -am test -Dtest=FlowSimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dseed=" + seed;
    }

    // ---- who is there

    private void populate(RandomSource programs) {
        NewTask shared = FlowClient.task(
                world,
                programs.split(),
                FlowHandling.SHARED,
                FlowHandling.SHARED,
                Codec.standard().encode(FlowHandling.SHARED_STEP));
        world.store.submit(List.of(shared));
        int flows = programs.between(2, 5);
        for (int number = 1; number <= flows; number++) {
            FlowClient client = add(FlowProgram.drawn(number, programs), programs);
            client.start(programs.spread(1, 8_000));
            client.signalLater();
        }
        if (programs.chance(0.6)) {
            lend(flows + 1, programs);
        }
        for (int i = 1; i <= world.scenario.workers(); i++) {
            slot(i).start();
        }
        if (world.scenario.thief()) {
            new FlowThief(world, randomness.split()).start();
        }
        if (world.scenario.storeJumps()) {
            jumpStoreLater(randomness.split());
        }
    }

    private FlowClient add(FlowProgram program, RandomSource programs) {
        FlowClient client = new FlowClient(world, programs.split(), program);
        clients.add(client);
        return client;
    }

    /** One workflow creates a step, another one joins it, and then the first one gives it up. */
    private void lend(int number, RandomSource programs) {
        FlowClient lender = add(new FlowProgram(number, List.of(Deed.LEND)), programs);
        FlowClient borrower = add(new FlowProgram(number + 1, List.of(Deed.BORROW)), programs);
        lender.start(programs.spread(1, 3_000));
        lender.whenItHasAStep(() -> {
            borrower.start(Duration.ofMillis(1));
            borrower.whenItHasAStep(lender::signalLater);
        });
    }

    private WorkerSlot slot(int number) {
        return new WorkerSlot(world, randomness.split(), number, (name, random) -> {
            WorkerSettings settings = new WorkerSettings(
                    name,
                    Set.of(Queueing.FAST, Queueing.SLOW),
                    random.between(1, 4),
                    random.oneOf(List.of(0, 2)),
                    world.scenario.lease(),
                    random.millis(300, 2_000),
                    MOST_VANISHED,
                    WorkerSettings.FEWEST_BYTES);
            return new WorkerSlot.Staff(
                    settings, (process, host, own) -> new FlowHandling(world, ledger, process, host, own).handlers());
        });
    }

    private void jumpStoreLater(RandomSource own) {
        world.timeline.after(own.millis(3_000, 20_000), null, () -> {
            if (!world.isCalm()) {
                Duration by = own.spread(100, 60_000);
                world.timeline.jumpStore(by);
                world.trace.line("store", "CLOCK jumps by " + by);
                world.tally.count(Happening.STORE_CLOCK_JUMPED);
                jumpStoreLater(own);
            }
        });
    }

    // ---- what happens

    private @Nullable WorldFailure live() {
        try {
            for (long look = LOOK.toNanos(); look < BUSY.toNanos(); look += LOOK.toNanos()) {
                runUntil(look);
            }
            world.calmDown();
            long deadline = world.timeline.now() + DRAIN.toNanos();
            while (world.timeline.now() < deadline && !isOver()) {
                runUntil(Math.min(deadline, world.timeline.now() + LOOK.toNanos()));
            }
            return null;
        } catch (WorldFailure failure) {
            return failure;
        }
    }

    private boolean isOver() {
        return clients.stream().allMatch(client -> client.isDone() && isEnded(client));
    }

    private boolean isEnded(FlowClient client) {
        Task task = world.store.find(List.of(client.taskId())).get(client.taskId());
        return task != null && !task.state().isOpen();
    }

    private void runUntil(long time) {
        world.timeline.runUntil(time);
        try {
            StoreInvariants.check(world.store);
        } catch (AssertionError e) {
            throw new Broken(Invariant.I8, String.valueOf(e.getMessage()), e);
        }
    }

    private Report report(@Nullable WorldFailure failure) {
        List<Violation> violations = new ArrayList<>();
        if (failure != null) {
            Invariant broken = failure instanceof Broken known ? known.invariant() : Invariant.I8;
            violations.add(new Violation(broken, failure.getMessage() + replay(seed)));
        }
        Map<Integer, String> results = new LinkedHashMap<>();
        FlowRules rules = new FlowRules(world, ledger, clients, restarter.sent());
        rules.check(failure == null)
                .forEach(broken -> violations.add(new Violation(broken.invariant(), broken.message() + replay(seed))));
        for (FlowClient client : clients) {
            Task task = world.store.find(List.of(client.taskId())).get(client.taskId());
            if (task != null && task.progress().result() != null) {
                results.put(client.program().number(), task.progress().result());
            }
        }
        return new Report(seed, results, world.trace.hash(), world.trace.text(), world.tally.counts(), violations);
    }
}
