package dev.semel.testkit.simulation;

import dev.semel.engine.Handlers;
import dev.semel.engine.TaskContext;
import dev.semel.task.PermanentFailure;
import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The handlers of one worker process. Each does its effect at the end of its time and then what its input says. */
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

    /**
     * What a handler returns: no two attempts return the same, so that it shows whose result was stored.
     *
     * @param number the number of the input
     * @param attempt the attempt that returned it
     * @param by the process
     */
    record Done(int number, int attempt, String by) {}

    private static final class Trouble extends Exception {
        private static final long serialVersionUID = 1L;

        Trouble(String message) {
            super(message, null, false, false); // without a stack: that of a simulation tells nothing
        }
    }

    private final World world;
    private final WorkerProcess process;
    private final SimulatedHost host;
    private final Lots lots;

    Handling(World world, WorkerProcess process, SimulatedHost host, Lots lots) {
        this.world = world;
        this.process = process;
        this.host = host;
        this.lots = lots;
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

    private @Nullable Done handle(TaskContext context, Work work) throws Trouble, InterruptedException {
        String what = world.trace.name(context.taskId()) + "/" + context.attempt() + " " + work.does();
        if (host.isInterrupted()) {
            world.trace.line(process.name(), "handler of " + what + " is interrupted");
            throw new InterruptedException("interrupted");
        }
        world.trace.line(process.name(), "handler of " + what);
        world.sink.add(new Sink.Effect(
                context.taskId(), context.attempt(), process.name(), context.token("effect"), world.timeline.now()));
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
                    throw context.snooze(lots.spread(10, 8_000));
                }
            }
            case KILL -> {
                world.tally.count(Happening.WORKER_POISONED);
                process.crash("by the handler of " + what);
                throw new Trouble("the process is gone");
            }
        }
        return new Done(work.number(), context.attempt(), process.name());
    }
}
