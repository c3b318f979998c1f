package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.store.Applied;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Transition;
import dev.semel.task.Durations;
import dev.semel.task.EffectId;
import dev.semel.task.EffectNotDone;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.LeaseLost;
import dev.semel.task.PermanentFailure;
import dev.semel.task.SafeLogger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The effects of one attempt. A handler may run them from several threads.
 *
 * <p>The order of writes is: the intent, durable before the effect begins; the effect; its outcome, which goes to the worker's
 * outbox before anything else of this attempt does. So an attempt that dies leaves each effect in one of three ways: not
 * intended (it did not happen), intended (unknown), or with an outcome.
 */
final class Effects {

    /** The most effects of one attempt: all that a lineage recorded are read at once. */
    static final int MOST = 10_000;

    private static final SafeLogger LOG = SafeLogger.of(Effects.class);

    private final TaskContext context;
    private final Lease lease;
    private final Codec codec;
    private final Ledger ledger;

    // All guarded by this.
    private final Set<EffectId> begun = new HashSet<>();
    private @Nullable Map<EffectId, EffectRecord> known;
    private boolean outdated;

    Effects(TaskContext context, Codec codec, Ledger ledger) {
        this.context = context;
        this.lease = context.claimed().lease();
        this.codec = codec;
        this.ledger = ledger;
    }

    /** A result that is there without running the effect. */
    private record Found<T extends @Nullable Object>(T result) {}

    <T extends @Nullable Object, X extends Exception> T run(EffectCall<T> call, Effect<T, X> effect) throws X {
        begin(call.id());
        try {
            while (true) {
                Found<T> found = found(call);
                if (found != null) {
                    return found.result();
                }
                if (intended(call)) {
                    return ran(call, effect);
                }
                forget(); // somebody has found out meanwhile: look again
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException stopped = new CancellationException(
                    "The thread was interrupted while effect \"" + call.id().label() + "\" waited for the store.");
            stopped.initCause(e);
            throw stopped;
        }
    }

    /** What is recorded, or found out by the call's policy; null if the effect is to run. */
    private <T extends @Nullable Object> @Nullable Found<T> found(EffectCall<T> call) throws InterruptedException {
        EffectRecord record = recorded(call.id());
        if (record == null) {
            return null;
        }
        return switch (record.state()) {
            case NOT_DONE -> null;
            case DONE -> {
                LOG.debug(
                        "Effect {} of task {} is recorded and not run",
                        call.id().label(),
                        context.taskId());
                yield new Found<>(decoded(call, record.result()));
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
                // In one commit with the intent that follows.
                recordSoon(call, new EffectOutcome.NotDone("the provider says that nothing happened", How.PROBED));
                yield null;
            }
            case Probe.Unknown<T>(String reason) -> throw parked(call, "the provider cannot tell: " + reason);
        };
    }

    private static <T extends @Nullable Object> Probe.Answer<T> asked(EffectCall<T> call, Probe<T> probe)
            throws InterruptedException {
        try {
            return Objects.requireNonNull(probe.ask(call.id().token()), "a probe answers");
        } catch (RuntimeException | InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(
                    "The probe of effect \"" + call.id().label() + "\" failed, so its outcome stays unknown.", e);
        }
    }

    /** Records an outcome that was found out without running the effect; null if another one is recorded. */
    private <T extends @Nullable Object> @Nullable Found<T> settled(EffectCall<T> call, T result, How how)
            throws InterruptedException {
        Applied answer = ledger.record(conclusion(call, new EffectOutcome.Done(encoded(call, result), how)));
        if (answer == Applied.SETTLED) {
            forget();
            return found(call);
        }
        requireApplied(answer);
        return new Found<>(result);
    }

    /** Records the intent; tells whether the effect may run. */
    private boolean intended(EffectCall<?> call) throws InterruptedException {
        Applied answer;
        try {
            answer = ledger.record(new Transition.Intend(lease, call.id(), call.window()));
        } catch (InterruptedException e) {
            if (!runsAgain(call)) {
                recordSoon(call, new EffectOutcome.NotDone("interrupted before it began", How.RAN));
            }
            throw e;
        }
        if (answer == Applied.TOO_LATE) {
            throw tooLate(call);
        }
        if (answer != Applied.SETTLED) {
            requireApplied(answer);
        }
        return answer != Applied.SETTLED;
    }

    /** Whether an earlier attempt may have run the effect: then nobody can say that nothing happened. */
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
            if (answer == Applied.STALE || answer == Applied.NOT_FOUND) {
                context.loseLease();
            }
        });
    }

    private Transition.Conclude conclusion(EffectCall<?> call, EffectOutcome outcome) {
        return new Transition.Conclude(lease, call.id(), outcome);
    }

    /** Waits until all outcomes so far are durable. */
    void flush() throws InterruptedException {
        if (!isUnused()) {
            ledger.flush();
        }
    }

    private synchronized boolean isUnused() {
        return begun.isEmpty();
    }

    private synchronized void begin(EffectId id) {
        context.requireOpen("run effect \"" + id.label() + "\"");
        if (begun.size() == MOST) {
            throw new InvalidInput("An attempt runs at most " + MOST + " effects, but effect \"" + id.label()
                    + "\" is one more. Split the task.");
        }
        if (!begun.add(id)) {
            throw new InvalidInput("An effect runs once in an attempt, but effect \"" + id.label()
                    + "\" was run before. Give each effect a name of its own, or an index in a loop.");
        }
    }

    /** What the ledger says of an effect, or null for nothing. */
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

    /** The ledger knows more than was read: of the first attempt too, whose task was made again after it was swept. */
    private synchronized void forget() {
        known = null;
        outdated = true;
    }

    private synchronized boolean isOutdated() {
        return outdated;
    }

    private void requireApplied(Applied answer) {
        if (answer != Applied.APPLIED) {
            context.loseLease();
            throw new LeaseLost("Another attempt has taken over from attempt " + lease.attempt() + " of task "
                    + lease.taskId() + ", so it can record no effects.");
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
        String message =
                "Parked, because nobody knows whether effect \"" + call.id().label() + "\" happened: " + reason + ".";
        LOG.warn("Task {} is parked: {}", context.taskId(), message);
        Parked parked = new Parked(call.id(), message);
        context.park(parked);
        return parked;
    }

    private <T extends @Nullable Object> @Nullable String encoded(EffectCall<T> call, T result) {
        if (result == null) {
            return null;
        }
        String json = codec.encode(result);
        try {
            Json.parse(json);
        } catch (InvalidInput e) {
            throw new InvalidInput(
                    "Effect \"" + call.id().label() + "\" has a result that cannot be stored: " + e.getMessage(), e);
        }
        return json;
    }

    @SuppressWarnings("NullAway") // what was recorded as nothing is nothing again
    private <T extends @Nullable Object> T decoded(EffectCall<T> call, @Nullable String json) {
        if (json == null) {
            return null;
        }
        try {
            return codec.decode(json, call.result());
        } catch (InvalidInput e) {
            throw new InvalidInput(
                    "The recorded result of effect \"" + call.id().label() + "\" does not fit "
                            + call.result().getSimpleName() + ": " + e.getMessage(),
                    e);
        }
    }
}
