package dev.semel.engine;

import dev.semel.guard.Effect;
import dev.semel.guard.GuardedAction;
import dev.semel.observe.Observation;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transacting;
import dev.semel.task.CheckReturnValue;
import dev.semel.task.EffectId;
import dev.semel.task.InvalidInput;
import dev.semel.task.LeaseLost;
import dev.semel.task.Limits;
import dev.semel.task.PermanentFailure;
import dev.semel.task.SafeLogger;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.StoreUnusable;
import dev.semel.task.TaskId;
import dev.semel.task.Tokens;
import dev.semel.task.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The attempt of a task that a handler runs, and the handler's access to effects and transactions. */
public final class TaskContext {

    private static final SafeLogger LOG = SafeLogger.of(TaskContext.class);

    private final Claimed claimed;
    private final @Nullable Instant deadline;
    private final Codec codec;
    private final TypeRef<?> outputType;
    private final TaskStore store;
    private final Ledger ledger;
    private final Observation observation;

    // Written by the worker's loop, read by the handler's thread.
    private volatile boolean cancelled;
    private volatile boolean leaseLost;
    private volatile boolean timedOut;

    // Written and read by the handler's threads. The effects are created on demand, because most tasks have none.
    private @Nullable Effects effects;
    private volatile @Nullable Parked parked;
    private volatile @Nullable Snooze snooze;
    private volatile Settlement.@Nullable Ending ending;
    private volatile @Nullable UnsentLines unsentLines;
    private volatile boolean transacting;
    private volatile boolean completed;
    private volatile boolean returned;
    private @Nullable Object transacted;
    private volatile boolean storeFailed;
    private volatile boolean replayed;
    private boolean failed; // guarded by this object's monitor

    TaskContext(
            Claimed claimed,
            @Nullable Instant deadline,
            Codec codec,
            TypeRef<?> outputType,
            Ledger ledger,
            TaskStore store,
            Observation observation) {
        this.outputType = outputType;
        this.claimed = claimed;
        this.deadline = deadline;
        this.codec = codec;
        this.store = store;
        this.ledger = ledger;
        this.observation = observation;
    }

    /**
     * Returns the id of the task.
     *
     * @return the id
     */
    public TaskId taskId() {
        return claimed.task().id();
    }

    /**
     * Returns the name of the task type.
     *
     * @return the name
     */
    public String type() {
        return claimed.task().type();
    }

    /**
     * Returns the name of the queue.
     *
     * @return the name
     */
    public String queue() {
        return claimed.task().queue();
    }

    /**
     * Returns the name of the tenant.
     *
     * @return the name
     */
    public String tenant() {
        return claimed.task().tenant();
    }

    /**
     * Returns the idempotency key.
     *
     * @return the key; empty for a task without one
     */
    public Optional<String> key() {
        return Optional.ofNullable(claimed.task().identity()).map(identity -> identity.key());
    }

    /**
     * Returns how many tasks were created under this task's identity, including this one.
     *
     * @return 1, 2, 3 …
     */
    public int run() {
        return claimed.task().run();
    }

    /**
     * Returns the number of this attempt. It increases with every claim and never decreases, so it can serve as a
     * fencing token for systems that compare numbers.
     *
     * @return the number
     */
    public int attempt() {
        return claimed.lease().attempt();
    }

    /**
     * Returns how many attempts failed before this one.
     *
     * @return the number of failures
     */
    public int failures() {
        return claimed.task().progress().failures();
    }

    /**
     * Returns when this attempt times out.
     *
     * @return the time by this machine's clock; empty without a timeout
     */
    public Optional<Instant> deadline() {
        return Optional.ofNullable(deadline);
    }

    /**
     * Returns whether the cancellation of this task was requested. The handler's thread is interrupted as well.
     *
     * @return whether the handler should stop
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Returns whether this attempt can no longer change the task, because another attempt has taken over its lease or
     * it has timed out. The handler's thread is interrupted as well, and its result is discarded.
     *
     * @return whether the handler should stop, because its result will be discarded
     */
    public boolean isLost() {
        return leaseLost || timedOut;
    }

    /**
     * Returns an idempotency token to pass to another system. It is the same for retries, redrives and reruns after a
     * failure.
     *
     * @param name the purpose of the token; each name has its own token
     * @return 32 hexadecimal characters
     */
    public String token(String name) {
        return Tokens.token(claimed.task().lineage(), name);
    }

    /**
     * Runs an effect once. Its intent is durable before the effect starts, its outcome is recorded after it, and every
     * later attempt, redrive and rerun of this task gets the recorded result instead of running the effect. If an
     * attempt dies in between, the effect runs again with the same token; {@link #effect(String, Class)} offers other
     * policies.
     *
     * @param name the effect's name; each name may be used once in an attempt
     * @param result the class of the result
     * @param effect the effect; it gets a token to pass to the provider, the same on every attempt
     * @param <T> the class of the result
     * @param <X> the exception of the effect
     * @return the result of the effect, or the recorded result
     * @throws X the exception of the effect; the outcome is then unknown, unless it is
     *     {@link dev.semel.task.EffectNotDone}
     */
    public <T extends @Nullable Object, X extends Exception> T effect(String name, Class<T> result, Effect<T, X> effect)
            throws X {
        return effect(name, result).run(effect);
    }

    /**
     * Runs one of several effects of the same name, as in a loop.
     *
     * @param name the effects' name
     * @param index the zero-based index; it must identify the same effect on every attempt
     * @param result the class of the result
     * @param effect the effect
     * @param <T> the class of the result
     * @param <X> the exception of the effect
     * @return the result of the effect, or the recorded result
     * @throws X the exception of the effect
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
     * @param <X> the exception of the effect
     * @throws X the exception of the effect
     */
    @SuppressWarnings("NullAway") // null is the only value of Void
    public <X extends Exception> void effect(String name, GuardedAction<X> effect) throws X {
        Effect<Void, X> action = token -> {
            effect.run(token);
            return null;
        };
        effect(name, Void.class).run(action);
    }

    /**
     * Returns an effect with options: the policy for an unknown outcome, how long the provider remembers a token, and
     * an index.
     *
     * @param name the effect's name
     * @param result the class of the result
     * @param <T> the class of the result
     * @return the effect, which {@link EffectCall#run} runs. A handler that returns without having run it fails
     *     permanently
     */
    @CheckReturnValue
    public <T extends @Nullable Object> EffectCall<T> effect(String name, Class<T> result) {
        return effect(name, TypeRef.of(result));
    }

    /**
     * Returns an effect with options, whose result has type arguments.
     *
     * @param name the effect's name
     * @param result the type of the result, for example {@code new TypeRef<List<String>>() {}}
     * @param <T> the type of the result
     * @return the effect, which {@link EffectCall#run} runs. A handler that returns without having run it fails
     *     permanently
     */
    @CheckReturnValue
    public <T extends @Nullable Object> EffectCall<T> effect(String name, TypeRef<T> result) {
        return namedEffect(Limits.name("effect", name), result);
    }

    /**
     * Returns a local step of a workflow, which is an effect.
     *
     * @param name its name
     * @param generation the generation of the history that it belongs to
     * @param result the class of its result
     * @param <T> the class of its result
     * @return the effect, which {@link EffectCall#run} runs
     */
    @CheckReturnValue
    public <T extends @Nullable Object> EffectCall<T> localStep(String name, int generation, Class<T> result) {
        return namedEffect(
                EffectId.ofGeneration(Limits.name("effect", name), task().run(), generation), TypeRef.of(result));
    }

    private <T extends @Nullable Object> EffectCall<T> namedEffect(String name, TypeRef<T> result) {
        EffectCall<T> call = new EffectCall<>(effects(), claimed.task().lineage(), name, result);
        effects().prepared(call);
        return call;
    }

    /**
     * Completes the task and writes to the store's database in one transaction: either both are committed or neither
     * is. If another attempt has taken over, neither is. This must be the last action of the handler, which then
     * returns the result of this method. Run effects before it, not inside it. Supported by the stores on PostgreSQL
     * and SQLite.
     *
     * @param writes the writes; they may also submit tasks with {@code semel.joining(connection)}
     * @param <O> the class of the task's result
     * @param <X> the exception of the writes
     * @return the task's result, for the handler to return
     * @throws X the exception of the writes; everything is rolled back
     * @throws LeaseLost if another attempt has taken over; everything is rolled back
     * @throws StoreUnavailable if the store failed, also if it failed during a statement of the writes. If the handler
     *     ends with this exception, or with any other than {@link dev.semel.task.PermanentFailure}, its task is put
     *     back for a moment and no failure is counted
     */
    @SuppressWarnings("unchecked") // a checked exception can only come from the writes, so it is an X
    public <O extends @Nullable Object, X extends Exception> O transaction(Writes<O, X> writes) throws X {
        requireOpen("begin a transaction");
        Transacting transactions = store.transacting()
                .orElseThrow(() -> new InvalidInput(
                        "A task can complete in a transaction only on PostgreSQL or SQLite, but the store is \""
                                + store.getClass().getSimpleName() + "\". Return the result instead."));
        Parked because = parked;
        if (because != null) {
            throw because; // even if the handler caught it before: a task with an unknown effect must not complete
        }
        AtomicReference<O> result = new AtomicReference<>();
        AtomicReference<Throwable> ofWrites = new AtomicReference<>();
        storeFailed = false;
        try {
            effects().flush();
            transacting = true;
            Settled answer = transactions.complete(claimed.lease(), connection -> {
                try {
                    O output = writes.run(connection);
                    result.set(output);
                    return Runner.encoded(codec, output, outputType);
                } catch (Throwable thrown) {
                    ofWrites.set(thrown);
                    throw thrown;
                }
            });
            transacted = result.get();
            completed = answer == Settled.APPLIED;
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
     * Returns an exception that the handler throws to run again later, without a counted failure. It does nothing until
     * it is thrown: a handler that returns after it has called this method fails permanently.
     *
     * @param delay how long to wait until then
     * @return the exception to throw
     */
    @CheckReturnValue
    public Snooze snooze(Duration delay) {
        Snooze created = new Snooze(delay);
        snooze = created;
        return created;
    }

    /**
     * Checks a handler that has returned: it must have left nothing half done. From now on it can begin no effect and no
     * transaction.
     *
     * @throws PermanentFailure if the handler forgot to throw a snooze or to run an effect
     * @throws InvalidInput if an effect or a transaction still runs on another thread
     */
    void requireEnded(@Nullable Object output) {
        if (completed) {
            if (!Objects.equals(output, transacted)) {
                LOG.error(
                        "Result of a handler discarded: task={} type={} attempt={}. Its transaction has completed the"
                                + " task and stored its own result; return that one",
                        taskId(),
                        type(),
                        attempt());
            }
            return;
        }
        if (transacting) {
            throw new InvalidInput("The handler returned while its transaction was still running on another thread, so"
                    + " the task is not completed by it. Wait for the transaction before returning.");
        }
        if (snooze != null) {
            throw new PermanentFailure(
                    "The handler called context.snooze(…) and returned, so the task would not have been"
                            + " snoozed but completed. Write: throw context.snooze(…).");
        }
        Effects used = endedEffects();
        if (used != null && parked == null) {
            used.end();
        }
    }

    /** Returns the effects, if there are any. None begins from now on. */
    private synchronized @Nullable Effects endedEffects() {
        returned = true;
        return effects;
    }

    synchronized Effects effects() {
        if (effects == null) {
            effects = new Effects(this, codec, ledger, observation);
        }
        return effects;
    }

    /** Throws if the attempt may no longer run effects or transactions. */
    void requireOpen(String what) {
        if (completed) {
            throw new InvalidInput("A transaction must be the last action of a handler, but the handler then tried to "
                    + what + ". The task is completed.");
        }
        if (returned) {
            throw new InvalidInput("A handler must " + what + " before it returns, but did so later, on another thread."
                    + " Wait for all threads before returning.");
        }
        if (transacting) {
            throw new InvalidInput("A handler may only write to the connection inside a transaction, but it tried to "
                    + what + ". Do that before the transaction.");
        }
        if (isLost()) {
            throw new LeaseLost("Attempt " + attempt() + " of task " + taskId() + " can no longer " + what
                    + ": it has timed out, or another attempt has taken over, or its worker is closing.");
        }
    }

    /** Returns whether an earlier attempt may have recorded effects. */
    boolean mayHaveEarlierEffects() {
        return attempt() > 1 || !claimed.task().lineage().equals(taskId());
    }

    /** Returns the journal of a workflow. */
    Journal journal() {
        replayed = true;
        return new WorkerJournal(this, codec, ledger);
    }

    /** Returns whether the handler repeats what its history says. */
    boolean isReplayed() {
        return replayed;
    }

    /** Sets how the attempt of a workflow ends, whatever its code does from now on. */
    Suspended endWith(Settlement.Ending settlement) {
        return endWith(settlement, null);
    }

    /** Sets how the attempt of a workflow ends, and what is added to its history with that. */
    Suspended endWith(Settlement.Ending settlement, @Nullable UnsentLines lines) {
        unsentLines = lines;
        ending = settlement;
        return new Suspended("The workflow waits. This is no failure; let it pass");
    }

    /** Returns how the attempt of a workflow ends, or null if its code decides that. */
    Settlement.@Nullable Ending ending() {
        return ending;
    }

    /** Returns what is added to the history of the workflow with an outcome of its attempt, or null. */
    @Nullable
    UnsentLines linesWith(Settlement outcome) {
        return outcome.equals(ending) ? unsentLines : null;
    }

    /**
     * Lines of a history that are sent with the wait of the attempt that added them.
     *
     * @param advance the lines
     * @param applied called by a step of the host once they are stored
     */
    record UnsentLines(Settlement.Advance advance, Runnable applied) {}

    void park(Parked because) {
        parked = because;
    }

    /** Returns why the task has to be parked, or null. */
    @Nullable
    Parked parked() {
        return parked;
    }

    /** Returns whether the handler has completed the task itself, in a transaction. */
    boolean completed() {
        return completed;
    }

    /** Returns whether this is the first failure of the attempt. A runaway handler can end after its timeout. */
    synchronized boolean firstFailure() {
        boolean first = !failed;
        failed = true;
        return first;
    }

    /** Returns whether the store failed in the handler's transaction, which does not count as a failure of the task. */
    boolean storeFailed() {
        return storeFailed;
    }

    /** Returns whether the handler has completed the task itself, or its transaction is running. */
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
