package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.guard.GuardedAction;
import dev.semel.store.Applied;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.TransactingStore;
import dev.semel.task.InvalidInput;
import dev.semel.task.LeaseLost;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The attempt that a handler runs under. */
public final class TaskContext {

    private final Claimed claimed;
    private final @Nullable Instant deadline;
    private final Codec codec;
    private final TaskStore store;
    private final Ledger ledger;

    // Written by the worker's loop, read by the handler's thread.
    private volatile boolean cancelled;
    private volatile boolean leaseLost;
    private volatile boolean timedOut;

    // Written and read by the handler's threads. Most tasks have no effects.
    private @Nullable Effects effects;
    private volatile @Nullable Parked parked;
    private volatile boolean transacting;
    private volatile boolean completed;
    private volatile boolean storeFailed;

    TaskContext(Claimed claimed, @Nullable Instant deadline, Codec codec, Ledger ledger, TaskStore store) {
        this.claimed = claimed;
        this.deadline = deadline;
        this.codec = codec;
        this.store = store;
        this.ledger = ledger;
    }

    /**
     * The task.
     *
     * @return its id
     */
    public TaskId taskId() {
        return claimed.task().id();
    }

    /**
     * The task type.
     *
     * @return its name
     */
    public String type() {
        return claimed.task().type();
    }

    /**
     * The queue.
     *
     * @return its name
     */
    public String queue() {
        return claimed.task().queue();
    }

    /**
     * The tenant.
     *
     * @return its name
     */
    public String tenant() {
        return claimed.task().tenant();
    }

    /**
     * The idempotency key.
     *
     * @return the key; empty for a task without one
     */
    public Optional<String> key() {
        return Optional.ofNullable(claimed.task().identity()).map(identity -> identity.key());
    }

    /**
     * How many tasks were made under this task's identity, this one included.
     *
     * @return 1, 2, 3 …
     */
    public int run() {
        return claimed.task().run();
    }

    /**
     * The number of this attempt: it rises with every claim and never falls, so it can serve as a fencing token towards
     * systems that compare numbers.
     *
     * @return the number
     */
    public int attempt() {
        return claimed.lease().attempt();
    }

    /**
     * How many attempts have failed before this one.
     *
     * @return the number of failures
     */
    public int failures() {
        return claimed.task().progress().failures();
    }

    /**
     * When this attempt will have run too long.
     *
     * @return the time by this machine's clock; empty without a timeout
     */
    public Optional<Instant> deadline() {
        return Optional.ofNullable(deadline);
    }

    /**
     * Tells whether somebody wants this task to be cancelled. The handler's thread is interrupted as well.
     *
     * @return whether to stop
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Tells whether this attempt may no longer change the task: its lease has passed to another attempt, or it ran too
     * long. The handler's thread is interrupted as well; whatever it returns is discarded.
     *
     * @return whether it is of no use to go on
     */
    public boolean isLost() {
        return leaseLost || timedOut;
    }

    /**
     * The idempotency token to pass on to another system: the same over retries, redrives and reruns after a failure.
     *
     * @param name what the token is for; another name gives another token
     * @return 32 hexadecimal characters
     */
    public String token(String name) {
        return Tokens.token(claimed.task().lineage(), name);
    }

    /**
     * Runs an effect once: its intent is durable before and its outcome after, and every later attempt, redrive and rerun of
     * this task gets the recorded result instead of running it. If an attempt dies in between, the effect runs again with the
     * same token; {@link #effect(String, Class)} offers other ways.
     *
     * @param name the effect's name; each may be used once in an attempt
     * @param result the class of its result
     * @param effect the effect; it gets a token to pass on, the same on every attempt
     * @param <T> the class of its result
     * @param <X> what it throws
     * @return its result, or the recorded one
     * @throws X what the effect threw; the outcome is then unknown, unless it is {@link dev.semel.task.EffectNotDone}
     */
    public <T extends @Nullable Object, X extends Exception> T effect(String name, Class<T> result, Effect<T, X> effect)
            throws X {
        return effect(name, result).run(effect);
    }

    /**
     * Runs one of several effects of the same name, as in a loop.
     *
     * @param name the effects' name
     * @param index which one, from 0; the same for the same thing on every attempt
     * @param result the class of its result
     * @param effect the effect
     * @param <T> the class of its result
     * @param <X> what it throws
     * @return its result, or the recorded one
     * @throws X what the effect threw
     */
    public <T extends @Nullable Object, X extends Exception> T effect(
            String name, int index, Class<T> result, Effect<T, X> effect) throws X {
        return effect(name, result).index(index).run(effect);
    }

    /**
     * Runs an effect without a result.
     *
     * @param name the effect's name
     * @param effect the effect
     * @param <X> what it throws
     * @throws X what the effect threw
     */
    @SuppressWarnings("NullAway") // there is no result, so null stands for it
    public <X extends Exception> void effect(String name, GuardedAction<X> effect) throws X {
        Effect<Void, X> action = token -> {
            effect.run(token);
            return null;
        };
        effect(name, Void.class).run(action);
    }

    /**
     * Begins an effect that needs more to be said: what to do if its outcome is unknown, for how long its provider remembers a
     * token, which one of several it is.
     *
     * @param name the effect's name
     * @param result the class of its result
     * @param <T> the class of its result
     * @return the call, to be ended by {@link EffectCall#run}
     */
    public <T extends @Nullable Object> EffectCall<T> effect(String name, Class<T> result) {
        return new EffectCall<>(effects(), claimed.task().lineage(), name, result);
    }

    /**
     * Completes the task in one transaction with writes to the database that the store is in: both commit or neither does, and
     * if another attempt has taken over, neither. It is the handler's last act: return its result. Effects come before it, and
     * none runs inside of it. Possible with the stores on PostgreSQL and SQLite.
     *
     * @param writes the writes; they may also submit tasks by {@code semel.joining(connection)}
     * @param <O> the class of the task's result
     * @param <X> what the writes throw
     * @return the task's result, for the handler to return
     * @throws X what the writes threw; everything is rolled back
     * @throws LeaseLost if another attempt has taken over; everything is rolled back
     * @throws StoreUnavailable if the store failed, also if it was under a statement of the writes. If the handler ends by this, or by
     *     another exception than {@link dev.semel.task.PermanentFailure}, its task is put back for a moment and no failure is counted
     */
    @SuppressWarnings("unchecked") // work throws what the writes throw
    public <O extends @Nullable Object, X extends Exception> O transaction(Writes<O, X> writes) throws X {
        requireOpen("begin a transaction");
        if (!(store instanceof TransactingStore transactions)) {
            throw new InvalidInput("A task completes in a transaction only on PostgreSQL or SQLite, but the store is \""
                    + store.getClass().getSimpleName() + "\". Return the result instead.");
        }
        Parked because = parked;
        if (because != null) {
            throw because; // also if the handler caught it: with an unknown effect the task is not completed
        }
        AtomicReference<O> result = new AtomicReference<>();
        AtomicReference<Throwable> ofWrites = new AtomicReference<>();
        storeFailed = false;
        try {
            effects().flush();
            transacting = true;
            Applied answer = transactions.complete(claimed.lease(), connection -> {
                try {
                    O output = writes.run(connection);
                    result.set(output);
                    return Runner.encoded(codec, output);
                } catch (Throwable thrown) {
                    ofWrites.set(thrown);
                    throw thrown;
                }
            });
            completed = answer == Applied.APPLIED;
        } catch (StoreUnavailable | StoreUnusable e) {
            storeFailed = !e.equals(ofWrites.get());
            throw e;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw (X) e;
        } finally {
            transacting = false;
        }
        if (!completed) {
            loseLease();
            throw new LeaseLost("Another attempt has taken over from attempt " + attempt() + " of task " + taskId()
                    + ", so its transaction was rolled back.");
        }
        return result.get();
    }

    /**
     * Makes what a handler throws to be called again later; no failure is counted.
     *
     * @param delay how much later
     * @return to be thrown
     */
    public Snooze snooze(Duration delay) {
        return new Snooze(delay);
    }

    private synchronized Effects effects() {
        if (effects == null) {
            effects = new Effects(this, codec, ledger);
        }
        return effects;
    }

    /** Refuses what an attempt may no longer do. */
    void requireOpen(String what) {
        if (completed) {
            throw new InvalidInput("A transaction is the last act of a handler, but it went on to " + what
                    + ". The task is completed.");
        }
        if (transacting) {
            throw new InvalidInput("Inside a transaction a handler only writes on its connection, but it went on to "
                    + what + ". Do that before the transaction begins.");
        }
        if (isLost()) {
            throw new LeaseLost("Attempt " + attempt() + " of task " + taskId() + " can no longer " + what
                    + ": it ran too long, or another attempt has taken over, or its worker is closing.");
        }
    }

    /** Whether there was an attempt before this one that may have recorded effects. */
    boolean mayHaveEarlierEffects() {
        return attempt() > 1 || !claimed.task().lineage().equals(taskId());
    }

    void park(Parked because) {
        parked = because;
    }

    /** Why this attempt waits for a person, or null. */
    @Nullable
    Parked parked() {
        return parked;
    }

    /** Whether the handler has completed the task itself. */
    boolean completed() {
        return completed;
    }

    /** Whether the store has failed in the handler's transaction: that is no failure of the task. */
    boolean storeFailed() {
        return storeFailed;
    }

    /** Whether the handler has completed the task itself, or is about to. */
    boolean settlesItself() {
        return completed || transacting;
    }

    Task task() {
        return claimed.task();
    }

    Claimed claimed() {
        return claimed;
    }

    void cancel() {
        cancelled = true;
    }

    void loseLease() {
        leaseLost = true;
    }

    boolean leaseLost() {
        return leaseLost;
    }

    void timeOut() {
        timedOut = true;
    }

    boolean timedOut() {
        return timedOut;
    }
}
