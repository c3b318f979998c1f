package dev.semel.storetests.process;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.TaskStore;
import dev.semel.storetests.process.CrashLog.Event;
import dev.semel.storetests.process.CrashLog.Line;
import dev.semel.task.Lease;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A process that runs workflows and their steps until it is killed, for {@link WorkflowCrashContract}. It logs what it runs and what
 * the store acknowledges, and prints each line of that too.
 */
final class WorkflowCrashWorker {

    /** What a workflow does: steps, every second one a local one, and a pause after each. */
    record Plan(int steps, int pauseMillis) {}

    /**
     * What a workflow does that continues as new: in each generation a step and a signal.
     *
     * @param number the number of the generation, from 0
     * @param rounds how many generations there are
     * @param heard what the earlier ones have done and received
     */
    record Round(int number, int rounds, String heard) {}

    static final TaskType<String, String> STEP = TaskType.of("step", String.class, String.class);
    static final WorkflowType<Plan, String> FLOW = WorkflowType.of("workflow", Plan.class, String.class);

    static final WorkflowType<Round, String> ROUNDS = WorkflowType.of("rounds", Round.class, String.class);

    /** The name of the signal of each generation. */
    static final String MORE = "more";

    private final CrashLog log;
    private final Map<String, String> steps = new ConcurrentHashMap<>();
    private final Map<String, Integer> intents = new ConcurrentHashMap<>();

    private WorkflowCrashWorker(CrashLog log) {
        this.log = log;
    }

    static boolean isLocal(int step) {
        return step % 2 == 1;
    }

    static String name(String workflow, int step) {
        return workflow + "-" + step;
    }

    static String result(String workflow, Plan plan) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < plan.steps(); i++) {
            all.append(result(name(workflow, i)));
        }
        return all.toString();
    }

    private static String result(String step) {
        return "<" + step + ">";
    }

    private String flow(Flow flow, Plan plan) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < plan.steps(); i++) {
            String step = name(flow.id(), i);
            all.append(
                    isLocal(i)
                            ? flow.local("local", String.class).index(i).run(token -> run(token, step))
                            : flow.run(STEP, step));
            if (plan.pauseMillis() > 0) {
                flow.sleep(Duration.ofMillis(plan.pauseMillis()));
            }
        }
        return all.toString();
    }

    private String rounds(Flow flow, Round round) {
        String step = name(flow.id(), round.number());
        String done = isLocal(round.number())
                ? flow.local("local", String.class, token -> run(token, step))
                : flow.run(STEP, step);
        String heard = round.heard() + done + flow.signal(MORE, String.class);
        int next = round.number() + 1;
        return next < round.rounds() ? flow.continueAsNew(new Round(next, round.rounds(), heard)) : heard;
    }

    private String step(TaskContext context, String step) {
        steps.put(context.taskId().toString(), step);
        add(Event.BEGAN, context.taskId().toString(), context.attempt(), step);
        return context.effect("do", String.class, token -> run(token, step));
    }

    private String run(String token, String step) {
        steps.put(token, step);
        int attempt = Objects.requireNonNull(intents.get(token), "the intent is durable before the effect runs");
        log.charge(token, step);
        add(Event.RAN, token, attempt, step);
        return result(step);
    }

    private void add(Event event, String subject, int attempt, String step) {
        Line line = new Line(event, subject, attempt, step);
        log.add(line);
        System.out.println(line);
    }

    /** Logs what the store has acknowledged. */
    private final class Logged extends ForwardingTaskStore {

        Logged(TaskStore store) {
            super(store);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = super.settle(batch);
            for (int i = 0; i < batch.size(); i++) {
                if (answers.get(i) == Settled.APPLIED) {
                    applied(batch.get(i));
                }
            }
            return answers;
        }

        private void applied(Settlement settlement) {
            if (settlement instanceof Settlement.Intend intend) {
                intents.put(intend.effect().token(), intend.lease().attempt());
            } else if (settlement instanceof Settlement.Conclude conclude) {
                acknowledged(Event.RECORDED, conclude.effect().token(), conclude.lease());
            } else if (settlement instanceof Settlement.Complete complete) {
                acknowledged(Event.COMPLETED, complete.lease().taskId().toString(), complete.lease());
            }
        }

        private void acknowledged(Event event, String subject, Lease lease) {
            String step = steps.get(subject);
            if (step != null) { // not the workflow itself
                add(event, subject, lease.attempt(), step);
            }
        }
    }

    /** The process: the opener, the store's address, and the directory of the log. */
    public static void main(String[] arguments) throws InterruptedException {
        WorkflowCrashWorker program = new WorkflowCrashWorker(new CrashLog(Path.of(arguments[2])));
        Semel semel = Semel.on(program.new Logged(StoreOpener.open(arguments[0], arguments[1])))
                .build();
        semel.worker("default")
                .lease(Duration.ofSeconds(1))
                .poll(Duration.ofMillis(50))
                .maxVanished(1_000)
                .workflow(FLOW, program::flow)
                .workflow(ROUNDS, program::rounds)
                .handle(STEP, program::step)
                .start();
        System.out.println("started");
        new CountDownLatch(1).await(); // until it is killed
    }
}
