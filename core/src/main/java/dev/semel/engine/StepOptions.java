package dev.semel.engine;

import dev.semel.store.NewTask;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The options of one step that differ from its task type. */
public final class StepOptions {

    private @Nullable String key;
    private @Nullable Scope scope;
    private @Nullable Duration ttl;
    private @Nullable ReusePolicy reuse;
    private @Nullable String queue;
    private @Nullable Integer priority;
    private @Nullable RetryPolicy retry;
    private @Nullable Duration timeout;
    private @Nullable Duration timeLimit;
    private @Nullable Duration startBy;
    private List<String> tags = List.of();
    private NewTask.Start start = NewTask.Start.now();

    /** Creates options that change nothing. */
    public StepOptions() {}

    /**
     * Sets an idempotency key, which other steps and submissions share. A step without one is identified by its line in the
     * history, whatever the identity strategy of its type.
     *
     * @param key 1 to 255 characters without control characters
     * @return these options
     */
    public StepOptions idempotencyKey(String key) {
        this.key = Limits.key(key);
        return this;
    }

    /**
     * Sets the name space of the key.
     *
     * @param scope the scope
     * @return these options
     */
    public StepOptions scope(Scope scope) {
        this.scope = scope;
        return this;
    }

    /**
     * Sets the window of the key.
     *
     * @param ttl the window
     * @return these options
     */
    public StepOptions idempotencyTtl(Duration ttl) {
        this.ttl = Limits.positive("idempotency ttl", ttl);
        return this;
    }

    /**
     * Sets the rules that apply if the key already has a task.
     *
     * @param policy the policy
     * @return these options
     */
    public StepOptions reuse(ReusePolicy policy) {
        this.reuse = policy;
        return this;
    }

    /**
     * Sets the queue.
     *
     * @param queue the queue
     * @return these options
     */
    public StepOptions queue(String queue) {
        this.queue = Limits.name("queue", queue);
        return this;
    }

    /**
     * Sets the priority.
     *
     * @param priority 0 (default) to 9 (first)
     * @return these options
     */
    public StepOptions priority(int priority) {
        this.priority = Limits.priority(priority);
        return this;
    }

    /**
     * Sets the retry policy.
     *
     * @param policy the policy
     * @return these options
     */
    public StepOptions retry(RetryPolicy policy) {
        this.retry = policy;
        return this;
    }

    /**
     * Sets how long one attempt may run.
     *
     * @param timeout the limit
     * @return these options
     */
    public StepOptions timeout(Duration timeout) {
        this.timeout = Limits.positive("timeout", timeout);
        return this;
    }

    /**
     * Sets how long the step may take as a whole. When it has passed, the step ends as timed out.
     *
     * @param limit how long after its creation
     * @return these options
     */
    public StepOptions timeLimit(Duration limit) {
        this.timeLimit = Limits.positive("time limit", limit);
        return this;
    }

    /**
     * Sets how long the step may wait for its first attempt. If it has not started by then, it ends as timed out.
     *
     * @param limit how long after its creation
     * @return these options
     */
    public StepOptions startBy(Duration limit) {
        this.startBy = Limits.positive("start-by", limit);
        return this;
    }

    /**
     * Sets the tags of the step, by which it can be found.
     *
     * @param names at most 10 names
     * @return these options
     */
    public StepOptions tags(String... names) {
        this.tags = Limits.tags(Arrays.asList(names));
        return this;
    }

    /**
     * Delays the start of the step.
     *
     * @param delay the time after its creation
     * @return these options
     */
    public StepOptions delay(Duration delay) {
        this.start = new NewTask.Start.After(delay);
        return this;
    }

    /** {@return the key, if one was set} */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** {@return the scope, if one was set} */
    public Optional<Scope> scope() {
        return Optional.ofNullable(scope);
    }

    /** {@return the window, if one was set} */
    public Optional<Duration> ttl() {
        return Optional.ofNullable(ttl);
    }

    /** {@return the policy, if one was set} */
    public Optional<ReusePolicy> reuse() {
        return Optional.ofNullable(reuse);
    }

    /** {@return the queue, if one was set} */
    public Optional<String> queue() {
        return Optional.ofNullable(queue);
    }

    /** {@return the priority, if one was set} */
    public Optional<Integer> priority() {
        return Optional.ofNullable(priority);
    }

    /** {@return the retry policy, if one was set} */
    public Optional<RetryPolicy> retry() {
        return Optional.ofNullable(retry);
    }

    /** {@return the limit of an attempt, if one was set} */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    /** {@return the limit of the whole step, if one was set} */
    public Optional<Duration> timeLimit() {
        return Optional.ofNullable(timeLimit);
    }

    /** {@return the limit of the wait for its first attempt, if one was set} */
    public Optional<Duration> startBy() {
        return Optional.ofNullable(startBy);
    }

    /** {@return the tags} */
    public List<String> tags() {
        return tags;
    }

    /** {@return when the step may start} */
    public NewTask.Start start() {
        return start;
    }
}
