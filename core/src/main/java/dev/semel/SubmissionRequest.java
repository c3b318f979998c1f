package dev.semel;

import dev.semel.store.NewTask;
import dev.semel.store.NewTask.KeyRequest;
import dev.semel.store.NewTask.Start;
import dev.semel.store.QueueSettings;
import dev.semel.store.TaskOptions;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A submission that is being prepared. It has its task id from the beginning: sent a second time, the very same task is
 * meant, so nothing can be changed once it was sent.
 *
 * @param <I> the class of the input
 * @param <O> the class of the output
 */
public final class SubmissionRequest<I, O extends @Nullable Object> {

    private final Semel semel;
    private final Sender sender;
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
    private @Nullable Integer priority;
    private Start start = Start.now();
    private @Nullable NewTask sent;

    SubmissionRequest(Semel semel, Sender sender, TaskType<I, O> type, I input, TaskId id) {
        this.semel = semel;
        this.sender = sender;
        this.type = type;
        this.input = input;
        this.id = id;
    }

    /**
     * The id that the task will have if this submission makes it.
     *
     * @return the id
     */
    public TaskId taskId() {
        return id;
    }

    /**
     * Gives the idempotency key; it wins over the type's identity strategy.
     *
     * @param key 1 to 255 characters without control characters; null or empty means no key
     * @return this request
     */
    public SubmissionRequest<I, O> idempotencyKey(@Nullable String key) {
        checkUnsent();
        this.key = key == null || key.isEmpty() ? null : Limits.key(key);
        return this;
    }

    /**
     * Sets how long the record answers for its identity.
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
        this.scope = scope;
        return this;
    }

    /**
     * Sets what becomes of this submission if its identity has a task already.
     *
     * @param policy the policy
     * @return this request
     */
    public SubmissionRequest<I, O> reuse(ReusePolicy policy) {
        checkUnsent();
        this.reuse = policy;
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
     * Lets the task start after a time.
     *
     * @param delay how long after its acceptance
     * @return this request
     */
    public SubmissionRequest<I, O> delay(Duration delay) {
        checkUnsent();
        this.start = new Start.After(delay);
        return this;
    }

    /**
     * Lets the task start at a time.
     *
     * @param time when, by the store's clock; at once if that has passed
     * @return this request
     */
    public SubmissionRequest<I, O> runAt(Instant time) {
        checkUnsent();
        this.start = new Start.At(time);
        return this;
    }

    /**
     * Sets how often this task may fail and how long it waits in between.
     *
     * @param policy the policy
     * @return this request
     */
    public SubmissionRequest<I, O> retry(RetryPolicy policy) {
        checkUnsent();
        this.retry = policy;
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
     * Sends the submission and waits until it is kept. Sent again after a {@link dev.semel.task.StoreUnavailable}, it is
     * recognised by its task id.
     *
     * @return the answer
     * @throws dev.semel.task.InvalidInput if a value is not allowed; nothing was stored
     * @throws dev.semel.task.IdempotencyConflict if the key was used with another input or type
     * @throws dev.semel.task.TaskAlreadyExists if the key has an open task and the policy rejects
     * @throws dev.semel.task.TaskAlreadyCompleted if the key has a completed task and the policy rejects
     * @throws dev.semel.task.TaskAlreadyFinished if the key's task ended without success and the policy rejects
     * @throws dev.semel.task.StoreUnavailable if the store did not answer; send again. Also if this thread was interrupted: then
     *     its cause is an {@link InterruptedException} and the thread stays interrupted
     */
    public Submission<O> send() {
        return sender.send(this);
    }

    TaskType<I, O> type() {
        return type;
    }

    private void checkUnsent() {
        if (sent != null) {
            throw new InvalidInput(
                    "The submission of task " + id + " was sent already, and sending it again means the very"
                            + " same task. Prepare another one with submit(…) to change something.");
        }
    }

    /** What the store gets to see; the same every time it is sent. */
    NewTask newTask() {
        NewTask task = sent != null ? sent : prepare();
        sent = task;
        return task;
    }

    /** What the store would get to see if it were sent now. */
    NewTask preview() {
        return sent != null ? sent : prepare();
    }

    private NewTask prepare() {
        TypeSettings configured = semel.settings().task(type.name());
        String inQueue = orElse(queue, configured.queue(), type.queue());
        String ofTenant = tenant != null ? tenant : semel.tenant();
        String text = semel.codec().encode(input);
        Json document = Json.parse(text);
        String given = key != null ? key : strategy().key(type.name(), input, () -> document, leftOut());
        KeyRequest request = given == null ? null : keyRequest(given, ofTenant, inQueue, document);
        return new NewTask(id, ofTenant, inQueue, type.name(), text, start, options(configured), request);
    }

    private TaskOptions options(TypeSettings configured) {
        int rank = orElse(priority, configured.priority(), type.priority());
        // What the type's code says of these the worker knows; only what differs travels with the task.
        RetryPolicy policy = retry != null ? retry : configured.retry();
        Duration limit = timeout != null ? timeout : configured.timeout();
        String mutex = type.mutex(input);
        return rank == 0 && policy == null && limit == null && mutex == null
                ? TaskOptions.NONE
                : new TaskOptions(rank, policy, limit, mutex);
    }

    /** How the key is found when the caller gives none. */
    IdentityStrategy strategy() {
        IdentityStrategy configured = semel.settings().task(type.name()).identity();
        return configured != null ? configured : type.identity().orElse(semel.identity());
    }

    /** Whether the caller gave the key. */
    boolean keyGiven() {
        return key != null;
    }

    private List<JsonPointer> leftOut() {
        List<JsonPointer> configured = semel.settings().task(type.name()).ignoredFields();
        return configured != null ? configured : type.leftOut();
    }

    private static <T extends @Nullable Object> T orElse(@Nullable T first, @Nullable T second, T last) {
        return first != null ? first : second != null ? second : last;
    }

    /** Where two inputs differ, as far as that counts for this type. */
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
        // From the most special to the most general: submission, type, queue, instance.
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
}
