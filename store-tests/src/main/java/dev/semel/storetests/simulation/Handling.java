package dev.semel.storetests.simulation;

import dev.semel.engine.EffectCall;
import dev.semel.engine.Handlers;
import dev.semel.engine.TaskContext;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import dev.semel.testkit.virtualtime.SimulatedHost;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The handlers of one worker process. Each writes to the sink, has its effects, and then behaves as its input requests. */
final class Handling {

    /** Retries soon; no timeout. */
    static final String CHARGE = "charge";

    /** Keyed by its input; must not take long. */
    static final String REPORT = "report";

    /** Has one attempt. */
    static final String MAIL = "mail";

    /** Has no handler anywhere. */
    static final String GHOST = "ghost";

    /** The types that have handlers. */
    static final List<String> TYPES = List.of(CHARGE, REPORT, MAIL);

    private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(2);

    // How long a provider declares that it knows a token; short enough to pass between two attempts now and then.
    private static final Duration WINDOW = Duration.ofSeconds(4);

    private static final String ASSUMED = "assumed";

    /**
     * What a handler returns: no two attempts return the same, so that it shows whose result was stored.
     *
     * @param number the number of the input
     * @param attempt the attempt that returned it
     * @param by the process
     * @param receipts what its effects gave, by their labels
     */
    record Done(int number, int attempt, String by, Map<String, @Nullable String> receipts) {}

    private static final class Trouble extends Exception {
        private static final long serialVersionUID = 1L;

        Trouble(String message) {
            super(message, null, false, false); // without a stack trace: that of a simulation says nothing
        }
    }

    private final World world;
    private final WorkerProcess process;
    private final SimulatedHost host;
    private final RandomSource randomness;

    Handling(World world, WorkerProcess process, SimulatedHost host, RandomSource randomness) {
        this.world = world;
        this.process = process;
        this.host = host;
        this.randomness = randomness;
    }

    Handlers of(Set<String> types) {
        Handlers.Builder handlers = Handlers.builder();
        for (String type : new TreeSet<>(types)) {
            handlers.add(typeOf(type), this::handle);
        }
        return handlers.build();
    }

    @SuppressWarnings("NullAway") // a class object cannot say that null is a value too
    private static TaskType<Work, @Nullable Done> typeOf(String name) {
        TaskType.Builder<Work, @Nullable Done> type = TaskType.builder(name, Work.class, Done.class);
        return switch (name) {
            case REPORT ->
                type.retry(RetryPolicy.attempts(3)).timeout(REPORT_TIMEOUT).build();
            case MAIL -> type.retry(RetryPolicy.attempts(1)).build();
            default ->
                type.retry(RetryPolicy.delays(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(5)))
                        .build();
        };
    }

    private @Nullable Done handle(TaskContext context, Work work) throws Exception {
        String what = world.trace.name(context.taskId()) + "/" + context.attempt() + " " + work.does();
        if (Thread.interrupted()) {
            world.trace.line(process.name(), "handler of " + what + " is interrupted");
            throw new InterruptedException("interrupted");
        }
        world.trace.line(process.name(), "handler of " + what);
        world.sink.add(new Sink.Effect(
                context.taskId(), context.attempt(), process.name(), context.token("effect"), world.timeline.now()));
        Map<String, @Nullable String> receipts = haveEffects(context, work);
        switch (work.does()) {
            case SUCCEED -> {}
            case RETURN_NOTHING -> {
                return null;
            }
            case FAIL -> {
                if (context.attempt() <= work.times()) {
                    throw new Trouble("failed on purpose");
                }
            }
            case FAIL_FOR_GOOD -> throw new PermanentFailure("failed for good on purpose");
            case SNOOZE -> {
                if (context.attempt() <= work.times()) {
                    throw context.snooze(randomness.spread(10, 8_000));
                }
            }
            case KILL -> {
                world.tally.count(Happening.WORKER_POISONED);
                process.crash("by the handler of " + what);
                throw new Trouble("the process is gone");
            }
        }
        return new Done(work.number(), context.attempt(), process.name(), receipts);
    }

    private Map<String, @Nullable String> haveEffects(TaskContext context, Work work) throws Exception {
        Provider.Caller caller = new Provider.Caller(context.taskId(), context.attempt(), process, host);
        Map<String, @Nullable String> receipts = new LinkedHashMap<>();
        Map<Policy, Integer> counts = new EnumMap<>(Policy.class);
        for (Policy policy : work.effects()) {
            int index = counts.merge(policy, 1, Integer::sum) - 1;
            EffectCall<String> call =
                    context.effect(policy.word(), String.class).index(index);
            switch (policy) {
                case RETRY -> call.retryIfUnknown();
                case WINDOW -> call.providerWindow(WINDOW);
                case FAIL_AFTER_WINDOW -> call.providerWindow(WINDOW).failAfterWindow();
                case PROBE -> call.probeIfUnknown(token -> world.provider.probe(caller, token));
                case PARK -> call.parkIfUnknown();
                case ASSUME -> call.assumeDoneIfUnknown(ASSUMED);
            }
            AtomicBoolean called = new AtomicBoolean();
            String receipt;
            try {
                receipt = call.run(token -> {
                    called.set(true);
                    return world.provider.call(caller, policy, index, token);
                });
            } catch (CancellationException e) {
                world.tally.count(Happening.EFFECT_INTERRUPTED);
                throw e;
            }
            if (!called.get()) {
                world.tally.count(context.attempt() == 1 ? Happening.EFFECT_SPARED_IN_RERUN : Happening.EFFECT_SPARED);
            }
            receipts.put(index == 0 ? policy.word() : policy.word() + "#" + index, receipt);
        }
        return receipts;
    }
}
