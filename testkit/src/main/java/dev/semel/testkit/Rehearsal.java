package dev.semel.testkit;

import dev.semel.engine.Codec;
import dev.semel.engine.Handlers;
import dev.semel.store.Claims;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.HandlerThread;
import dev.semel.testkit.virtualtime.Timeline;
import dev.semel.testkit.virtualtime.Trace;
import dev.semel.testkit.virtualtime.WorldFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link HandlerTrial}: one task of one handler, on real worker loops and a store in memory, on virtual
 * time, with at most one fault.
 *
 * <p>A rehearsal is deterministic: one with a fault is the same as one without, up to the moment of the fault.
 */
final class Rehearsal {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration WAY = Duration.ofMillis(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration RESTART = Duration.ofMillis(100);
    private static final Duration LONG_FREEZE = Duration.ofMinutes(10);

    // A frozen process continues while the next attempt has just started.
    private static final Duration OVERLAP = Duration.ofMillis(3);

    // Long enough for all processes to have ended, frozen ones included.
    private static final Duration PERSONS_TIME = Duration.ofHours(1);
    private static final Duration AFTERMATH = Duration.ofMinutes(1);
    private static final Duration MOST_TIME = Duration.ofDays(35);
    private static final int MOST_EVENTS = 1_000_000;

    /** A kind of fault. */
    enum Kind {
        /** No fault. */
        NONE,
        /** The process of the handler crashes, and another one is started. */
        CRASH,
        /** The process of the handler freezes until long after another one has taken over its task. */
        FREEZE,
        /** The process of the handler freezes, and continues as soon as another one has taken over its task. */
        FREEZE_BRIEFLY,
        /** A call of the process does not reach the store. */
        REQUEST_LOST,
        /** The store performs a call of the process, and its answer is lost. */
        ANSWER_LOST,
        /** A provider performs a call, and does not answer. */
        NO_ANSWER
    }

    /**
     * A fault, and when it happens.
     *
     * @param kind the kind
     * @param number the number of the moment, of the call to the store, or of the call to a provider; from 1
     */
    record Fault(Kind kind, int number) {

        /** No fault. */
        public static final Fault NONE = new Fault(Kind.NONE, 0);
    }

    /**
     * The subject of a rehearsal.
     *
     * @param task the task
     * @param handlers creates its handler, and those of its steps, anew for each process
     * @param codec the codec of inputs and results
     * @param person a person's resolution of an effect with unknown outcome; null for none
     * @param queues the queue of the task, and those of its steps
     * @param signals what is sent to the task, and when
     */
    record Part(
            NewTask task,
            Supplier<Handlers> handlers,
            Codec codec,
            Function<EffectRecord, @Nullable Resolution> person,
            Set<String> queues,
            List<Sent> signals) {}

    /**
     * A signal to the task.
     *
     * @param after when it is sent, from the beginning
     * @param name its name
     * @param document what it carries, in JSON, or null
     */
    record Sent(Duration after, String name, @Nullable String document) {}

    /**
     * The outcome of a rehearsal.
     *
     * @param task the task at the end
     * @param stuck why the rehearsal stopped before the task had ended, or null if it has ended
     * @param moments the moments at which the process of the handler can crash or freeze, each described by the events
     *     before and after it
     * @param calls its calls to the store while it holds the task
     * @param providerCalls the calls to providers
     * @param happened whether the fault happened
     * @param timeline the events, for people
     */
    record Ending(
            Task task,
            @Nullable String stuck,
            List<String> moments,
            List<String> calls,
            List<String> providerCalls,
            boolean happened,
            String timeline) {}

    private final ManualClock storeClock = new ManualClock();
    private final Timeline timeline = new Timeline(storeClock::set, MOST_EVENTS);
    private final Trace trace = new Trace(timeline);
    private final TaskStore store = new InMemoryTaskStore(storeClock);
    private final Fault fault;
    private final List<RehearsalWorker> workers = new ArrayList<>();
    private final List<HandlerThread> handlers = new ArrayList<>();

    // The position of each moment in the trace.
    private final List<Integer> moments = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> providerCalls = new ArrayList<>();

    private @Nullable Part part;
    private boolean handed;
    private boolean happened;
    private boolean personAsked;
    private boolean personSilent;
    private int signals;
    private long quietFrom;
    private boolean over;

    // Whether the store may have changed since the task was read last. In days of sleep most events are heartbeats,
    // which
    // do not reach the store: reading the task after each of them took most of the time of a rehearsal.
    private boolean changed = true;

    /**
     * Creates a rehearsal.
     *
     * @param fault the fault
     */
    Rehearsal(Fault fault) {
        this.fault = fault;
    }

    Timeline timeline() {
        return timeline;
    }

    TaskStore store() {
        return store;
    }

    /** Records that a handler was started. */
    void started(HandlerThread handler) {
        handlers.add(handler);
    }

    /**
     * Adds a line to the timeline.
     *
     * @param party the party that acts
     * @param what the action
     */
    void note(String party, String what) {
        if (!over) {
            trace.line(party, what);
        }
    }

    /**
     * Marks a moment at which the handler's process may crash or freeze. Called on the handler's thread, which stops
     * here if it does.
     */
    void moment() {
        workers.forEach(worker -> worker.host().moment());
    }

    /**
     * Called on a handler's thread by a provider that has performed a call.
     *
     * @param what the call
     * @return whether the answer is lost
     */
    boolean losesProvidersAnswer(String what) {
        if (isCounted(workers.getFirst())) {
            providerCalls.add(what);
            return strikes(Kind.NO_ANSWER, providerCalls.size());
        }
        return false;
    }

    /**
     * Runs the rehearsal.
     *
     * @param whole the subject
     * @param atTheEnd reads what the handler did; afterwards the handlers of crashed processes are unwound, and may do
     *     more
     * @return the outcome
     */
    Ending perform(Part whole, Runnable atTheEnd) {
        part = whole;
        try (store) {
            note("submitter", "submits a task of type \"" + whole.task().type() + "\"");
            store.submit(List.of(whole.task()));
            whole.signals().forEach(this::sendLater);
            startWorker();
            String stuck = live();
            atTheEnd.run();
            return new Ending(task(), stuck, between(), calls, providerCalls, happened, trace.text());
        } finally {
            over = true;
            handlers.forEach(HandlerThread::unwind);
        }
    }

    private void sendLater(Sent signal) {
        TaskId workflow = Objects.requireNonNull(part).task().id();
        String key = "signal-" + ++signals;
        timeline.after(signal.after(), null, () -> {
            note("sender", "sends signal \"" + signal.name() + "\"");
            store.submit(List.of(new SubmitRequest.Signal(workflow, key, signal.name(), signal.document())));
            changed = true;
        });
    }

    private void startWorker() {
        workers.add(new RehearsalWorker(this, workers.size() + 1, Objects.requireNonNull(part)));
    }

    private Task task() {
        NewTask task = Objects.requireNonNull(part).task();
        return Objects.requireNonNull(store.find(List.of(task.id())).get(task.id()));
    }

    /** Runs all events until the task has ended and no process works on it. Returns why it stopped earlier, or null. */
    private @Nullable String live() {
        long deadline = MOST_TIME.toNanos();
        try {
            Task task = task();
            while (!personSilent && timeline.runNext(deadline)) {
                if (changed) {
                    changed = false;
                    task = task();
                }
                if (isAtRest(task) && !personAsked) {
                    personAsked = true;
                    timeline.after(PERSONS_TIME, null, this::askPerson);
                }
                if (task.state().isOpen()) {
                    quietFrom = Math.max(quietFrom, timeline.now());
                } else if (timeline.now() > quietFrom + AFTERMATH.toNanos()) {
                    return null;
                }
            }
        } catch (WorldFailure failure) {
            return String.valueOf(failure.getMessage());
        }
        if (!task().state().isOpen()) {
            return null;
        }
        return personSilent
                ? "it waits for a person, and no person resolves its effect"
                : "it has not ended within " + MOST_TIME.toDays() + " days of virtual time";
    }

    // ---- faults

    /** Returns whether the fault may hit this worker now: while it holds the task, and the task has not ended. */
    private boolean isCounted(RehearsalWorker worker) {
        return handed
                && !happened
                && !over
                && worker.equals(workers.getFirst())
                && task().state().isOpen();
    }

    private boolean strikes(Kind kind, int number) {
        if (fault.kind() != kind || fault.number() != number) {
            return false;
        }
        happened = true;
        return true;
    }

    /** Counts a moment at which a process may crash or freeze. Returns whether it does. */
    boolean strikes(RehearsalWorker worker) {
        if (!isCounted(worker)) {
            return false;
        }
        moments.add(trace.lines());
        if (fault.number() != moments.size()) {
            return false;
        }
        switch (fault.kind()) {
            case CRASH -> {
                note(worker.name(), "CRASHES");
                worker.crash();
            }
            case FREEZE -> freeze(worker, LONG_FREEZE);
            case FREEZE_BRIEFLY -> {
                Instant leaseEnd = Objects.requireNonNull(task().progress().dueAt());
                Duration left = Duration.between(storeClock.instant(), leaseEnd);
                freeze(worker, left.isNegative() ? OVERLAP : left.plus(OVERLAP));
            }
            case NONE, REQUEST_LOST, ANSWER_LOST, NO_ANSWER -> {
                return false;
            }
        }
        happened = true;
        timeline.after(RESTART, null, this::startWorker);
        return true;
    }

    private void freeze(RehearsalWorker worker, Duration time) {
        note(worker.name(), "FREEZES for " + time.toMillis() + " ms");
        worker.freeze(time);
        quietFrom = timeline.now() + time.toNanos();
        timeline.after(time, worker, () -> note(worker.name(), "continues"));
    }

    // ---- the way to the store

    <T> void send(RehearsalWorker worker, Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        if (strikes(worker)) {
            timeline.after(Duration.ZERO, worker, () -> transmit(worker, call, answered, failed));
        } else {
            transmit(worker, call, answered, failed);
        }
    }

    private <T> void transmit(
            RehearsalWorker worker, Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        String said = CallDescriber.of(call);
        boolean counted = isCounted(worker) || (!handed && call instanceof Call.Claim);
        if (!(call instanceof Call.Claim)) {
            note(worker.name(), said);
        }
        if (counted) {
            calls.add(said);
            if (strikes(Kind.REQUEST_LOST, calls.size())) {
                fail(worker, said, failed);
                return;
            }
        }
        boolean lost = counted && strikes(Kind.ANSWER_LOST, calls.size());
        timeline.after(WAY, null, () -> {
            if (worker.isGone()) {
                return; // the call was under way when its sender crashed; that it arrives is a different moment
            }
            T answer = call.on(store);
            changed = true;
            boolean idle = answer instanceof Claims claims && claims.tasks().isEmpty();
            if (!idle) {
                note("store", "answers " + worker.name() + " with " + CallDescriber.ofAnswer(answer));
            }
            handed |= call instanceof Call.Claim && !idle;
            strikes(worker);
            if (lost) {
                fail(worker, said, failed);
            } else {
                timeline.after(WAY, worker, () -> answered.accept(answer));
            }
        });
    }

    private void fail(RehearsalWorker worker, String said, Consumer<RuntimeException> failed) {
        timeline.after(PATIENCE, worker, () -> {
            note(worker.name(), "got no answer to: " + said);
            failed.accept(new StoreUnavailable("The answer was lost on purpose"));
        });
    }

    // ---- a person's resolutions

    private void askPerson() {
        personAsked = false;
        changed = true;
        Task task = task();
        if (!isAtRest(task)) {
            return;
        }
        boolean said = false;
        boolean asked = false;
        for (EffectRecord effect : store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of())) {
            if (effect.state() == EffectState.UNKNOWN) {
                asked = true;
                Resolution word = Objects.requireNonNull(part).person().apply(effect);
                if (word != null) {
                    said = true;
                    Operation.Resolve resolve = new Operation.Resolve(effect.id(), effect.by(), word);
                    note("person", CallDescriber.of(resolve));
                    note("store", "answers person with " + CallDescriber.ofAnswer(store.operate(List.of(resolve))));
                }
            }
        }
        // A workflow may go on without the person, as long as it waits for a time, or something else is open.
        personSilent = asked && !said && task.state() == TaskState.WAITING && isAlone(task);
    }

    /** Returns whether a task waits: for a person, or as a workflow for its inbox or a time. */
    private static boolean isAtRest(Task task) {
        return task.state() == TaskState.WAITING
                || (task.state() == TaskState.PENDING
                        && task.progress().attempt() > 0
                        && task.options().workflow() != null);
    }

    private boolean isAlone(Task task) {
        return store.list(TaskQuery.all(100)).tasks().stream()
                .noneMatch(other -> other.state().isOpen() && !other.id().equals(task.id()));
    }

    // ---- descriptions

    /** Describes each moment by the lines before and after it in the trace. */
    private List<String> between() {
        String[] lines = trace.text().split("\n", -1);
        List<String> named = new ArrayList<>();
        for (int moment : moments) {
            named.add("after \"" + line(lines, moment - 1) + "\" and before \"" + line(lines, moment) + "\"");
        }
        return named;
    }

    private static String line(String[] lines, int number) {
        // Without its time.
        return number < lines.length
                ? lines[number].strip().replaceFirst("\\S+\\s+", "").replaceAll("\\s+", " ")
                : "";
    }
}
