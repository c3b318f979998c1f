package dev.semel.engine;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import dev.semel.task.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The attempt that a handler runs under. */
public final class TaskContext {

    private final Claimed claimed;
    private final @Nullable Instant deadline;

    // Written by the worker's loop, read by the handler's thread.
    private volatile boolean cancelled;
    private volatile boolean leaseLost;
    private volatile boolean timedOut;

    TaskContext(Claimed claimed, @Nullable Instant deadline) {
        this.claimed = claimed;
        this.deadline = deadline;
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
     * Makes what a handler throws to be called again later; no failure is counted.
     *
     * @param delay how much later
     * @return to be thrown
     */
    public Snooze snooze(Duration delay) {
        return new Snooze(delay);
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
