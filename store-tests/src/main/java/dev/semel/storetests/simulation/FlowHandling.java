package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.engine.Handlers;
import dev.semel.engine.TaskContext;
import dev.semel.engine.TypeSteps;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.testkit.virtualtime.SimulatedHost;
import dev.semel.workflow.Flow;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The workflows and steps of one worker process. */
final class FlowHandling {

    /** The type of the workflows; the checks of what is stored know them by the beginning of its name. */
    static final String FLOW = "workflow-simulated";

    static final String STEP = "step";
    static final String SHARED = "shared";

    // No budget ends a task: it is retried until the faults stop, so the result is that without faults.
    private static final RetryPolicy PATIENT =
            RetryPolicy.delays(Collections.nCopies(100, Duration.ofMillis(300)).toArray(Duration[]::new));

    private static final TaskType<FlowStep, String> STEPS = TaskType.builder(STEP, FlowStep.class, String.class)
            .queue(Queueing.FAST)
            .retry(PATIENT)
            .build();
    private static final TaskType<FlowStep, String> SHARED_STEPS = TaskType.builder(
                    SHARED, FlowStep.class, String.class)
            .queue(Queueing.SLOW)
            .retry(PATIENT)
            .build();
    static final WorkflowType<FlowProgram, String> FLOWS =
            WorkflowType.of(TaskType.builder(FLOW, FlowProgram.class, String.class)
                    .queue(Queueing.FAST)
                    .retry(PATIENT)
                    .build());

    /**
     * The input of a step.
     *
     * @param name what it is, the same in every replay
     * @param takes how long it takes, in milliseconds
     */
    record FlowStep(String name, int takes) {}

    /** Takes so long that it is open when the one who started it gives it up. */
    private static final FlowStep LENT = new FlowStep("lent", 20_000);

    /** The step whose key a task has that no workflow created. */
    static final FlowStep SHARED_STEP = new FlowStep("shared", 2_000);

    private final FlowLedger ledger;
    private final World world;
    private final WorkerProcess process;
    private final SimulatedHost host;
    private final RandomSource randomness;

    FlowHandling(World world, FlowLedger ledger, WorkerProcess process, SimulatedHost host, RandomSource randomness) {
        this.world = world;
        this.ledger = ledger;
        this.process = process;
        this.host = host;
        this.randomness = randomness;
    }

    Handlers handlers() {
        Handlers.Builder handlers = Handlers.builder();
        handlers.add(STEPS, this::step);
        handlers.add(SHARED_STEPS, this::step);
        FLOWS.register(handlers, this::run, TypeSteps.of(Codec.standard(), host.clock(), randomness.generator()));
        return handlers.build();
    }

    /** Pays for a step, and returns what depends on its input alone. */
    private String step(TaskContext context, FlowStep step) throws InterruptedException {
        world.trace.line(process.name(), "step " + step.name() + "/" + context.attempt());
        ledger.began(
                new FlowLedger.Visit(step.name(), context.taskId(), context.attempt(), false, context.token("pay")));
        host.pause(Duration.ofMillis(1 + randomness.between(0, step.takes())));
        ledger.paid(context.token("pay"));
        host.pause(Duration.ofMillis(1 + randomness.between(0, 20)));
        return "done " + step.name();
    }

    private String run(Flow flow, FlowProgram program) throws Exception {
        List<String> results = new ArrayList<>(program.results());
        for (int i = program.first(); i < program.deeds().size(); i++) {
            int position = i;
            String name = program.number() + "." + position;
            results.add(
                    switch (program.deeds().get(i)) {
                        case STEP -> flow.run(STEPS, quick(name));
                        case ALL -> all(flow, name);
                        case ANY -> any(flow, name);
                        case LOCAL -> flow.local("local-" + position, String.class, token -> local(flow, name, token));
                        case ANEW -> {
                            world.tally.count(Happening.CONTINUED_AS_NEW);
                            yield flow.continueAsNew(program.from(position + 1, results));
                        }
                        case SLEEP -> {
                            flow.sleep(Duration.ofMillis(500));
                            yield "slept";
                        }
                        case SIGNAL -> "signal " + flow.signal("go", Integer.class);
                        case GIVE_UP -> {
                            Step<String> slow = flow.start(STEPS, new FlowStep(name, 60_000));
                            flow.sleep(Duration.ofMillis(50));
                            flow.abandon(slow);
                            yield "gave up";
                        }
                        case SHARED -> flow.run(SHARED_STEPS, SHARED_STEP, options -> options.idempotencyKey(SHARED));
                        case GIVE_UP_SHARED -> {
                            Step<String> shared =
                                    flow.start(SHARED_STEPS, SHARED_STEP, options -> options.idempotencyKey(SHARED));
                            flow.abandon(shared);
                            yield "gave up what is shared";
                        }
                        case LEND -> {
                            Step<String> lent = flow.start(STEPS, LENT, options -> options.idempotencyKey(LENT.name()));
                            Integer said = flow.signal("go", Integer.class);
                            flow.abandon(lent);
                            yield "lent, signal " + said;
                        }
                        case BORROW -> flow.run(STEPS, LENT, options -> options.idempotencyKey(LENT.name()));
                    });
        }
        return String.join(", ", results);
    }

    private static FlowStep quick(String name) {
        return new FlowStep(name, 300);
    }

    private static String all(Flow flow, String name) {
        List<Step<String>> steps = new ArrayList<>();
        for (String part : List.of("a", "b", "c")) {
            steps.add(flow.start(STEPS, quick(name + part)));
        }
        flow.all(steps);
        List<String> results = new ArrayList<>();
        steps.forEach(step -> results.add(step.result()));
        return results.toString();
    }

    /** Which of the two is first depends on the world; what both give together does not. */
    private static String any(Flow flow, String name) {
        Step<String> one = flow.start(STEPS, quick(name + "x"));
        Step<String> other = flow.start(STEPS, quick(name + "y"));
        flow.any(one, other);
        return one.result() + " " + other.result();
    }

    private String local(Flow flow, String name, String token) throws InterruptedException {
        world.trace.line(process.name(), "local step " + name);
        ledger.began(new FlowLedger.Visit(name, flow.taskId(), 0, true, token));
        host.pause(Duration.ofMillis(1 + randomness.between(0, 300)));
        ledger.paid(token);
        return "did " + name;
    }
}
