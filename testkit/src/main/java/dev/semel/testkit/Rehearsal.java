package dev.semel.testkit;

import dev.semel.engine.Codec;
import dev.semel.engine.Handlers;
import dev.semel.store.Claims;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Resolution;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
import dev.semel.task.StoreUnavailable;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One task of one handler, on real worker loops and a store in memory, on virtual time, with one fault or none. This is what
 * {@link HandlerTrial} is made of.
 *
 * <p>Nothing is left to chance: a rehearsal with a fault is the same as one without, up to the moment of the fault.
 */
final class Rehearsal {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration WAY = Duration.ofMillis(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration RESTART = Duration.ofMillis(100);
    private static final Duration LONG_FREEZE = Duration.ofMinutes(10);

    // A frozen process goes on while the next attempt is at its beginning.
    private static final Duration OVERLAP = Duration.ofMillis(3);

    // Long enough for everybody else to have come to an end, frozen processes too.
    private static final Duration PERSONS_TIME = Duration.ofHours(1);
    private static final Duration AFTERMATH = Duration.ofMinutes(1);
    private static final Duration MOST_TIME = Duration.ofDays(30);
    private static final int MOST_EVENTS = 1_000_000;

    /** What goes wrong. */
    enum Kind {
        /** Nothing. */
        NONE,
        /** The process of the handler is gone, and another one is started. */
        CRASH,
        /** The process of the handler stands still until long after another one has taken over its task. */
        FREEZE,
        /** The process of the handler stands still, and goes on just when another one has taken over its task. */
        FREEZE_BRIEFLY,
        /** A call of the process does not reach the store. */
        REQUEST_LOST,
        /** A call of the process is done by the store, and not answered. */
        ANSWER_LOST,
        /** A provider does what it is asked for, and does not answer. */
        NO_ANSWER
    }

    /**
     * What goes wrong, and when.
     *
     * @param kind what
     * @param number at which moment, in which call to the store, or in which call to a provider; from 1
     */
    record Fault(Kind kind, int number) {

        /** Nothing goes wrong. */
        public static final Fault NONE = new Fault(Kind.NONE, 0);
    }

    /**
     * What is rehearsed.
     *
     * @param task the task
     * @param handlers its handler
     * @param codec how inputs and results are written
     * @param person what somebody says about an effect of which nobody knows; null if nobody says anything
     */
    record Part(NewTask task, Handlers handlers, Codec codec, Function<EffectRecord, @Nullable Resolution> person) {}

    /**
     * What came of it.
     *
     * @param task the task in the end
     * @param stuck why it was not waited for any longer, or null if it has ended
     * @param moments the moments at which the process of the handler can crash or freeze, each between what was before it and
     *     what comes after it
     * @param calls its calls to the store while it has the task
     * @param providerCalls the calls to providers
     * @param happened whether the fault came about
     * @param timeline what happened, for people
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

    // Where in the trace each moment was.
    private final List<Integer> moments = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> providerCalls = new ArrayList<>();

    private @Nullable Part part;
    private boolean handed;
    private boolean happened;
    private boolean personAsked;
    private boolean personSilent;
    private long quietFrom;
    private boolean over;

    /**
     * Makes a rehearsal.
     *
     * @param fault what goes wrong in it
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

    /** A handler was started. */
    void started(HandlerThread handler) {
        handlers.add(handler);
    }

    /**
     * Adds a line to the timeline.
     *
     * @param party who
     * @param what does what
     */
    void note(String party, String what) {
        if (!over) {
            trace.line(party, what);
        }
    }

    /** Called on a handler's thread at a moment at which its process may crash or freeze; then it comes no further. */
    void moment() {
        workers.forEach(worker -> worker.host().moment());
    }

    /**
     * Called on a handler's thread by a provider that has done what it was asked for.
     *
     * @param what what it did
     * @return whether it does not answer
     */
    boolean losesProvidersAnswer(String what) {
        if (isCounted(workers.getFirst())) {
            providerCalls.add(what);
            return strikes(Kind.NO_ANSWER, providerCalls.size());
        }
        return false;
    }

    /**
     * Lets it all happen.
     *
     * @param whole what is rehearsed
     * @param atTheEnd looks at what the handler did; after that the handlers of crashed processes are unwound, and may do
     *     more
     * @return what came of it
     */
    Ending perform(Part whole, Runnable atTheEnd) {
        part = whole;
        try (store) {
            note("submitter", "submits a task of type \"" + whole.task().type() + "\"");
            store.submit(List.of(whole.task()));
            startWorker();
            String stuck = live();
            atTheEnd.run();
            return new Ending(task(), stuck, between(), calls, providerCalls, happened, trace.text());
        } finally {
            over = true;
            handlers.forEach(HandlerThread::unwind);
        }
    }

    private void startWorker() {
        workers.add(new RehearsalWorker(this, workers.size() + 1, Objects.requireNonNull(part)));
    }

    private Task task() {
        NewTask task = Objects.requireNonNull(part).task();
        return Objects.requireNonNull(store.find(List.of(task.id())).get(task.id()));
    }

    /** Lets everything happen until the task has ended and nobody is at it any more; tells why it could not wait for that. */
    private @Nullable String live() {
        long deadline = MOST_TIME.toNanos();
        try {
            while (!personSilent && timeline.runNext(deadline)) {
                Task task = task();
                if (task.state() == TaskState.WAITING && !personAsked) {
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
                ? "it is parked, and nobody says what became of its effect"
                : "it has not ended within " + MOST_TIME.toDays() + " days of virtual time";
    }

    // ---- what goes wrong

    /** Whether the fault can be in what this worker does now: while it has the task, and before that has ended. */
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

    /** One of the moments at which a process may crash or freeze; tells whether it does. */
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
        timeline.after(time, worker, () -> note(worker.name(), "goes on"));
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
        String said = RehearsalWords.of(call);
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
                return; // it was on its way when its sender died; that it arrives is another moment
            }
            T answer = call.on(store);
            boolean idle = answer instanceof Claims claims && claims.tasks().isEmpty();
            if (!idle) {
                note("store", "answers " + worker.name() + " with " + RehearsalWords.ofAnswer(answer));
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
            note(worker.name(), "got no answer when it " + said);
            failed.accept(new StoreUnavailable("The answer was lost on purpose"));
        });
    }

    // ---- what a person says

    private void askPerson() {
        personAsked = false;
        Task task = task();
        if (task.state() != TaskState.WAITING) {
            return;
        }
        boolean said = false;
        for (EffectRecord effect : store.effects(List.of(task.lineage())).getOrDefault(task.lineage(), List.of())) {
            if (effect.state() == EffectState.UNKNOWN) {
                Resolution word = Objects.requireNonNull(part).person().apply(effect);
                if (word != null) {
                    said = true;
                    Transition.Resolve move = new Transition.Resolve(effect.id(), effect.by(), word);
                    note("person", RehearsalWords.of(move));
                    note("store", "answers person with " + RehearsalWords.ofAnswer(store.apply(List.of(move))));
                }
            }
        }
        personSilent = !said;
    }

    // ---- words

    /** Each moment by what is before and after it in the trace. */
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
