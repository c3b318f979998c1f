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

/** Takes a call from its beginning to its end. The order of writes is begin, effect, finish; each may be sent again. */
final class GuardRunner {

    private static final SafeLogger LOG = SafeLogger.of(Guard.class);

    // The same hold enters again, so a lost answer to the beginning does not leave the key held by nobody.
    private static final int BEGIN_TRIES = 2;
    private static final int RENEW_TRIES = 3;

    // The effect has happened, so its recording is worth some waiting: 20, 60, 180 and 540 ms.
    private static final int FINISH_TRIES = 5;
    private static final int FAIL_TRIES = 2;
    private static final long FIRST_PAUSE = 20_000_000;
    private static final int PAUSES_GROW_BY = 3;

    private static final long SHORTEST_LOOK = 1_000_000;
    private static final long FIRST_LOOK = 5_000_000;
    private static final long LONGEST_LOOK = 250_000_000;

    // No JSON begins like this: the mark of a result that could not be stored.
    private static final String NOT_STORED = "!";

    private final GuardStore store;
    private final GuardCodec codec;
    private final RandomGenerator random;
    private final CheckObserver observer;
    private final FinishedKeys finished;
    private final LongSupplier nanos;

    // Null inside a transaction of the caller's own: its lock holds the key, and what it sees is not final.
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
        if (!(store instanceof JoiningGuardStore joining)) {
            throw new InvalidInput("The guard store \"" + store.getClass().getSimpleName()
                    + "\" cannot join a JDBC transaction. Use one on SQLite or PostgreSQL.");
        }
        GuardStore joined = joining.joining(connection);
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
            beginning = patiently(call, hold);
        } catch (InvalidInput e) {
            throw e;
        } catch (RuntimeException e) {
            if (!isOpen(call) || Thread.currentThread().isInterrupted()) {
                LOG.error(
                        "The guard's store failed; the effect \"{}\" was not run",
                        call.settings().type(),
                        e);
                throw e;
            }
            LOG.warn(
                    "The guard's store failed; the effect \"{}\" runs unguarded",
                    call.settings().type(),
                    e);
            return new Outcome.Unguarded<>(unguarded(hold, effect));
        }
        return switch (beginning.begun()) {
            case Begun.Entered(boolean takenOver) -> entered(call, hold, takenOver, beginning.since(), effect);
            case Begun.Done done -> {
                LOG.debug(
                        "Skipped a duplicate: key \"{}\", type \"{}\"",
                        hold.key().key(),
                        call.settings().type());
                yield new Outcome.Repeated<>(decoded(hold.key(), done.result(), type), done.finishedAt());
            }
            case Begun.Busy(Duration remaining) -> busy(call, hold, remaining);
            case Begun.Conflicted conflicted -> throw conflict(hold, conflicted);
        };
    }

    /**
     * Whether a store that fails is passed over. Never inside a transaction of the caller's own: there a failure is most
     * often another transaction on the same key, and the caller can roll its own back.
     */
    private boolean isOpen(GuardCall call) {
        return renewals != null && call.settings().failMode() == FailMode.OPEN;
    }

    /** Runs an effect although the store did not answer. It may have entered all the same, so the outcome is told it. */
    private <T extends @Nullable Object, X extends Exception> T unguarded(Hold hold, Effect<T, X> effect) throws X {
        T result = effect.run(hold.key().effectToken());
        try {
            Settled settled = store.finish(hold, storable(hold, result));
            LOG.debug("The outcome of an unguarded effect was {}", settled);
        } catch (RuntimeException e) {
            LOG.debug("The outcome of an unguarded effect could not be recorded", e);
        }
        return result;
    }

    /**
     * How a call began.
     *
     * @param since when the store was asked for the hold, or to renew it: its lease runs since then at the earliest
     */
    private record Beginning(Begun begun, long since) {}

    /** Begins; while somebody else is busy and the call says so, looks again until its wait is over. */
    private Beginning patiently(GuardCall call, Hold hold) {
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
            // Not past the end of the other's lease: if it is dead, that is when it can be taken over.
            LockSupport.parkNanos(Math.min(Math.min(pause, left), Math.max(remaining.toNanos(), SHORTEST_LOOK)));
            if (Thread.currentThread().isInterrupted()) {
                observe(resultOf(begun), asked);
                return new Beginning(begun, asked);
            }
            pause = Math.min(pause * 2, LONGEST_LOOK);
        }
    }

    /**
     * Since when a hold that was entered is one; empty if it is none any more. An answer that took long may be older than the
     * lease: then the hold is renewed before the effect begins, and if somebody else has it by now, everything begins again.
     */
    private OptionalLong heldSince(Hold hold, long asked) {
        long enough = hold.lease().toNanos() / 3;
        long sent = asked;
        for (int tries = 0; renewals != null && nanos.getAsLong() - sent > enough; tries++) {
            if (tries == RENEW_TRIES) {
                throw new StoreUnavailable("The guard's store answers too slowly for a lease of "
                        + Durations.text(hold.lease()) + ". Try again, or set a longer lease.");
            }
            sent = nanos.getAsLong();
            if (again(BEGIN_TRIES, () -> store.renew(hold)) == Settled.STALE) {
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
            Begun begun = again(renewals == null ? 1 : BEGIN_TRIES, () -> store.begin(hold));
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
                    "Took over key \"{}\" of type \"{}\" from a call that vanished; whether its effect happened is not"
                            + " known",
                    hold.key().key(),
                    call.settings().type());
        }
        Renewals.Renewing renewing = renewals == null ? null : renewals.start(hold, nanos.getAsLong() - since);
        try {
            T result = attempted(hold, effect);
            return new Outcome.Ran<>(recorded(call, hold, result));
        } finally {
            if (renewing != null) {
                renewing.stop();
            }
        }
    }

    private <T extends @Nullable Object, X extends Exception> T attempted(Hold hold, Effect<T, X> effect) throws X {
        try {
            return effect.run(hold.key().effectToken());
        } catch (Throwable thrown) {
            failed(hold, thrown);
            throw thrown;
        }
    }

    /** Records a success. The result is the caller's, whatever becomes of the record. */
    private <T extends @Nullable Object> T recorded(GuardCall call, Hold hold, T result) {
        String stored = storable(hold, result);
        try {
            Settled settled = undisturbed(renewals == null ? 1 : FINISH_TRIES, () -> store.finish(hold, stored));
            if (settled == Settled.APPLIED) {
                return result;
            }
        } catch (RuntimeException e) {
            if (isOpen(call)) {
                LOG.warn(
                        "The outcome of key \"{}\" could not be recorded",
                        hold.key().key(),
                        e);
                return result;
            }
            LOG.error(
                    "The outcome of key \"{}\" could not be recorded",
                    hold.key().key(),
                    e);
            throw new OutcomeNotRecorded(
                    "The effect of key \"" + hold.key().key() + "\" ran, but the store failed when that was to be"
                            + " recorded. The result is in this exception; a later call may run the effect again.",
                    result,
                    e);
        }
        throw new OutcomeNotRecorded(
                "The effect of key \"" + hold.key().key() + "\" ran, but its hold was lost meanwhile: another call has"
                        + " taken it over, or the store has lost it. The result is in this exception; the effect may"
                        + " have run elsewhere as well, or run again.",
                result,
                null);
    }

    private void failed(Hold hold, Throwable thrown) {
        // Class and message, without the stack: enough to know, and no place for payloads of deep callers.
        String error = FailureText.summary(thrown);
        try {
            int tries = renewals == null ? 1 : FAIL_TRIES;
            if (undisturbed(tries, () -> store.fail(hold, error)) == Settled.STALE) {
                LOG.warn(
                        "The failure of key \"{}\" was not recorded: its hold was lost",
                        hold.key().key());
            }
        } catch (Throwable e) {
            // The caller gets its own exception; the key is free again when the lease has run out.
            LOG.warn(
                    "The failure of key \"{}\" could not be recorded",
                    hold.key().key(),
                    e);
            thrown.addSuppressed(e);
        }
    }

    private <T extends @Nullable Object> Outcome<T> busy(GuardCall call, Hold hold, Duration remaining) {
        if (call.settings().whenBusy() == WhenBusy.SKIP) {
            LOG.debug(
                    "Skipped an effect in progress elsewhere: key \"{}\", type \"{}\"",
                    hold.key().key(),
                    call.settings().type());
            return new Outcome.Skipped<>(remaining);
        }
        throw new InProgress(
                "The effect of key \"" + hold.key().key() + "\" is in progress elsewhere. Try again, in "
                        + remaining.toMillis() + " ms at the latest.",
                remaining);
    }

    private static GuardConflict conflict(Hold hold, Begun.Conflicted conflicted) {
        return new GuardConflict(
                "Key \"" + hold.key().key()
                        + "\" was used before with another payload. Nothing was run. Use another key,"
                        + " or make the key of all that tells the two apart.",
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
            throw new ResultNotStored(
                    "The effect of key \"" + key.key() + "\" has happened, but its result could not be"
                            + " stored. Make the result smaller, or return where it is kept.");
        }
        return codec.decode(result, type);
    }

    /** The text to store for a result. One that cannot be stored must not make the effect run again. */
    private @Nullable String storable(Hold hold, @Nullable Object result) {
        if (result == null) {
            return null;
        }
        try {
            return Json.parse(codec.encode(result)).text();
        } catch (Throwable e) {
            LOG.error(
                    "The result of key \"{}\" cannot be stored; duplicates will be told so",
                    hold.key().key(),
                    e);
            return NOT_STORED;
        }
    }

    /** The same for recordings. An interrupt is meant for the effect, which is over; the recording must not suffer from it. */
    private static <R> R undisturbed(int tries, Supplier<R> operation) {
        AtomicBoolean interrupted = new AtomicBoolean();
        try {
            return again(tries, () -> {
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

    /** Sends the same again after the store has failed, with growing pauses. */
    private static <R> R again(int tries, Supplier<R> operation) {
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
            LOG.warn("The observer of idempotency checks failed", e);
        }
    }
}
