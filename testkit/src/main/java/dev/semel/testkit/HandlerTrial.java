package dev.semel.testkit;

import dev.semel.engine.Codec;
import dev.semel.engine.Handler;
import dev.semel.engine.Handlers;
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
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tries whether a handler may be interrupted anywhere: whatever happens to its worker, its task must complete, with the same
 * result, and what it does to the world must happen as often as it does without any disturbance.
 *
 * <p>The handler runs on the worker that serves users and on a store in memory, on virtual time: retries, snoozes and leases
 * take no real time. First it runs undisturbed, and every moment is counted at which it waits for the store, ends an effect,
 * or calls a {@link TokenProvider}. Then it runs once more for each of these moments and each {@link Disturbance}, always from
 * the beginning. Nothing is left to chance.
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
 * <p>It needs no test framework: what fails is an {@link AssertionError} that tells the disturbance, the difference, and
 * everything that happened.
 *
 * <p>Not tried: handlers that run effects on several threads at once, and {@code context.transaction}, which needs a database.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public final class HandlerTrial<I, O extends @Nullable Object> {

    /** The most runs of one trial: one for each moment and disturbance. */
    public static final int MOST_RUNS = 20_000;

    private static final Duration WINDOW = Duration.ofDays(30);

    // The same in every run, so that tokens are the same too.
    private static final TaskId TASK = new TaskId(new UUID(0x019b_76da_a800_7000L, 0x8000_0000_0000_0001L));

    private final TaskType<I, O> type;
    private final I input;
    private final Setting<I, O> setting;

    private Set<Disturbance> disturbances = EnumSet.allOf(Disturbance.class);
    private final Set<String> mayBeLost = new LinkedHashSet<>();
    private boolean resultMayDiffer;
    private @Nullable String key;
    private Codec codec = Codec.standard();

    /**
     * Makes a handler and everything that it works with, for one run.
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
         * @throws Exception if it cannot be made
         */
        Handler<I, O> handler(TrialRun run) throws Exception;
    }

    /**
     * What a trial that succeeded has tried.
     *
     * @param result the task's result in JSON without any disturbance, or null
     * @param observed what was seen without any disturbance, by its name
     * @param runs how often the handler's task was run, the undisturbed run included
     * @param disturbances what was done to it, in words, one for each further run
     */
    public record Report(
            @Nullable String result, Map<String, @Nullable Object> observed, int runs, List<String> disturbances) {

        @Override
        public String toString() {
            return "The task's result is " + result + " and " + observed + " was observed, in each of " + runs
                    + " runs.";
        }
    }

    private HandlerTrial(TaskType<I, O> type, I input, Setting<I, O> setting) {
        this.type = type;
        this.input = input;
        this.setting = setting;
    }

    /**
     * Prepares a trial.
     *
     * @param type the task type
     * @param input the task's input
     * @param setting makes the handler and everything that it works with, anew for each run
     * @param <I> the class of the input
     * @param <O> the class of the output
     * @return the trial, to be ended by {@link #check}
     */
    public static <I, O extends @Nullable Object> HandlerTrial<I, O> of(
            TaskType<I, O> type, I input, Setting<I, O> setting) {
        return new HandlerTrial<>(type, input, setting);
    }

    /**
     * Disturbs the handler in these ways only. All ways are tried if this is not called.
     *
     * @param first one way
     * @param others further ones
     * @return this trial
     */
    public HandlerTrial<I, O> disturbedBy(Disturbance first, Disturbance... others) {
        disturbances = EnumSet.of(first, others);
        return this;
    }

    /**
     * Says that a disturbance may cost something that is observed, though never double it: right for effects that are assumed
     * to be done when nobody knows.
     *
     * @param names the names of providers, or of collections that are observed
     * @return this trial
     */
    public HandlerTrial<I, O> mayLose(String... names) {
        mayBeLost.addAll(List.of(names));
        return this;
    }

    /**
     * Says that the task's result may depend on the disturbance.
     *
     * @return this trial
     */
    public HandlerTrial<I, O> resultMayDiffer() {
        resultMayDiffer = true;
        return this;
    }

    /**
     * Sets the task's idempotency key, for handlers that look at it.
     *
     * @param taskKey the key
     * @return this trial
     */
    public HandlerTrial<I, O> idempotencyKey(String taskKey) {
        this.key = Limits.key(taskKey);
        return this;
    }

    /**
     * Sets how inputs and results are written.
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
     * @return what was tried
     * @throws AssertionError if the handler does not survive a disturbance, or does not complete its task without any
     */
    public Report check() {
        TrialEnd undisturbed = run(Fault.NONE);
        TrialVerdict verdict = new TrialVerdict(type.name(), undisturbed, mayBeLost, resultMayDiffer);
        Map<Fault, String> faults = faults(undisturbed.ending());
        if (faults.size() >= MOST_RUNS) {
            throw new AssertionError("A trial has at most " + MOST_RUNS + " runs, but this handler needs \""
                    + (faults.size() + 1) + "\". Try it with an input that makes it do less.");
        }
        faults.forEach((fault, words) -> verdict.add(words, run(fault)));
        verdict.throwIfAnyFailed();
        return new Report(
                undisturbed.ending().task().progress().result(),
                undisturbed.seen(),
                faults.size() + 1,
                List.copyOf(faults.values()));
    }

    /** Everything that can be done to the handler, in words. */
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
                            "the worker freezes %s, until another one has taken over");
                    add(
                            faults,
                            Kind.FREEZE,
                            moments,
                            "the worker freezes %s, until long after another one has taken over");
                }
                case LOST_ANSWER -> {
                    add(faults, Kind.REQUEST_LOST, undisturbed.calls(), "the store does not hear that the worker %s");
                    add(faults, Kind.ANSWER_LOST, undisturbed.calls(), "the store does not answer when the worker %s");
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
        Handler<I, O> handler;
        try {
            handler = setting.handler(run);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The setting of the trial could not make a handler.", e);
        }
        Handlers handlers =
                Handlers.builder().add(type, noted(rehearsal, handler)).build();
        Map<String, @Nullable Object> seen = new LinkedHashMap<>();
        Ending ending = rehearsal.perform(
                new Rehearsal.Part(task(), handlers, codec, run.person()), () -> seen.putAll(run.seen()));
        return new TrialEnd(ending, seen);
    }

    /** The handler, with its beginning and its end in the timeline. */
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
                        .map(strategy -> strategy.key(type.name(), input, () -> document, type.leftOut()))
                        .orElse(null);
        NewTask.KeyRequest request = given == null
                ? null
                : new NewTask.KeyRequest(
                        Identity.of(Identity.DEFAULT_TENANT, type.scope(), queue, type.name(), given),
                        InputHash.of(document, type.leftOut()),
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
