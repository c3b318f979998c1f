package dev.semel.storetests;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Submissions and claims for tests of one store. */
public final class Tasks {

    /** The queue of all tasks. */
    public static final String QUEUE = "payments";
    /** The type of all tasks. */
    public static final String TYPE = "charge";
    /** The lease of all claims. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    private static final AtomicLong CLAIMS =
            new AtomicLong(ProcessHandle.current().pid() << 32);
    private static final SplittableRandom RANDOM =
            new SplittableRandom(ProcessHandle.current().pid());

    private Tasks() {}

    /**
     * A new id.
     *
     * @return greater than those before
     */
    public static TaskId id() {
        synchronized (RANDOM) {
            return TaskId.next(InstantSource.system(), RANDOM);
        }
    }

    /**
     * A task without a key.
     *
     * @return a new submission
     */
    public static NewTask plain() {
        return of(Identity.DEFAULT_TENANT, QUEUE, TYPE);
    }

    /**
     * A task without a key.
     *
     * @param tenant its tenant
     * @param queue its queue
     * @param type its type
     * @return a new submission
     */
    public static NewTask of(String tenant, String queue, String type) {
        return new NewTask(id(), tenant, queue, type, "{\"order\":1}", NewTask.Start.now(), TaskOptions.NONE, null);
    }

    /**
     * A task without a key.
     *
     * @param input its input
     * @return a new submission
     */
    public static NewTask withInput(String input) {
        return new NewTask(
                id(), Identity.DEFAULT_TENANT, QUEUE, TYPE, input, NewTask.Start.now(), TaskOptions.NONE, null);
    }

    /**
     * A task with a key that runs again only after a failure.
     *
     * @param key its key
     * @param input its input
     * @return a new submission
     */
    public static NewTask keyed(String key, String input) {
        return new NewTask(
                id(),
                Identity.DEFAULT_TENANT,
                QUEUE,
                TYPE,
                input,
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(
                        identity(key),
                        InputHash.of(Json.parse(input), List.of()),
                        Duration.ofDays(30),
                        ReusePolicy.allowFailedOnly()));
    }

    /**
     * A task with a key that replaces an open one.
     *
     * @param key its key
     * @param input its input
     * @return a new submission
     */
    public static NewTask replacing(String key, String input) {
        NewTask task = keyed(key, input);
        NewTask.KeyRequest request = Objects.requireNonNull(task.key());
        return new NewTask(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                task.start(),
                task.options(),
                new NewTask.KeyRequest(
                        request.identity(),
                        request.inputHash(),
                        request.ttl(),
                        ReusePolicy.of(
                                ReusePolicy.WhileOpen.REPLACE,
                                ReusePolicy.AfterEnd.RERUN,
                                ReusePolicy.AfterEnd.RERUN)));
    }

    /**
     * A submission of this task.
     *
     * @param id its id
     * @param input its input
     * @param key its key; null for none
     * @return the submission
     */
    public static NewTask as(TaskId id, String input, @Nullable String key) {
        NewTask task = key == null ? withInput(input) : keyed(key, input);
        return new NewTask(
                id, task.tenant(), task.queue(), task.type(), task.input(), task.start(), task.options(), task.key());
    }

    /**
     * The identity of a key.
     *
     * @param key the key
     * @return its identity, with the queue and the type of all tasks
     */
    public static Identity identity(String key) {
        return Identity.of(Identity.DEFAULT_TENANT, Scope.type(), QUEUE, TYPE, key);
    }

    /**
     * Submits one task.
     *
     * @param store where to
     * @param task what
     * @return the answer
     */
    public static Submitted submit(TaskStore store, NewTask task) {
        return store.submit(List.of(task)).get(0);
    }

    /**
     * A claim with a number of its own.
     *
     * @param limit how many tasks it takes at most
     * @return a new request
     */
    public static ClaimRequest request(int limit) {
        return request(limit, limit);
    }

    /**
     * A claim with a number of its own.
     *
     * @param limit how many tasks it takes at most
     * @param suspects how many of them may have a vanished attempt
     * @return a new request
     */
    public static ClaimRequest request(int limit, int suspects) {
        return new ClaimRequest(
                CLAIMS.incrementAndGet(), false, Set.of(QUEUE), null, limit, suspects, LEASE, "worker-1");
    }

    /**
     * The ids of claimed tasks.
     *
     * @param claims the answer to a claim
     * @return their ids in order
     */
    public static List<TaskId> idsOf(Claims claims) {
        return claims.tasks().stream().map(claimed -> claimed.task().id()).toList();
    }

    /**
     * All that is stored.
     *
     * @param store the store
     * @return the ids, newest first
     */
    public static List<TaskId> stored(TaskStore store) {
        return store.list(TaskQuery.all(TaskQuery.MAX_LIMIT)).tasks().stream()
                .map(task -> task.id())
                .toList();
    }
}
