package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.observe.EffectResult;
import dev.semel.observe.Observation;
import dev.semel.observe.Span;
import dev.semel.observe.Tracing;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.StoredFlow;
import dev.semel.task.Durations;
import dev.semel.task.EffectId;
import dev.semel.task.EffectNotDone;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.LeaseLost;
import dev.semel.task.PermanentFailure;
import dev.semel.task.SafeLogger;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The effects of one attempt. A handler may run them from several threads.
 *
 * <p>The order of writes is: the intent, durable before the effect starts; the effect; its outcome, which enters the
 * worker's outbox before any later settlement of this attempt. So an attempt that dies leaves each effect in one of
 * three states: not intended (it did not happen), intended (unknown), or with an outcome.
 */
final class Effects {

    /** The most effects of one attempt. It is bounded because all effects of a lineage are read at once. */
    static final int MOST = 10_000;

    private static final SafeLogger LOG = SafeLogger.of(Effects.class);

    private final TaskContext context;
    private final Lease lease;
    private final Codec codec;
    private final Ledger ledger;
    private final Observation observation;

    // All guarded by the monitor of this object.
    private final Set<EffectId> begun = new HashSet<>();
    private final Set<EffectCall<?>> prepared = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<EffectId> running = new LinkedHashSet<>();
    private @Nullable Map<EffectId, EffectRecord> known;
    private boolean outdated;

    Effects(TaskContext context, Codec codec, Ledger ledger, Observation observation) {
        this.observation = observation;
        this.context = context;
        this.lease = context.claimed().lease();
        this.codec = codec;
        this.ledger = ledger;
    }

    /** A result that is known without running the effect. */
    private record Found<T extends @Nullable Object>(T result, EffectResult how) {}

    /** The result of an effect, unless a person has to resolve it. */
    <T extends @Nullable Object, X extends Exception> T run(EffectCall<T> call, Effect<T, X> effect) throws X {
        return switch (perform(call, effect, true)) {
            case LocalOutcome.Done<T>(T result, @Nullable String resolved) -> result;
            case LocalOutcome.Referred<T> referred ->
                throw new IllegalStateException(
                        "Only a workflow goes on without effect \"" + call.id().label() + "\"");
        };
    }

    /**
     * Runs a local step of a workflow, unless it is known how it ended or a person has to resolve it.
     *
     * @param readAgain whether the ledger has changed since it was read
     * @param runs whether it may run
     */
    <T extends @Nullable Object, X extends Exception> LocalOutcome<T> local(
            EffectCall<T> call, Effect<T, X> effect, boolean readAgain, boolean runs) throws X {
        if (readAgain) {
            forget();
        }
        return perform(call, effect, runs);
    }

    /** Refers an effect to a person anew, after its restarted workflow came there again. */
    void referAgain(EffectCall<?> call) throws InterruptedException {
        EffectRecord record = recorded(call.id());
        String reason = record == null || record.note() == null ? "given up before" : record.note();
        Settled answer = ledger.record(new Settlement.Refer(lease, call.id(), reason));
        if (answer != Settled.CONCLUDED) { // otherwise an entry in the inbox follows
            requireApplied(answer);
        }
    }

    private <T extends @Nullable Object, X extends Exception> LocalOutcome<T> perform(
            EffectCall<T> call, Effect<T, X> effect, boolean runs) throws X {
        begin(call);
        EffectResult result = EffectResult.NOT_RUN;
        Span span = Span.NONE;
        try {
            span = span(call.id());
            while (true) {
                EffectRecord record = recorded(call.id());
                String resolved = resolution(record);
                boolean done = record != null && record.state() == EffectState.DONE;
                if (isReferred(record) || (!runs && !done)) {
                    return new LocalOutcome.Referred<>(resolved);
                }
                try {
                    Found<T> found = found(call);
                    if (found != null) {
                        result = found.how();
                        return new LocalOutcome.Done<>(found.result(), resolved);
                    }
                    if (intended(call)) {
                        result = EffectResult.UNKNOWN; // unless it returns
                        T returned = ran(call, effect);
                        result = EffectResult.DONE;
                        return new LocalOutcome.Done<>(returned, resolved);
                    }
                } catch (Parked e) {
                    if (!context.isReplayed()) {
                        throw e;
                    }
                    if (referred(call, e.reason())) {
                        result = EffectResult.PARKED;
                        return new LocalOutcome.Referred<>(null);
                    }
                }
                forget(); // an outcome was recorded meanwhile: read the ledger again
            }
        } catch (EffectNotDone e) {
            result = EffectResult.NOT_DONE;
            throw e;
        } catch (Parked e) {
            result = EffectResult.PARKED;
            throw e;
        } catch (InterruptedException e) {
            throw interrupted(call, e);
        } finally {
            span.end(
                    result.word(),
                    result == EffectResult.UNKNOWN ? "The effect failed, its outcome is unknown." : null);
            observation.observer().effect(context.queue(), context.type(), result);
            finished(call.id());
        }
    }

    static CancellationException interrupted(EffectCall<?> call, InterruptedException e) {
        Thread.currentThread().interrupt();
        CancellationException stopped = new CancellationException(
                "The thread was interrupted while effect \"" + call.id().label() + "\" waited for the store.");
        stopped.initCause(e);
        return stopped;
    }

    /**
     * Returns whether this workflow has left an effect to a person. From then on only a resolution ends it, whatever the policy says by now: its
     * code may have gone on because the step was open.
     */
    private boolean isReferred(@Nullable EffectRecord record) {
        return context.isReplayed()
                && record != null
                && record.state() == EffectState.UNKNOWN
                && record.note() != null
                && record.by().taskId().equals(context.taskId());
    }

    /** Returns the key of the entry that the last resolution of an effect left in this workflow's inbox, or null. */
    private @Nullable String resolution(@Nullable EffectRecord record) {
        if (!context.isReplayed()
                || record == null
                || record.resolution() == null
                || !record.by().taskId().equals(context.taskId())) {
            return null;
        }
        Resolution.Verdict verdict = record.resolution().verdict();
        boolean last = record.how() == How.RESOLVED
                || (verdict == Resolution.Verdict.GIVE_UP
                        && record.state() == EffectState.UNKNOWN
                        && record.note() != null);
        return last ? StoredFlow.resolvedKey(record.id(), record.by().attempt(), verdict) : null;
    }

    /** Leaves an effect to a person; returns false if an outcome was recorded meanwhile. */
    private boolean referred(EffectCall<?> call, String reason) throws InterruptedException {
        Settled answer = ledger.record(new Settlement.Refer(lease, call.id(), reason));
        if (answer == Settled.CONCLUDED) {
            return false;
        }
        requireApplied(answer);
        LOG.warn("Workflow waits for a person: task={} reason={}", context.taskId(), reason);
        return true;
    }

    /** Begins the span of an effect. A workflow's code comes past its finished local steps in each turn: those have one already. */
    private Span span(EffectId id) throws InterruptedException {
        Tracing tracing = observation.tracing();
        if (!tracing.equals(Tracing.NONE) && context.isReplayed()) {
            EffectRecord record = recorded(id);
            if (record != null && record.state() == EffectState.DONE) {
                return Span.NONE;
            }
        }
        return tracing.effect(id.name());
    }

    /** Notes an effect that is about to run. */
    synchronized void prepared(EffectCall<?> call) {
        prepared.add(call);
    }

    private synchronized void finished(EffectId id) {
        running.remove(id);
    }

    /**
     * Checks the effects of a handler that has returned, after which no effect begins any more.
     *
     * @throws PermanentFailure if an effect was prepared and not run
     * @throws InvalidInput if an effect still runs on another thread. The task must not complete with it: what became
     *     of it would stay unknown, and nobody would ask. After a retry its policy decides
     */
    synchronized void end() {
        if (!running.isEmpty()) {
            throw new InvalidInput("The handler returned while effect \""
                    + running.iterator().next().label()
                    + "\" was still running on another thread, so its outcome is unknown. Wait for all effects before"
                    + " returning.");
        }
        if (!prepared.isEmpty()) {
            throw new PermanentFailure("The handler prepared effect \""
                    + prepared.iterator().next().id().label()
                    + "\" with context.effect(name, class) and returned without running it. End the call with run(…).");
        }
    }

    /** Returns the result that is recorded or that the policy determines, or null if the effect has to run. */
    private <T extends @Nullable Object> @Nullable Found<T> found(EffectCall<T> call) throws InterruptedException {
        EffectRecord record = recorded(call.id());
        if (record == null) {
            return null;
        }
        return switch (record.state()) {
            case NOT_DONE -> null;
            case DONE -> {
                LOG.debug(
                        "Effect skipped, its outcome is recorded: task={} effect={}",
                        context.taskId(),
                        call.id().label());
                yield new Found<>(decoded(call, record.result()), EffectResult.RECORDED);
            }
            case IN_PROGRESS, UNKNOWN ->
                switch (call.whenUnknown()) {
                    case EffectCall.Retry<T> retry -> null;
                    case EffectCall.Park<T> park ->
                        throw parked(call, "attempt " + record.by().attempt() + " began it and left no outcome");
                    case EffectCall.Assume<T>(T assumed) -> settled(call, assumed, How.ASSUMED);
                    case EffectCall.Ask<T>(Probe<T> probe) -> probed(call, probe);
                };
        };
    }

    private <T extends @Nullable Object> @Nullable Found<T> probed(EffectCall<T> call, Probe<T> probe)
            throws InterruptedException {
        return switch (asked(call, probe)) {
            case Probe.Done<T>(T result) -> settled(call, result, How.PROBED);
            case Probe.NotDone<T> notDone -> {
                // Shares a commit with the intent that follows.
                recordSoon(call, new EffectOutcome.NotDone("the provider says that nothing happened", How.PROBED));
                yield null;
            }
            case Probe.Unknown<T>(String reason) -> throw parked(call, "the provider cannot tell: " + reason);
        };
    }

    private static <T extends @Nullable Object> Probe.Answer<T> asked(EffectCall<T> call, Probe<T> probe)
            throws InterruptedException {
        try {
            return Objects.requireNonNull(probe.ask(call.id().token()), "a probe must not return null");
        } catch (RuntimeException | InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(
                    "The probe of effect \"" + call.id().label() + "\" failed, so its outcome stays unknown.", e);
        }
    }

    /** Records an outcome that was determined without running the effect; null if the effect has to run after all. */
    private <T extends @Nullable Object> @Nullable Found<T> settled(EffectCall<T> call, T result, How how)
            throws InterruptedException {
        Settled answer = ledger.record(conclusion(call, new EffectOutcome.Done(encoded(call, result), how)));
        if (answer == Settled.CONCLUDED) {
            forget();
            return found(call);
        }
        requireApplied(answer);
        return new Found<>(result, EffectResult.FOUND);
    }

    /** Records the intent and returns whether the effect may run. */
    private boolean intended(EffectCall<?> call) throws InterruptedException {
        Settled answer;
        try {
            answer = ledger.record(new Settlement.Intend(lease, call.id(), call.window()));
        } catch (InterruptedException e) {
            if (!runsAgain(call)) {
                recordSoon(call, new EffectOutcome.NotDone("interrupted before it started", How.RAN));
            }
            throw e;
        }
        if (answer == Settled.TOO_LATE) {
            throw tooLate(call);
        }
        if (answer != Settled.CONCLUDED) {
            requireApplied(answer);
        }
        return answer != Settled.CONCLUDED;
    }

    /**
     * Returns whether an earlier attempt may have run the effect, so that its outcome cannot be recorded as not done.
     */
    private synchronized boolean runsAgain(EffectCall<?> call) {
        EffectRecord record = known == null ? null : known.get(call.id());
        return call.whenUnknown() instanceof EffectCall.Retry
                && record != null
                && record.state() != EffectState.NOT_DONE;
    }

    private <T extends @Nullable Object, X extends Exception> T ran(EffectCall<T> call, Effect<T, X> effect)
            throws X, InterruptedException {
        T result;
        try {
            result = effect.run(call.id().token());
        } catch (EffectNotDone e) {
            String reason = e.getMessage();
            recordSoon(call, new EffectOutcome.NotDone(reason == null ? "nothing happened" : reason, How.RAN));
            throw e;
        }
        EffectOutcome outcome = new EffectOutcome.Done(encoded(call, result), How.RAN);
        if (call.recordsAtOnce()) {
            requireApplied(ledger.record(conclusion(call, outcome)));
        } else {
            recordSoon(call, outcome);
        }
        return result;
    }

    private void recordSoon(EffectCall<?> call, EffectOutcome outcome) {
        ledger.recordSoon(conclusion(call, outcome), answer -> {
            if (answer == Settled.STALE || answer == Settled.NOT_FOUND) {
                context.loseLease();
            }
        });
    }

    private Settlement.Conclude conclusion(EffectCall<?> call, EffectOutcome outcome) {
        return new Settlement.Conclude(lease, call.id(), outcome);
    }

    /** Waits until all outcomes recorded so far are durable. */
    void flush() throws InterruptedException {
        if (!isUnused()) {
            ledger.flush();
        }
    }

    private synchronized boolean isUnused() {
        return begun.isEmpty();
    }

    private synchronized void begin(EffectCall<?> call) {
        EffectId id = call.id();
        prepared.remove(call);
        context.requireOpen("run effect \"" + id.label() + "\"");
        if (begun.size() == MOST) {
            throw new InvalidInput("An attempt runs at most " + MOST + " effects, but effect \"" + id.label()
                    + "\" exceeds that. Split the task.");
        }
        if (!begun.add(id)) {
            throw new InvalidInput("An effect runs once in an attempt, but effect \"" + id.label()
                    + "\" was run before. Give each effect a unique name, or an index in a loop.");
        }
        running.add(id);
    }

    /** Returns the ledger's record of an effect, or null. */
    private @Nullable EffectRecord recorded(EffectId id) throws InterruptedException {
        Map<EffectId, EffectRecord> found = remembered();
        if (found == null) {
            found = new HashMap<>();
            if (context.mayHaveEarlierEffects() || isOutdated()) {
                for (EffectRecord effect : ledger.read(id.lineage())) {
                    found.put(effect.id(), effect);
                }
            }
            remember(found);
        }
        return found.get(id);
    }

    private synchronized @Nullable Map<EffectId, EffectRecord> remembered() {
        return known;
    }

    private synchronized void remember(Map<EffectId, EffectRecord> found) {
        known = found;
    }

    /** Discards what was read, because the ledger has more. A first attempt can have records if its task was swept. */
    private synchronized void forget() {
        known = null;
        outdated = true;
    }

    private synchronized boolean isOutdated() {
        return outdated;
    }

    private void requireApplied(Settled answer) {
        if (answer != Settled.APPLIED) {
            context.loseLease();
            throw new LeaseLost("Another attempt has taken over from attempt " + lease.attempt() + " of task "
                    + lease.taskId() + ", so it can no longer record effects.");
        }
    }

    private RuntimeException tooLate(EffectCall<?> call) {
        String window = call.window() == null ? "its window" : "its window of " + Durations.text(call.window());
        String reason =
                "an earlier attempt began it and left no outcome, and its provider has forgotten the token, because "
                        + window + " is over";
        return call.failsAfterWindow()
                ? new PermanentFailure("Effect \"" + call.id().label() + "\" is not run again: " + reason + ".")
                : parked(call, reason);
    }

    private Parked parked(EffectCall<?> call, String reason) {
        String message = (context.isReplayed() ? "Waits for a person" : "Parked")
                + ", because it is unknown whether effect \"" + call.id().label() + "\" happened: " + reason + ".";
        Parked parked = new Parked(call.id(), message);
        if (!context.isReplayed()) {
            LOG.warn("Task parked: task={} reason={}", context.taskId(), message);
            context.park(parked);
        }
        return parked;
    }

    private <T extends @Nullable Object> @Nullable String encoded(EffectCall<T> call, T result) {
        if (result == null) {
            return null;
        }
        try {
            String json = codec.encode(result, call.result());
            Json.parse(json);
            return json;
        } catch (InvalidInput e) {
            throw new InvalidInput(
                    "Effect \"" + call.id().label() + "\" has a result that cannot be stored: " + e.getMessage(), e);
        }
    }

    @SuppressWarnings("NullAway") // a result that was recorded as null is null again
    private <T extends @Nullable Object> T decoded(EffectCall<T> call, @Nullable String json) {
        if (json == null) {
            return null;
        }
        try {
            return codec.decode(json, call.result());
        } catch (InvalidInput e) {
            throw new InvalidInput(
                    "The recorded result of effect \"" + call.id().label() + "\" does not fit " + call.result() + ": "
                            + e.getMessage(),
                    e);
        }
    }
}
