package dev.semel;

import dev.semel.engine.StepOptions;
import dev.semel.store.NewTask;
import dev.semel.store.NewTask.KeyRequest;
import dev.semel.store.NewTask.Start;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Identity;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InvalidInput;
import dev.semel.task.Json;
import dev.semel.task.JsonPointer;
import dev.semel.task.Limits;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A submission that is being prepared. It has its task id from the beginning. A repeated send refers to the same task,
 * so nothing can be changed after the first send.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public final class SubmissionRequest<I, O extends @Nullable Object> {

    private final Semel semel;
    private final Supplier<Sender> sender;
    private final TaskType<I, O> type;
    private final I input;
    private final TaskId id;
    private @Nullable String key;
    private @Nullable Duration ttl;
    private @Nullable Scope scope;
    private @Nullable ReusePolicy reuse;
    private @Nullable String queue;
    private @Nullable String tenant;
    private @Nullable RetryPolicy retry;
    private @Nullable Duration timeout;
    private @Nullable Duration timeLimit;
    private @Nullable Duration startBy;
    private List<String> tags = List.of();
    private @Nullable Integer priority;
    private Start start = Start.now();
    private boolean step;
    private @Nullable NewTask sent;
    private final UnsentRequests.@Nullable Prepared watched;

    SubmissionRequest(Semel semel, Supplier<Sender> sender, TaskType<I, O> type, I input, TaskId id) {
        this.semel = semel;
        this.sender = sender;
        this.type = type;
        this.input = input;
        this.id = id;
        this.watched = semel.unsent().prepared(this);
    }

    /** {@return the id that the task will have if this submission creates it} */
    public TaskId taskId() {
        return id;
    }

    /**
     * Sets the idempotency key, which overrides the type's identity strategy.
     *
     * @param key 1 to 255 characters without control characters; null means no key. An empty or blank key is an error
     * @return this request
     */
    public SubmissionRequest<I, O> idempotencyKey(@Nullable String key) {
        checkUnsent();
        this.key = key == null ? null : Limits.key(key);
        return this;
    }

    /**
     * Sets the window of the record.
     *
     * @param ttl the window, counted from the creation of the task
     * @return this request
     */
    public SubmissionRequest<I, O> idempotencyTtl(Duration ttl) {
        checkUnsent();
        this.ttl = Limits.positive("idempotency ttl", ttl);
        return this;
    }

    /**
     * Sets the name space of the key.
     *
     * @param scope the scope
     * @return this request
     */
    public SubmissionRequest<I, O> scope(Scope scope) {
        checkUnsent();
        this.scope = Limits.notNull("scope", scope);
        return this;
    }

    /**
     * Sets the rules that apply if the identity already has a task.
     *
     * @param policy the policy
     * @return this request
     */
    public SubmissionRequest<I, O> reuse(ReusePolicy policy) {
        checkUnsent();
        this.reuse = Limits.notNull("reuse policy", policy);
        return this;
    }

    /**
     * Sets the queue.
     *
     * @param queue the queue
     * @return this request
     */
    public SubmissionRequest<I, O> queue(String queue) {
        checkUnsent();
        this.queue = Limits.name("queue", queue);
        return this;
    }

    /**
     * Sets the tenant.
     *
     * @param tenant the tenant
     * @return this request
     */
    public SubmissionRequest<I, O> tenant(String tenant) {
        checkUnsent();
        this.tenant = Limits.name("tenant", tenant);
        return this;
    }

    /**
     * Sets the priority.
     *
     * @param priority 0 (default) to 9 (first)
     * @return this request
     */
    public SubmissionRequest<I, O> priority(int priority) {
        checkUnsent();
        this.priority = Limits.priority(priority);
        return this;
    }

    /**
     * Delays the start of the task.
     *
     * @param delay the time after its creation
     * @return this request
     */
    public SubmissionRequest<I, O> delay(Duration delay) {
        checkUnsent();
        this.start = new Start.After(delay);
        return this;
    }

    /**
     * Sets the start time of the task.
     *
     * @param time the time by the store's clock; a past time means immediately
     * @return this request
     */
    public SubmissionRequest<I, O> runAt(Instant time) {
        checkUnsent();
        this.start = new Start.At(Limits.notNull("start time", time));
        return this;
    }

    /**
     * Sets the retry policy.
     *
     * @param policy the policy
     * @return this request
     */
    public SubmissionRequest<I, O> retry(RetryPolicy policy) {
        checkUnsent();
        this.retry = Limits.notNull("retry policy", policy);
        return this;
    }

    /**
     * Sets how long one attempt may run.
     *
     * @param timeout the limit
     * @return this request
     */
    public SubmissionRequest<I, O> timeout(Duration timeout) {
        checkUnsent();
        this.timeout = Limits.positive("timeout", timeout);
        return this;
    }

    /**
     * Sets how long the task may take as a whole, all attempts and the time between them included; its type may have a limit too. When it has
     * passed, a task that does not run ends as timed out, and a task that runs or a workflow is told to end as by a cancellation, and ends as
     * timed out. A redrive gives the task the same time again.
     *
     * @param limit how long after its creation, by the store's clock
     * @return this request
     */
    public SubmissionRequest<I, O> timeLimit(Duration limit) {
        checkUnsent();
        this.timeLimit = Limits.positive("time limit", limit);
        return this;
    }

    /**
     * Sets how long the task may wait for its first attempt; its type may have a limit too. A task that has not started by then ends as timed
     * out, with an error that says so. A redrive gives the task the same time again.
     *
     * @param limit how long after its creation, by the store's clock
     * @return this request
     */
    public SubmissionRequest<I, O> startBy(Duration limit) {
        checkUnsent();
        this.startBy = Limits.positive("start-by", limit);
        return this;
    }

    /**
     * Sets the tags of the task: words by which it can be found, cancelled and redriven together with others. They cannot be changed
     * later, and are no part of its input.
     *
     * @param names at most 10 names of the alphabet of queues
     * @return this request
     */
    public SubmissionRequest<I, O> tags(String... names) {
        checkUnsent();
        this.tags = Limits.tags(Arrays.asList(names));
        return this;
    }

    /**
     * Sends the submission and waits until it is stored. If it is sent again after a
     * {@link dev.semel.task.StoreUnavailable}, the store recognises it by its task id.
     *
     * @return the answer
     * @throws dev.semel.task.InvalidInput if a value is not allowed; nothing was stored
     * @throws dev.semel.task.IdempotencyConflict if the key was used with a different input or type
     * @throws dev.semel.task.TaskAlreadyExists if the key has an open task and the policy rejects
     * @throws dev.semel.task.TaskAlreadyCompleted if the key has a completed task and the policy rejects
     * @throws dev.semel.task.TaskAlreadyFinished if the key's task ended without success and the policy rejects
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send again. Also thrown if this thread was
     *     interrupted: then the cause is an {@link InterruptedException} and the thread stays interrupted
     */
    public Submission<O> send() {
        return sender.get().send(this);
    }

    TaskType<I, O> type() {
        return type;
    }

    private void checkUnsent() {
        if (sent != null) {
            throw new InvalidInput("The submission of task " + id
                    + " was sent already and cannot be changed: another send refers to the same task."
                    + " Prepare a new submission with submit(…).");
        }
    }

    /** Returns the task to send, which is the same for every send. */
    NewTask newTask(@Nullable TraceContext trace) {
        // Before it is prepared: a submission that is rejected was sent, and its caller knows.
        used();
        NewTask task = sent != null ? sent : prepare(trace);
        sent = task;
        return task;
    }

    /** Returns the task of a workflow's step. Its line in the history identifies it, so it has a key only if one was given. */
    NewTask stepTask(StepOptions options) {
        step = true;
        key = options.key().orElse(null);
        ttl = options.ttl().orElse(null);
        scope = options.scope().orElse(null);
        reuse = options.reuse().orElse(null);
        queue = options.queue().orElse(null);
        retry = options.retry().orElse(null);
        timeout = options.timeout().orElse(null);
        timeLimit = options.timeLimit().orElse(null);
        startBy = options.startBy().orElse(null);
        tags = options.tags();
        priority = options.priority().orElse(null);
        start = options.start();
        return newTask(semel.tracer().step(this));
    }

    /** Returns the task that a send would transmit now. */
    NewTask preview() {
        used();
        return sent != null ? sent : prepare(null);
    }

    private void used() {
        if (watched != null) {
            semel.unsent().used(watched);
        }
    }

    /** Returns the name of the queue that the task will be in. */
    String queueName() {
        return orElse(queue, semel.settings().task(type.name()).queue(), type.queue());
    }

    private NewTask prepare(@Nullable TraceContext trace) {
        TypeSettings configured = semel.settings().task(type.name());
        String inQueue = queueName();
        semel.checkNames(inQueue, type.name());
        String ofTenant = tenant != null ? tenant : semel.tenant();
        String text = semel.codec().encode(input, type.input());
        Json document = Json.parse(text);
        String given = key != null || step ? key : strategy().key(type.name(), input, () -> document, leftOut());
        KeyRequest request = given == null ? null : keyRequest(given, ofTenant, inQueue, document);
        return new NewTask(id, ofTenant, inQueue, type.name(), text, start, options(configured, trace), request);
    }

    private TaskOptions options(TypeSettings configured, @Nullable TraceContext trace) {
        int rank = orElse(priority, configured.priority(), type.priority());
        // The worker knows the settings in the type's code; only other settings are stored with the task.
        RetryPolicy policy = retry != null ? retry : configured.retry();
        Duration limit = timeout != null ? timeout : configured.timeout();
        String mutex = type.mutex(input);
        WorkflowOptions workflow = workflow(configured);
        TimeLimits limits = TimeLimits.of(
                type.isWorkflow() ? null : total(configured),
                orElse(startBy, configured.startBy(), type.startBy().orElse(null)));
        boolean none = rank == 0
                && policy == null
                && limit == null
                && mutex == null
                && trace == null
                && workflow == null
                && limits == null
                && tags.isEmpty();
        return none ? TaskOptions.NONE : new TaskOptions(rank, policy, limit, mutex, trace, workflow, limits, tags);
    }

    private @Nullable Duration total(TypeSettings configured) {
        return orElse(timeLimit, configured.timeLimit(), type.timeLimit().orElse(null));
    }

    private @Nullable WorkflowOptions workflow(TypeSettings configured) {
        if (!type.isWorkflow()) {
            return null;
        }
        Duration limit = total(configured);
        return limit == null ? WorkflowOptions.UNLIMITED : new WorkflowOptions(limit);
    }

    /** Returns how the key is derived when the caller gives none. */
    IdentityStrategy strategy() {
        IdentityStrategy configured = semel.settings().task(type.name()).identity();
        return configured != null ? configured : type.identity().orElse(semel.identity());
    }

    /** Returns whether the caller gave the key. */
    boolean keyGiven() {
        return key != null;
    }

    private List<JsonPointer> leftOut() {
        List<JsonPointer> configured = semel.settings().task(type.name()).ignoredFields();
        return configured != null ? configured : type.ignoredFields();
    }

    private static <T extends @Nullable Object> T orElse(@Nullable T first, @Nullable T second, T last) {
        return first != null ? first : second != null ? second : last;
    }

    /** Returns where two inputs differ, without the fields that this type ignores. */
    List<String> differingPaths(String before, String after) {
        Json first = Json.parse(before);
        Json second = Json.parse(after);
        if (strategy() instanceof IdentityStrategy.Contextual(List<JsonPointer> fields)) {
            return fields.stream()
                    .filter(field -> !canonical(first, field).equals(canonical(second, field)))
                    .map(JsonPointer::text)
                    .toList();
        }
        return Json.differingPaths(first, second, leftOut());
    }

    private static Optional<String> canonical(Json document, JsonPointer field) {
        return document.at(field).map(Json::canonical);
    }

    private KeyRequest keyRequest(String key, String tenant, String queue, Json document) {
        TypeSettings configured = semel.settings().task(type.name());
        Scope inScope = orElse(scope, configured.scope(), type.scope());
        // From the most specific to the most general: submission, type, queue, instance.
        Duration window =
                orElse(ttl, configured.idempotencyTtl(), type.idempotencyTtl().orElse(null));
        ReusePolicy policy = orElse(reuse, configured.reuse(), type.reuse().orElse(null));
        if (window == null || policy == null) {
            QueueSettings ofQueue = semel.queue(queue);
            window = orElse(window, ofQueue.idempotencyTtl(), semel.idempotencyTtl());
            policy = orElse(policy, ofQueue.reuse(), semel.reuse());
        }
        return new KeyRequest(
                Identity.of(tenant, inScope, queue, type.name(), key),
                strategy().inputHash(document, leftOut()),
                window,
                policy);
    }

    /** {@return the task id, the type and whether it was sent; no input and no key} */
    @Override
    public String toString() {
        return "SubmissionRequest[task=" + id + ", type=" + type.name() + ", sent=" + (sent != null) + "]";
    }
}
