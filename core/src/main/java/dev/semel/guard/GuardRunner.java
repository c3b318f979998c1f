package dev.semel.guard;

import dev.semel.task.CheckObserver;
import dev.semel.task.CheckResult;
import dev.semel.task.Durations;
import dev.semel.task.FailureText;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A runner of guarded calls. The order of steps is begin, effect, finish. Each write can be sent again. */
final class GuardRunner {

    private static final SafeLogger LOG = SafeLogger.of(Guard.class);

    // The same hold can enter again, so a lost answer to the beginning does not leave a key locked without a holder.
    private static final int BEGIN_TRIES = 2;
    private static final int RENEW_TRIES = 3;

    // The effect has happened, so recording it is worth several retries, after 20, 60, 180 and 540 ms.
    private static final int FINISH_TRIES = 5;
    private static final int FAIL_TRIES = 2;
    private static final long FIRST_PAUSE = 20_000_000;
    private static final int PAUSES_GROW_BY = 3;

    private static final long SHORTEST_LOOK = 1_000_000;
    private static final long FIRST_LOOK = 5_000_000;
    private static final long LONGEST_LOOK = 250_000_000;

    // The mark of a result that could not be stored. No JSON text begins with it.
    private static final String NOT_STORED = "!";

    private final GuardStore store;
    private final GuardCodec codec;
    private final RandomGenerator random;
    private final CheckObserver observer;
    private final FinishedKeys finished;
    private final LongSupplier nanos;

    // Null inside a transaction of the caller: the lock of the transaction holds the key, and what it reads is not
    // final.
    private final @Nullable Renewals renewals;

    GuardRunner(
            GuardStore store,
            GuardCodec codec,
            RandomGenerator random,
            CheckObserver observer,
            FinishedKeys finished,
            LongSupplier nanos,
            @Nullable Renewals renewals) {
        this.store = store;
        this.codec = codec;
        this.random = random;
        this.observer = observer;
        this.finished = finished;
        this.nanos = nanos;
        this.renewals = renewals;
    }

    GuardRunner joining(Connection connection) {
        GuardJoining joining = store.joining()
                .orElseThrow(() ->
                        new InvalidInput("The guard store \"" + store.getClass().getSimpleName()
                                + "\" cannot join a JDBC transaction. Use a guard store on SQLite or PostgreSQL."));
        GuardStore joined = joining.join(connection);
        return new GuardRunner(joined, codec, random, observer, new FinishedKeys(0, nanos), nanos, null);
    }

    <T extends @Nullable Object, X extends Exception> Outcome<T> run(GuardCall call, Class<T> type, Effect<T, X> effect)
            throws X {
        if (call.key().isEmpty()) {
            return new Outcome.Unguarded<>(effect.run(OwnerToken.next(random).hex()));
        }
        Hold hold = call.hold(OwnerToken.next(random));
        Beginning beginning;
        try {
            beginning = beginOrWait(call, hold);
        } catch (InvalidInput e) {
            throw e;
        } catch (RuntimeException e) {
            if (!isOpen(call) || Thread.currentThread().isInterrupted()) {
                LOG.error(
                        "Guard store failed, effect not run: type=\"{}\"",
                        call.settings().type(),
                        e);
                throw e;
            }
            LOG.warn(
                    "Guard store failed, effect runs unguarded: type=\"{}\"",
                    call.settings().type(),
                    e);
            return new Outcome.Unguarded<>(runUnguarded(hold, effect));
        }
        return switch (beginning.begun()) {
            case Begun.Entered(boolean takenOver) -> entered(call, hold, takenOver, beginning.since(), effect);
            case Begun.Done done -> {
                LOG.debug(
                        "Skipped duplicate effect: key=\"{}\" type=\"{}\"",
                        hold.key().key(),
                        call.settings().type());
                yield new Outcome.Repeated<>(decoded(hold.key(), done.result(), type), done.finishedAt());
            }
            case Begun.Busy(Duration remaining) -> busy(call, hold, remaining);
            case Begun.Conflicted conflicted -> throw conflict(hold, conflicted);
        };
    }

    /**
     * Returns whether effects run although the store fails. Always false inside a transaction of the caller: there a
     * failure is most often a conflict with another transaction on the same key, and the caller can roll back.
     */
    private boolean isOpen(GuardCall call) {
        return renewals != null && call.settings().failMode() == FailMode.OPEN;
    }

    /**
     * Runs an effect although the store did not answer. The beginning may have been stored, so the outcome is reported
     * to the store.
     */
    private <T extends @Nullable Object, X extends Exception> T runUnguarded(Hold hold, Effect<T, X> effect) throws X {
        T result = effect.run(hold.key().effectToken());
        try {
            Settled settled = store.finish(hold, storable(hold, result));
            LOG.debug("Reported outcome of unguarded effect: answer={}", settled);
        } catch (RuntimeException e) {
            LOG.debug("Recording outcome of unguarded effect failed", e);
        }
        return result;
    }

    /**
     * The beginning of a call.
     *
     * @param since when the request for the hold or its renewal was sent: the lease starts then at the earliest
     */
    private record Beginning(Begun begun, long since) {}

    /** Begins a call. While another call holds the key and the call is set to wait, polls until the wait limit. */
    private Beginning beginOrWait(GuardCall call, Hold hold) {
        long began = nanos.getAsLong();
        long limit = call.settings().waitLimit().toNanos();
        long pause = FIRST_LOOK;
        while (true) {
            long asked = nanos.getAsLong();
            Begun begun = checked(hold, asked);
            OptionalLong since = begun instanceof Begun.Entered ? heldSince(hold, asked) : OptionalLong.of(asked);
            if (since.isEmpty()) {
                continue;
            }
            long left = limit - (nanos.getAsLong() - began);
            if (!(begun instanceof Begun.Busy(Duration remaining))
                    || call.settings().whenBusy() != WhenBusy.WAIT
                    || left <= 0
                    || Thread.currentThread().isInterrupted()) {
                observe(resultOf(begun), asked);
                return new Beginning(begun, since.getAsLong());
            }
            // Not past the end of the other call's lease: if that call is dead, its key can be taken over then.
            LockSupport.parkNanos(Math.min(Math.min(pause, left), Math.max(remaining.toNanos(), SHORTEST_LOOK)));
            if (Thread.currentThread().isInterrupted()) {
                observe(resultOf(begun), asked);
                return new Beginning(begun, asked);
            }
            pause = Math.min(pause * 2, LONGEST_LOOK);
        }
    }

    /**
     * Returns since when an entered hold is valid; empty if it was lost. A slow answer may be older than the lease.
     * Then the hold is renewed before the effect begins, and if another call has taken over by now, the call begins
     * again.
     */
    private OptionalLong heldSince(Hold hold, long asked) {
        long enough = hold.lease().toNanos() / 3;
        long sent = asked;
        for (int tries = 0; renewals != null && nanos.getAsLong() - sent > enough; tries++) {
            if (tries == RENEW_TRIES) {
                throw new StoreUnavailable("The guard store answered too slowly for a lease of \""
                        + Durations.text(hold.lease()) + "\". Retry, or set a longer lease.");
            }
            sent = nanos.getAsLong();
            if (retry(BEGIN_TRIES, () -> store.renew(hold)) == Settled.STALE) {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(sent);
    }

    private Begun checked(Hold hold, long asked) {
        Begun known = finished.answer(hold);
        if (known != null) {
            return known;
        }
        try {
            Begun begun = retry(renewals == null ? 1 : BEGIN_TRIES, () -> store.begin(hold));
            if (begun instanceof Begun.Done done) {
                finished.remember(hold.key(), done, asked);
            }
            return begun;
        } catch (RuntimeException e) {
            observe(CheckResult.ERROR, asked);
            throw e;
        }
    }

    private <T extends @Nullable Object, X extends Exception> Outcome<T> entered(
            GuardCall call, Hold hold, boolean takenOver, long since, Effect<T, X> effect) throws X {
        if (takenOver) {
            LOG.warn(
                    "Took over key from a vanished call, whose effect has an unknown outcome: key=\"{}\" type=\"{}\"",
                    hold.key().key(),
                    call.settings().type());
        }
        Renewals.Renewal renewal = renewals == null ? null : renewals.start(hold, nanos.getAsLong() - since);
        try {
            T result = runEffect(hold, effect);
            return new Outcome.Ran<>(recordSuccess(call, hold, result));
        } finally {
            if (renewal != null) {
                renewal.stop();
            }
        }
    }

    private <T extends @Nullable Object, X extends Exception> T runEffect(Hold hold, Effect<T, X> effect) throws X {
        try {
            return effect.run(hold.key().effectToken());
        } catch (Throwable thrown) {
            recordFailure(hold, thrown);
            throw thrown;
        }
    }

    /** Records a success. The caller gets the result, even if it cannot be recorded. */
    private <T extends @Nullable Object> T recordSuccess(GuardCall call, Hold hold, T result) {
        String stored = storable(hold, result);
        try {
            Settled settled = retryUninterrupted(renewals == null ? 1 : FINISH_TRIES, () -> store.finish(hold, stored));
            if (settled == Settled.APPLIED) {
                return result;
            }
        } catch (RuntimeException e) {
            if (isOpen(call)) {
                LOG.warn("Recording the outcome failed: key=\"{}\"", hold.key().key(), e);
                return result;
            }
            LOG.error("Recording the outcome failed: key=\"{}\"", hold.key().key(), e);
            throw new OutcomeNotRecorded(
                    "The effect of key \"" + hold.key().key()
                            + "\" ran, but the store failed to record its outcome. The result is in this exception."
                            + " A later call may run the effect again.",
                    result,
                    e);
        }
        throw new OutcomeNotRecorded(
                "The effect of key \"" + hold.key().key()
                        + "\" ran, but lost its hold meanwhile: another call has taken over the key, or the store"
                        + " has lost the entry. The result is in this exception. The effect may have run elsewhere"
                        + " as well, or may run again.",
                result,
                null);
    }

    private void recordFailure(Hold hold, Throwable thrown) {
        // Class and message, without the stack, which may contain payloads of deep callers.
        String error = FailureText.summary(thrown);
        try {
            int tries = renewals == null ? 1 : FAIL_TRIES;
            if (retryUninterrupted(tries, () -> store.fail(hold, error)) == Settled.STALE) {
                LOG.warn(
                        "Failure not recorded, because the hold was lost: key=\"{}\"",
                        hold.key().key());
            }
        } catch (Throwable e) {
            // The caller gets the exception of the effect; the key is free again when the lease has expired.
            LOG.warn("Recording the failure failed: key=\"{}\"", hold.key().key(), e);
            thrown.addSuppressed(e);
        }
    }

    private <T extends @Nullable Object> Outcome<T> busy(GuardCall call, Hold hold, Duration remaining) {
        if (call.settings().whenBusy() == WhenBusy.SKIP) {
            LOG.debug(
                    "Skipped effect in progress elsewhere: key=\"{}\" type=\"{}\"",
                    hold.key().key(),
                    call.settings().type());
            return new Outcome.Skipped<>(remaining);
        }
        throw new InProgress(
                "The effect of key \"" + hold.key().key() + "\" is in progress elsewhere. Retry in "
                        + remaining.toMillis() + " ms at the latest.",
                remaining);
    }

    private static GuardConflict conflict(Hold hold, Begun.Conflicted conflicted) {
        return new GuardConflict(
                "Key \"" + hold.key().key()
                        + "\" was used before with a different payload. The effect was not run. Use another key, or"
                        + " include in the key what distinguishes the two payloads.",
                conflicted.existing(),
                Objects.requireNonNull(hold.payload()));
    }

    Optional<GuardEntry> find(GuardKey key) {
        return store.find(key);
    }

    String encoded(Object value) {
        return codec.encode(value);
    }

    @SuppressWarnings("NullAway") // a stored null is the result of an effect whose T includes it
    <T extends @Nullable Object> T decoded(GuardKey key, @Nullable String result, Class<T> type) {
        if (result == null) {
            return null;
        }
        if (result.startsWith(NOT_STORED)) {
            throw new ResultNotStored("The effect of key \"" + key.key()
                    + "\" has happened, but its result could not be stored. Return a smaller result, or a"
                    + " reference to it.");
        }
        return codec.decode(result, type);
    }

    /** Returns the text to store for a result. A result that cannot be stored must not make the effect run again. */
    private @Nullable String storable(Hold hold, @Nullable Object result) {
        if (result == null) {
            return null;
        }
        try {
            return Json.parse(codec.encode(result)).text();
        } catch (Throwable e) {
            LOG.error(
                    "Result cannot be stored, duplicates will get ResultNotStored: key=\"{}\"",
                    hold.key().key(),
                    e);
            return NOT_STORED;
        }
    }

    /**
     * Retries a recording without being interrupted. An interrupt is meant for the effect, which has ended, and must
     * not prevent the recording.
     */
    private static <R> R retryUninterrupted(int tries, Supplier<R> operation) {
        AtomicBoolean interrupted = new AtomicBoolean();
        try {
            return retry(tries, () -> {
                if (Thread.interrupted()) {
                    interrupted.set(true);
                }
                return operation.get();
            });
        } finally {
            if (interrupted.get()) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Retries an operation after the store has failed, with growing pauses. */
    private static <R> R retry(int tries, Supplier<R> operation) {
        long pause = FIRST_PAUSE;
        for (int tried = 1; ; tried++) {
            try {
                return operation.get();
            } catch (InvalidInput e) {
                throw e;
            } catch (RuntimeException e) {
                if (tried >= tries) {
                    throw e;
                }
            }
            LockSupport.parkNanos(pause);
            pause *= PAUSES_GROW_BY;
        }
    }

    private static CheckResult resultOf(Begun begun) {
        return switch (begun) {
            case Begun.Entered entered -> CheckResult.NEW;
            case Begun.Done done -> CheckResult.DUPLICATE;
            case Begun.Busy busy -> CheckResult.DUPLICATE;
            case Begun.Conflicted conflicted -> CheckResult.CONFLICT;
        };
    }

    private void observe(CheckResult result, long asked) {
        try {
            observer.checked(result, Duration.ofNanos(nanos.getAsLong() - asked));
        } catch (Throwable e) {
            LOG.warn("Observer of idempotency checks failed", e);
        }
    }
}
