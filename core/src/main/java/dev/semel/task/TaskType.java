package dev.semel.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named kind of task: the classes of its input and output, and the defaults of its submissions.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output; {@link Void} for handlers that return nothing
 */
public final class TaskType<I, O extends @Nullable Object> {

    /** The queue of types that name none. */
    public static final String DEFAULT_QUEUE = "default";

    private final String name;
    private final Class<I> input;
    private final Class<O> output;
    private final String queue;
    private final @Nullable IdentityStrategy identity;
    private final Scope scope;
    private final @Nullable ReusePolicy reuse;
    private final @Nullable Duration idempotencyTtl;
    private final List<JsonPointer> leftOut;
    private final RetryPolicy retry;
    private final List<Class<? extends Throwable>> notRetried;
    private final @Nullable Duration timeout;
    private final int priority;
    private final @Nullable Function<? super I, @Nullable String> mutex;

    private TaskType(Builder<I, O> builder) {
        this.name = builder.name;
        this.input = builder.input;
        this.output = builder.output;
        this.queue = builder.queue;
        this.identity = builder.identity;
        this.scope = builder.scope;
        this.reuse = builder.reuse;
        this.idempotencyTtl = builder.idempotencyTtl;
        this.leftOut = List.copyOf(builder.leftOut);
        this.retry = builder.retry;
        this.notRetried = List.copyOf(builder.notRetried);
        this.timeout = builder.timeout;
        this.priority = builder.priority;
        this.mutex = builder.mutex;
    }

    /**
     * A type with all defaults.
     *
     * @param name its name
     * @param input the class of its input
     * @param output the class of its output
     * @param <I> the class of its input
     * @param <O> the class of its output
     * @return the type
     */
    public static <I, O extends @Nullable Object> TaskType<I, O> of(String name, Class<I> input, Class<O> output) {
        return builder(name, input, output).build();
    }

    /**
     * A builder for a type with settings of its own.
     *
     * @param name its name
     * @param input the class of its input
     * @param output the class of its output
     * @param <I> the class of its input
     * @param <O> the class of its output
     * @return the builder
     */
    public static <I, O extends @Nullable Object> Builder<I, O> builder(String name, Class<I> input, Class<O> output) {
        return new Builder<>(name, input, output);
    }

    /**
     * The name of this type.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The class of the input.
     *
     * @return the class
     */
    public Class<I> input() {
        return input;
    }

    /**
     * The class of the output.
     *
     * @return the class
     */
    public Class<O> output() {
        return output;
    }

    /**
     * The queue of submissions that name none.
     *
     * @return the queue
     */
    public String queue() {
        return queue;
    }

    /**
     * How the key of a submission is found when the caller gives none.
     *
     * @return the strategy; empty where the instance's default holds
     */
    public Optional<IdentityStrategy> identity() {
        return Optional.ofNullable(identity);
    }

    /**
     * The scope of the keys of submissions that name none.
     *
     * @return the scope
     */
    public Scope scope() {
        return scope;
    }

    /**
     * What becomes of a submission whose identity has a task already.
     *
     * @return the policy; empty where the instance's default holds
     */
    public Optional<ReusePolicy> reuse() {
        return Optional.ofNullable(reuse);
    }

    /**
     * How long a record answers for its identity.
     *
     * @return the window; empty where the queue's or the instance's default holds
     */
    public Optional<Duration> idempotencyTtl() {
        return Optional.ofNullable(idempotencyTtl);
    }

    /**
     * The fields that do not count when inputs are compared, because they change on every retry.
     *
     * @return JSON pointers
     */
    public List<JsonPointer> leftOut() {
        return leftOut;
    }

    /**
     * How often a task may fail and how long it waits in between.
     *
     * @return the policy
     */
    public RetryPolicy retry() {
        return retry;
    }

    /**
     * Tells whether a retry would help after this exception.
     *
     * @param thrown what the handler threw
     * @return false for a {@link PermanentFailure} and for the classes that were named as not retried
     */
    public boolean retries(Throwable thrown) {
        return !(thrown instanceof PermanentFailure)
                && notRetried.stream().noneMatch(refused -> refused.isInstance(thrown));
    }

    /**
     * How long one attempt may run.
     *
     * @return the timeout; empty for no limit
     */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    /**
     * The priority of submissions that name none.
     *
     * @return 0 to 9
     */
    public int priority() {
        return priority;
    }

    /**
     * What tasks of this type must not run at the same time as others with the same.
     *
     * @param input the input of a task
     * @return its mutex; null for none
     * @throws InvalidInput if the function that was set for it failed, or made what is not allowed
     */
    public @Nullable String mutex(I input) {
        if (mutex == null) {
            return null;
        }
        String made;
        try {
            made = mutex.apply(input);
        } catch (RuntimeException e) {
            throw new InvalidInput(
                    "The function that makes the mutex of task type \"" + name + "\" failed with "
                            + e.getClass().getName() + ". Mend it.",
                    e);
        }
        return made == null || made.isEmpty() ? null : Limits.mutex(made);
    }

    @Override
    public String toString() {
        return "TaskType[" + name + "]";
    }

    /**
     * Collects the settings of a type; each is checked as it is set.
     *
     * @param <I> the class of the input
     * @param <O> the class of the output
     */
    public static final class Builder<I, O extends @Nullable Object> {

        private final String name;
        private final Class<I> input;
        private final Class<O> output;
        private String queue = DEFAULT_QUEUE;
        private @Nullable IdentityStrategy identity;
        private Scope scope = Scope.type();
        private @Nullable ReusePolicy reuse;
        private @Nullable Duration idempotencyTtl;
        private final List<JsonPointer> leftOut = new ArrayList<>();
        private RetryPolicy retry = RetryPolicy.standard();
        private final List<Class<? extends Throwable>> notRetried = new ArrayList<>();
        private @Nullable Duration timeout;
        private int priority;
        private @Nullable Function<? super I, @Nullable String> mutex;

        private Builder(String name, Class<I> input, Class<O> output) {
            this.name = Limits.name("task type", name);
            this.input = input;
            this.output = output;
        }

        /**
         * Sets the queue of submissions that name none.
         *
         * @param name the queue
         * @return this builder
         */
        public Builder<I, O> queue(String name) {
            this.queue = Limits.name("queue", name);
            return this;
        }

        /**
         * Sets how the key of a submission is found when the caller gives none.
         *
         * @param strategy the strategy
         * @return this builder
         */
        public Builder<I, O> identity(IdentityStrategy strategy) {
            this.identity = strategy;
            return this;
        }

        /**
         * Sets a function that makes the key when the caller gives none.
         *
         * @param function from the input to the key; null or empty means no key
         * @return this builder
         */
        public Builder<I, O> keyedBy(Function<? super I, @Nullable String> function) {
            return identity(new IdentityStrategy.Custom(given -> function.apply(input.cast(given))));
        }

        /**
         * Sets the scope of the keys of submissions that name none.
         *
         * @param scope the scope
         * @return this builder
         */
        public Builder<I, O> scope(Scope scope) {
            this.scope = scope;
            return this;
        }

        /**
         * Sets what becomes of a submission whose identity has a task already.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder<I, O> reuse(ReusePolicy policy) {
            this.reuse = policy;
            return this;
        }

        /**
         * Sets how long a record answers for its identity.
         *
         * @param ttl the window, counted from the creation of the task
         * @return this builder
         */
        public Builder<I, O> idempotencyTtl(Duration ttl) {
            this.idempotencyTtl = Limits.positive("idempotency ttl", ttl);
            return this;
        }

        /**
         * Leaves a field out when inputs are compared.
         *
         * @param pointer JSON pointer to a field that changes on every retry, for example {@code "/trace_id"}
         * @return this builder
         */
        public Builder<I, O> leaveOut(String pointer) {
            this.leftOut.add(new JsonPointer(pointer));
            return this;
        }

        /**
         * Sets how often a task may fail and how long it waits in between.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder<I, O> retry(RetryPolicy policy) {
            this.retry = policy;
            return this;
        }

        /**
         * Names an exception after which no retry would help.
         *
         * @param exception its class; subclasses count too
         * @return this builder
         */
        public Builder<I, O> notRetried(Class<? extends Throwable> exception) {
            this.notRetried.add(exception);
            return this;
        }

        /**
         * Sets how long one attempt may run.
         *
         * @param timeout the limit
         * @return this builder
         */
        public Builder<I, O> timeout(Duration timeout) {
            this.timeout = Limits.positive("timeout", timeout);
            return this;
        }

        /**
         * Sets the priority of submissions that name none.
         *
         * @param priority 0 (default) to 9 (first)
         * @return this builder
         */
        public Builder<I, O> priority(int priority) {
            this.priority = Limits.priority(priority);
            return this;
        }

        /**
         * Lets tasks that share something run one at a time, over all workers and queues: the others wait for their turn.
         *
         * @param function from the input to what is shared, for example an account; null or empty for tasks that share
         *     nothing
         * @return this builder
         */
        public Builder<I, O> mutex(Function<? super I, @Nullable String> function) {
            this.mutex = function;
            return this;
        }

        /**
         * Makes the type.
         *
         * @return an immutable type
         */
        public TaskType<I, O> build() {
            return new TaskType<>(this);
        }
    }
}
