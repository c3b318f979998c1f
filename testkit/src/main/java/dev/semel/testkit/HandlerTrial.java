package dev.semel.testkit;

import dev.semel.engine.Codec;
import dev.semel.engine.Handler;
import dev.semel.engine.Handlers;
import dev.semel.engine.StepPreparer;
import dev.semel.engine.TypeSteps;
import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.testkit.Rehearsal.Ending;
import dev.semel.testkit.Rehearsal.Fault;
import dev.semel.testkit.Rehearsal.Kind;
import dev.semel.workflow.WorkflowHandler;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A test of whether a handler can be interrupted anywhere: whatever happens to its worker, its task must complete with
 * the same result, and its effects must happen as often as they do without a disturbance.
 *
 * <p>The handler runs on the production worker and on a store in memory, on virtual time: retries, snoozes and leases
 * take no real time. First it runs undisturbed, and the trial counts every moment at which it waits for the store, ends
 * an effect, or calls a {@link TokenProvider}. Then it runs once for each of these moments and each {@link
 * Disturbance}, always from the beginning. A trial is deterministic.
 *
 * <pre>{@code
 * HandlerTrial.of(CHARGE, new Order("ORD-1", 9900), run -> {
 *             TokenProvider gateway = run.provider("gateway");
 *             return (context, order) -> context.effect(
 *                     "charge", String.class, token -> gateway.call(token, order));
 *         })
 *         .check();
 * }</pre>
 *
 * <p>It needs no test framework: a failed trial throws an {@link AssertionError} that names the disturbance and the
 * difference, and lists everything that happened.
 *
 * <p>Not supported: handlers that run effects on several threads, and {@code context.transaction}, which needs a
 * database.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public final class HandlerTrial<I, O extends @Nullable Object> {

    /** The maximum number of runs of one trial: one for each moment and disturbance. */
    public static final int MOST_RUNS = 20_000;

    private static final Duration WINDOW = Duration.ofDays(30);

    // The same in every run, so that tokens are the same too.
    private static final TaskId TASK = new TaskId(new UUID(0x019b_76da_a800_7000L, 0x8000_0000_0000_0001L));

    private final TaskType<I, O> type;
    private final I input;
    private final Cast<I, O> cast;

    private Set<Disturbance> disturbances = EnumSet.allOf(Disturbance.class);
    private final Set<String> mayBeLost = new LinkedHashSet<>();
    private boolean resultMayDiffer;
    private @Nullable String key;
    private Codec codec = Codec.standard();

    /**
     * A factory of the handler and everything that it uses, for one run.
     *
     * @param <I> the class of the input
     * @param <O> the class of the output
     */
    @FunctionalInterface
    public interface Setting<I, O extends @Nullable Object> {

        /**
         * Called before each run.
         *
         * @param run the run
         * @return the handler
         * @throws Exception if the handler cannot be created
         */
        Handler<I, O> handler(TrialRun run) throws Exception;
    }

    /**
     * The report of a successful trial.
     *
     * @param result the task's result in JSON without any disturbance, or null
     * @param observed the observed values without any disturbance, by name
     * @param runs the number of runs, the undisturbed run included
     * @param disturbances descriptions of the disturbances, one for each further run
     */
    public record Report(
            @Nullable String result, Map<String, @Nullable Object> observed, int runs, List<String> disturbances) {

        @Override
        public String toString() {
            return "In each of " + runs + " runs the task's result is " + result + ", and the observed values are" + " "
                    + observed + ".";
        }
    }

    /**
     * A factory of the code of a workflow and everything that it uses, for one run. It also adds the handlers of the steps
     * ({@link TrialRun#step}) and the signals ({@link TrialRun#signal}).
     *
     * @param <I> the class of the input
     * @param <O> the class of the output
     */
    @FunctionalInterface
    public interface WorkflowSetting<I, O extends @Nullable Object> {

        /**
         * Called before each run.
         *
         * @param run the run
         * @return the code
         * @throws Exception if it cannot be created
         */
        WorkflowHandler<I, O> workflow(TrialRun run) throws Exception;
    }

    /** Creates what each process of a run has: the handlers. */
    private interface Cast<I, O extends @Nullable Object> {
        Supplier<Handlers> handlers(HandlerTrial<I, O> trial, TrialRun run) throws Exception;
    }

    private HandlerTrial(TaskType<I, O> type, I input, Cast<I, O> cast) {
        this.type = type;
        this.input = input;
        this.cast = cast;
    }

    /**
     * Prepares the trial of a workflow. Its sleeps take no time.
     *
     * @param type the workflow type
     * @param input the workflow's input
     * @param setting creates the code and everything that it uses, anew for each run
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the trial; {@link #check} runs it
     */
    public static <I, O extends @Nullable Object> HandlerTrial<I, O> ofWorkflow(
            WorkflowType<I, O> type, I input, WorkflowSetting<I, O> setting) {
        return new HandlerTrial<>(type.taskType(), input, (trial, run) -> {
                    WorkflowHandler<I, O> code = setting.workflow(run);
                    StepPreparer steps =
                            TypeSteps.of(trial.codec, run.rehearsal().timeline()::instant, new SplittableRandom(1));
                    return () -> {
                        Handlers.Builder handlers = Handlers.builder();
                        type.register(handlers, code, steps);
                        run.addSteps(handlers);
                        return handlers.build();
                    };
                })
                .idempotencyKey("workflow");
    }

    /**
     * Prepares a trial.
     *
     * @param type the task type
     * @param input the task's input
     * @param setting creates the handler and everything that it uses, anew for each run
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the trial; {@link #check} runs it
     */
    public static <I, O extends @Nullable Object> HandlerTrial<I, O> of(
            TaskType<I, O> type, I input, Setting<I, O> setting) {
        return new HandlerTrial<>(type, input, (trial, run) -> {
            Handler<I, O> handler = setting.handler(run);
            Handlers handlers = Handlers.builder()
                    .add(type, noted(run.rehearsal(), handler))
                    .build();
            return () -> handlers;
        });
    }

    /**
     * Restricts the trial to these disturbances. Without this call it tries all of them.
     *
     * @param first a disturbance
     * @param others further disturbances
     * @return this trial
     */
    public HandlerTrial<I, O> disturbedBy(Disturbance first, Disturbance... others) {
        disturbances = EnumSet.of(first, others);
        return this;
    }

    /**
     * Allows a disturbance to lose something that is observed, but never to double it. This suits effects that are
     * assumed to be done when their outcome is unknown.
     *
     * @param names the names of providers or observed collections
     * @return this trial
     */
    public HandlerTrial<I, O> mayLose(String... names) {
        mayBeLost.addAll(List.of(names));
        return this;
    }

    /**
     * Allows the task's result to depend on the disturbance.
     *
     * @return this trial
     */
    public HandlerTrial<I, O> resultMayDiffer() {
        resultMayDiffer = true;
        return this;
    }

    /**
     * Sets the task's idempotency key, for handlers that read it.
     *
     * @param taskKey the key
     * @return this trial
     */
    public HandlerTrial<I, O> idempotencyKey(String taskKey) {
        this.key = Limits.key(taskKey);
        return this;
    }

    /**
     * Sets the codec of inputs and results.
     *
     * @param inputsAndResults the codec
     * @return this trial
     */
    public HandlerTrial<I, O> codec(Codec inputsAndResults) {
        this.codec = inputsAndResults;
        return this;
    }

    /**
     * Runs the trial.
     *
     * @return the report
     * @throws AssertionError if the handler does not survive a disturbance, or does not complete its task without one
     */
    public Report check() {
        TrialEnd undisturbed = run(Fault.NONE);
        TrialVerdict verdict = new TrialVerdict(type.name(), undisturbed, mayBeLost, resultMayDiffer);
        Map<Fault, String> faults = faults(undisturbed.ending());
        if (faults.size() >= MOST_RUNS) {
            throw new AssertionError("A trial has at most " + MOST_RUNS + " runs, but this handler needs" + " \""
                    + (faults.size() + 1) + "\". Use an input for which the handler does less.");
        }
        faults.forEach((fault, words) -> verdict.add(words, run(fault)));
        verdict.throwIfAnyFailed();
        return new Report(
                undisturbed.ending().task().progress().result(),
                undisturbed.seen(),
                faults.size() + 1,
                List.copyOf(faults.values()));
    }

    /** Returns all faults of the trial with their descriptions. */
    private Map<Fault, String> faults(Ending undisturbed) {
        Map<Fault, String> faults = new LinkedHashMap<>();
        for (Disturbance disturbance : disturbances) {
            switch (disturbance) {
                case CRASH -> add(faults, Kind.CRASH, undisturbed.moments(), "the worker crashes %s");
                case FREEZE -> {
                    List<String> moments = undisturbed.moments();
                    add(
                            faults,
                            Kind.FREEZE_BRIEFLY,
                            moments,
                            "the worker freezes %s, until another worker has taken over");
                    add(
                            faults,
                            Kind.FREEZE,
                            moments,
                            "the worker freezes %s, until long after another worker has taken over");
                }
                case LOST_ANSWER -> {
                    add(faults, Kind.REQUEST_LOST, undisturbed.calls(), "the request is lost when the worker %s");
                    add(faults, Kind.ANSWER_LOST, undisturbed.calls(), "the answer is lost when the worker %s");
                }
                case SILENT_PROVIDER ->
                    add(faults, Kind.NO_ANSWER, undisturbed.providerCalls(), "%s, and does not answer");
            }
        }
        return faults;
    }

    private static void add(Map<Fault, String> faults, Kind kind, List<String> where, String words) {
        for (int i = 0; i < where.size(); i++) {
            faults.put(new Fault(kind, i + 1), words.replace("%s", where.get(i)));
        }
    }

    private TrialEnd run(Fault fault) {
        Rehearsal rehearsal = new Rehearsal(fault);
        TrialRun run = new TrialRun(rehearsal);
        Supplier<Handlers> handlers;
        try {
            handlers = cast.handlers(this, run);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The setting of the trial could not create a handler.", e);
        }
        Map<String, @Nullable Object> seen = new LinkedHashMap<>();
        Ending ending = rehearsal.perform(
                new Rehearsal.Part(task(), handlers, codec, run.person(), run.queuesWith(type.queue()), run.signals()),
                () -> seen.putAll(run.seen()));
        return new TrialEnd(ending, seen);
    }

    /** Wraps the handler so that its start and its end are in the timeline. */
    private static <I, O extends @Nullable Object> Handler<I, O> noted(Rehearsal rehearsal, Handler<I, O> handler) {
        return (context, given) -> {
            rehearsal.note("handler", "begins attempt " + context.attempt());
            rehearsal.moment();
            try {
                O output = handler.handle(context, given);
                rehearsal.note("handler", "returns from attempt " + context.attempt());
                return output;
            } catch (Throwable e) {
                rehearsal.note("handler", "leaves attempt " + context.attempt() + " with " + e);
                throw e;
            }
        };
    }

    private NewTask task() {
        String text = codec.encode(input);
        Json document = Json.parse(text);
        String queue = type.queue();
        String given = key != null
                ? key
                : type.identity()
                        .map(strategy -> strategy.key(type.name(), input, () -> document, type.ignoredFields()))
                        .orElse(null);
        NewTask.KeyRequest request = given == null
                ? null
                : new NewTask.KeyRequest(
                        Identity.of(Identity.DEFAULT_TENANT, type.scope(), queue, type.name(), given),
                        InputHash.of(document, type.ignoredFields()),
                        WINDOW,
                        ReusePolicy.allowFailedOnly());
        return new NewTask(
                TASK,
                Identity.DEFAULT_TENANT,
                queue,
                type.name(),
                text,
                NewTask.Start.now(),
                TaskOptions.NONE,
                request);
    }
}
