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

    /** The queue of types that do not set one. */
    public static final String DEFAULT_QUEUE = "default";

    private final String name;
    private final TypeRef<I> input;
    private final TypeRef<O> output;
    private final String queue;
    private final @Nullable IdentityStrategy identity;
    private final Scope scope;
    private final @Nullable ReusePolicy reuse;
    private final @Nullable Duration idempotencyTtl;
    private final List<JsonPointer> ignoredFields;
    private final RetryPolicy retry;
    private final List<Class<? extends Throwable>> nonRetryable;
    private final @Nullable Duration timeout;
    private final int priority;
    private final @Nullable Function<? super I, @Nullable String> mutex;
    private final boolean workflow;
    private final @Nullable Duration timeLimit;
    private final @Nullable Duration startBy;

    private TaskType(Builder<I, O> builder) {
        this.name = builder.name;
        this.input = builder.input;
        this.output = builder.output;
        this.queue = builder.queue;
        this.identity = builder.identity;
        this.scope = builder.scope;
        this.reuse = builder.reuse;
        this.idempotencyTtl = builder.idempotencyTtl;
        this.ignoredFields = List.copyOf(builder.ignoredFields);
        this.retry = builder.retry;
        this.nonRetryable = List.copyOf(builder.nonRetryable);
        this.timeout = builder.timeout;
        this.priority = builder.priority;
        this.mutex = builder.mutex;
        this.workflow = false;
        this.timeLimit = builder.timeLimit;
        this.startBy = builder.startBy;
    }

    private TaskType(TaskType<I, O> same, @Nullable Duration timeLimit) {
        this.name = same.name;
        this.input = same.input;
        this.output = same.output;
        this.queue = same.queue;
        this.identity = same.identity;
        this.scope = same.scope;
        this.reuse = same.reuse;
        this.idempotencyTtl = same.idempotencyTtl;
        this.ignoredFields = same.ignoredFields;
        this.retry = same.retry;
        this.nonRetryable = same.nonRetryable;
        this.timeout = same.timeout;
        this.priority = same.priority;
        this.mutex = same.mutex;
        this.workflow = true;
        this.timeLimit = timeLimit != null ? timeLimit : same.timeLimit;
        this.startBy = same.startBy;
    }

    /**
     * Returns this type as that of a workflow.
     *
     * @param limit how long after its creation the whole workflow is told to end, or null for the limit of this type
     * @return the type
     */
    public TaskType<I, O> asWorkflow(@Nullable Duration limit) {
        return new TaskType<>(this, limit == null ? null : Limits.positive("time limit", limit));
    }

    /**
     * Returns whether tasks of this type are workflows.
     *
     * @return whether this is the type of a {@code WorkflowType}
     */
    public boolean isWorkflow() {
        return workflow;
    }

    /**
     * Returns how long a task of this type may take as a whole, all attempts and the time between them included.
     *
     * @return the time limit; empty for none
     */
    public Optional<Duration> timeLimit() {
        return Optional.ofNullable(timeLimit);
    }

    /**
     * Returns how long a task of this type may wait for its first attempt.
     *
     * @return the limit; empty for none
     */
    public Optional<Duration> startBy() {
        return Optional.ofNullable(startBy);
    }

    /**
     * Returns a type with all defaults.
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
     * Returns a builder for a type with custom settings.
     *
     * @param name its name
     * @param input the class of its input
     * @param output the class of its output
     * @param <I> the class of its input
     * @param <O> the class of its output
     * @return the builder
     */
    @CheckReturnValue
    public static <I, O extends @Nullable Object> Builder<I, O> builder(String name, Class<I> input, Class<O> output) {
        return new Builder<>(name, TypeRef.of(input), TypeRef.of(output));
    }

    /**
     * Returns a type with all defaults, for inputs or outputs with type arguments.
     *
     * @param name its name
     * @param input the type of its input, for example {@code new TypeRef<List<Order>>() {}}
     * @param output the type of its output
     * @param <I> the type of its input
     * @param <O> the type of its output
     * @return the type
     */
    public static <I, O extends @Nullable Object> TaskType<I, O> of(String name, TypeRef<I> input, TypeRef<O> output) {
        return builder(name, input, output).build();
    }

    /**
     * Returns a builder for a type with custom settings, for inputs or outputs with type arguments.
     *
     * @param name its name
     * @param input the type of its input, for example {@code new TypeRef<List<Order>>() {}}
     * @param output the type of its output; {@link TypeRef#of} for a class
     * @param <I> the type of its input
     * @param <O> the type of its output
     * @return the builder
     */
    @CheckReturnValue
    public static <I, O extends @Nullable Object> Builder<I, O> builder(
            String name, TypeRef<I> input, TypeRef<O> output) {
        return new Builder<>(name, input, output);
    }

    /** {@return the name of this type} */
    public String name() {
        return name;
    }

    /** {@return the type of the input} */
    public TypeRef<I> input() {
        return input;
    }

    /** {@return the type of the output} */
    public TypeRef<O> output() {
        return output;
    }

    /** {@return the queue of submissions that do not set one} */
    public String queue() {
        return queue;
    }

    /**
     * Returns how the key of a submission is derived when the caller gives none.
     *
     * @return the strategy; empty if the instance's default applies
     */
    public Optional<IdentityStrategy> identity() {
        return Optional.ofNullable(identity);
    }

    /** {@return the scope of keys of submissions that do not set one} */
    public Scope scope() {
        return scope;
    }

    /**
     * Returns the rules for a submission whose identity already has a task.
     *
     * @return the policy; empty if the instance's default applies
     */
    public Optional<ReusePolicy> reuse() {
        return Optional.ofNullable(reuse);
    }

    /**
     * Returns how long a record answers for its identity.
     *
     * @return the window; empty if the default of the queue or the instance applies
     */
    public Optional<Duration> idempotencyTtl() {
        return Optional.ofNullable(idempotencyTtl);
    }

    /**
     * Returns the fields that are ignored when inputs are compared, because they change on every retry.
     *
     * @return JSON pointers
     */
    public List<JsonPointer> ignoredFields() {
        return ignoredFields;
    }

    /** {@return the retry policy} */
    public RetryPolicy retry() {
        return retry;
    }

    /**
     * Returns whether a task is retried after an exception.
     *
     * @param thrown the exception of the handler
     * @return false for a {@link PermanentFailure} and for the classes set with {@link Builder#nonRetryable}
     */
    public boolean retries(Throwable thrown) {
        return !(thrown instanceof PermanentFailure)
                && nonRetryable.stream().noneMatch(refused -> refused.isInstance(thrown));
    }

    /**
     * Returns how long one attempt may run.
     *
     * @return the timeout; empty for no limit
     */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(timeout);
    }

    /**
     * Returns the priority of submissions that do not set one.
     *
     * @return 0 to 9
     */
    public int priority() {
        return priority;
    }

    /**
     * Returns the mutex of a task. Tasks of one type with the same mutex do not run at the same time.
     *
     * @param input the input of a task
     * @return its mutex; null for none
     * @throws InvalidInput if the mutex function failed or returned a value that is not allowed
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
                    "The mutex function of task type \"" + name + "\" failed with "
                            + e.getClass().getName() + ". Fix the function.",
                    e);
        }
        return made == null || made.isEmpty() ? null : Limits.mutex(made);
    }

    @Override
    public String toString() {
        return "TaskType[" + name + "]";
    }

    /**
     * A builder of a task type. Each setting is checked when it is set.
     *
     * @param <I> the class of the input
     * @param <O> the class of the output
     */
    public static final class Builder<I, O extends @Nullable Object> {

        private final String name;
        private final TypeRef<I> input;
        private final TypeRef<O> output;
        private String queue = DEFAULT_QUEUE;
        private @Nullable IdentityStrategy identity;
        private Scope scope = Scope.type();
        private @Nullable ReusePolicy reuse;
        private @Nullable Duration idempotencyTtl;
        private final List<JsonPointer> ignoredFields = new ArrayList<>();
        private RetryPolicy retry = RetryPolicy.standard();
        private final List<Class<? extends Throwable>> nonRetryable = new ArrayList<>();
        private @Nullable Duration timeout;
        private @Nullable Duration timeLimit;
        private @Nullable Duration startBy;
        private int priority;
        private @Nullable Function<? super I, @Nullable String> mutex;

        private Builder(String name, TypeRef<I> input, TypeRef<O> output) {
            this.name = Limits.name("task type", name);
            this.input = Limits.notNull("class of the input", input);
            this.output = Limits.notNull("class of the output", output);
        }

        /**
         * Sets the queue of submissions that do not set one.
         *
         * @param name the queue
         * @return this builder
         */
        public Builder<I, O> queue(String name) {
            this.queue = Limits.name("queue", name);
            return this;
        }

        /**
         * Sets how the key of a submission is derived when the caller gives none.
         *
         * @param strategy the strategy
         * @return this builder
         */
        public Builder<I, O> identity(IdentityStrategy strategy) {
            this.identity = Limits.notNull("identity strategy", strategy);
            return this;
        }

        /**
         * Sets a function that derives the key when the caller gives none.
         *
         * @param function from the input to the key; null or empty means no key
         * @return this builder
         */
        @SuppressWarnings("unchecked") // checked as far as Java can: by its class
        public Builder<I, O> keyedBy(Function<? super I, @Nullable String> function) {
            Limits.notNull("function from the input to the key", function);
            return identity(new IdentityStrategy.Custom(
                    given -> function.apply((I) input.rawClass().cast(given))));
        }

        /**
         * Sets the scope of keys of submissions that do not set one.
         *
         * @param scope the scope
         * @return this builder
         */
        public Builder<I, O> scope(Scope scope) {
            this.scope = Limits.notNull("scope", scope);
            return this;
        }

        /**
         * Sets the rules for a submission whose identity already has a task.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder<I, O> reuse(ReusePolicy policy) {
            this.reuse = Limits.notNull("reuse policy", policy);
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
         * Ignores fields when inputs are compared. May be called several times.
         *
         * @param pointers JSON pointers to fields that change on every retry, for example {@code "/trace_id"}
         * @return this builder
         */
        public Builder<I, O> ignoreFields(String... pointers) {
            for (String pointer : pointers) {
                this.ignoredFields.add(new JsonPointer(pointer));
            }
            return this;
        }

        /**
         * Sets the retry policy.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder<I, O> retry(RetryPolicy policy) {
            this.retry = Limits.notNull("retry policy", policy);
            return this;
        }

        /**
         * Adds exceptions after which a task is not retried. May be called several times.
         *
         * @param exceptions their classes; subclasses count too
         * @return this builder
         */
        @SafeVarargs
        public final Builder<I, O> nonRetryable(Class<? extends Throwable>... exceptions) {
            for (Class<? extends Throwable> exception : exceptions) {
                this.nonRetryable.add(Limits.notNull("class of exceptions", exception));
            }
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
         * Sets how long a task may take as a whole, from its creation to its end, for submissions that do not set it. When it has passed,
         * the task ends as timed out; if it runs then, its worker is told as by a cancellation.
         *
         * @param limit the time limit
         * @return this builder
         */
        public Builder<I, O> timeLimit(Duration limit) {
            this.timeLimit = Limits.positive("time limit", limit);
            return this;
        }

        /**
         * Sets how long a task may wait for its first attempt, for submissions that do not set it. A task that has not started by then ends
         * as timed out.
         *
         * @param limit how long after its creation
         * @return this builder
         */
        public Builder<I, O> startBy(Duration limit) {
            this.startBy = Limits.positive("start-by", limit);
            return this;
        }

        /**
         * Sets the priority of submissions that do not set one.
         *
         * @param priority 0 (default) to 9 (first)
         * @return this builder
         */
        public Builder<I, O> priority(int priority) {
            this.priority = Limits.priority(priority);
            return this;
        }

        /**
         * Runs tasks that share a resource one at a time, over all workers and queues. The others wait for their turn.
         *
         * @param function from the input to the name of the resource, for example an account; null or empty for no
         *     mutex
         * @return this builder
         */
        public Builder<I, O> mutex(Function<? super I, @Nullable String> function) {
            this.mutex = Limits.notNull("function from the input to the mutex", function);
            return this;
        }

        /**
         * Builds the type.
         *
         * @return an immutable type
         */
        public TaskType<I, O> build() {
            return new TaskType<>(this);
        }
    }
}
