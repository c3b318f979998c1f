package dev.semel.benchmarks;

import dev.semel.Semel;
import dev.semel.SubmissionRequest;
import dev.semel.SubmitOutcome;
import dev.semel.engine.Worker;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.Step;
import dev.semel.workflow.WorkflowType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;

/** An instance of Semel on a store, with workflows whose steps do nothing but say that they run. */
final class WorkflowRunner implements AutoCloseable {

    /**
     * The input of a workflow.
     *
     * @param first the number of its first step
     * @param steps the number of its steps
     */
    record Plan(int first, int steps) {}

    /** A workflow with local steps. */
    static final WorkflowType<Plan, Integer> LOCAL = type("local-steps", Plan.class);

    /** A workflow with steps that are tasks. */
    static final WorkflowType<Plan, Integer> QUEUED = type("queued-steps", Plan.class);

    /** A workflow that starts all its steps and then gathers their results. */
    static final WorkflowType<Plan, Integer> FAN_OUT = type("fan-out", Plan.class);

    private static final TaskType<Integer, Integer> STEP = TaskType.builder("step", Integer.class, Integer.class)
            .queue(Work.QUEUE)
            .build();

    private final CountingStore store;
    private final Semel semel;

    WorkflowRunner(StoreUnderTest.Place place) {
        store = new CountingStore(place.open());
        semel = Semel.on(store).build();
    }

    static <I> WorkflowType<I, Integer> type(String name, Class<I> input) {
        return WorkflowType.of(TaskType.builder(name, input, Integer.class)
                .queue(Work.QUEUE)
                .identity(IdentityStrategy.callerProvided())
                .build());
    }

    Semel semel() {
        return semel;
    }

    CountingStore store() {
        return store;
    }

    /** Starts workflows, in batches of a thousand. */
    static <I> void startAll(Semel semel, WorkflowType<I, Integer> type, List<I> inputs, String prefix) {
        for (int from = 0; from < inputs.size(); from += SemelRunner.BATCH) {
            List<SubmissionRequest<I, Integer>> batch = new ArrayList<>(SemelRunner.BATCH);
            for (int i = from; i < Math.min(inputs.size(), from + SemelRunner.BATCH); i++) {
                batch.add(semel.submit(type.taskType(), inputs.get(i)).idempotencyKey(prefix + i));
            }
            for (SubmitOutcome<Integer> outcome : semel.submitAll(batch)) {
                if (!outcome.submission().created()) {
                    throw new IllegalStateException("Expected each workflow to be new, so the figure is not valid");
                }
            }
        }
    }

    /** Starts a worker; each step passes its number to the handler. */
    Worker work(IntConsumer handler) {
        return semel.worker(Work.QUEUE)
                .workflow(LOCAL, (flow, plan) -> local(flow, plan, handler))
                .workflow(QUEUED, WorkflowRunner::queued)
                .workflow(FAN_OUT, WorkflowRunner::fanOut)
                .handle(STEP, (context, number) -> {
                    handler.accept(number);
                    return number;
                })
                .start();
    }

    private static Integer local(Flow flow, Plan plan, IntConsumer handler) {
        int last = 0;
        for (int i = 0; i < plan.steps(); i++) {
            int number = plan.first() + i;
            last = flow.local("step", Integer.class).index(i).run(token -> {
                handler.accept(number);
                return number;
            });
        }
        return last;
    }

    private static Integer queued(Flow flow, Plan plan) {
        int last = 0;
        for (int i = 0; i < plan.steps(); i++) {
            last = flow.run(STEP, plan.first() + i);
        }
        return last;
    }

    private static Integer fanOut(Flow flow, Plan plan) {
        List<Step<Integer>> steps = new ArrayList<>(plan.steps());
        for (int i = 0; i < plan.steps(); i++) {
            steps.add(flow.start(STEP, plan.first() + i));
        }
        flow.all(steps);
        int last = 0;
        for (Step<Integer> step : steps) {
            last = Math.max(last, step.result());
        }
        return last;
    }

    /** Runs workflows that were started before, and returns the time until the last one has completed. */
    static Throughput.Reading drain(StoreUnderTest.Place place, int number, int steps, boolean queued) {
        AtomicIntegerArray runs = new AtomicIntegerArray(number * steps);
        try (WorkflowRunner ours = new WorkflowRunner(place)) {
            List<Plan> plans = new ArrayList<>(number);
            for (int i = 0; i < number; i++) {
                plans.add(new Plan(i * steps, steps));
            }
            startAll(ours.semel, queued ? QUEUED : LOCAL, plans, "w-");
            long settles = ours.store.calls().settles();
            Lap.Begun began = Lap.begin(place::logged);
            Lap took;
            try (Worker worker = ours.work(runs::incrementAndGet)) {
                ours.store.awaitCompleted(queued ? (steps + 1L) * number : number);
                took = began.end();
                worker.close();
            }
            for (int step = 0; step < runs.length(); step++) {
                if (runs.get(step) != 1) {
                    throw new IllegalStateException("Expected step " + step + " to run once, but it ran "
                            + runs.get(step) + " times, so the figure is not valid");
                }
            }
            return new Throughput.Reading(
                    took,
                    Map.of(
                            "calls of settle per 1,000 tasks",
                            (ours.store.calls().settles() - settles) * 1_000.0 / number));
        }
    }

    @Override
    public void close() {
        semel.close();
    }
}
