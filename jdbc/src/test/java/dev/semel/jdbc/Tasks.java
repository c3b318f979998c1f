package dev.semel.jdbc;

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
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Makes submissions and claims for the tests of this package. */
final class Tasks {

    static final String QUEUE = "payments";
    static final String TYPE = "charge";
    static final Duration LEASE = Duration.ofSeconds(30);

    private static final AtomicLong CLAIMS =
            new AtomicLong(ProcessHandle.current().pid() << 32);
    private static final SplittableRandom RANDOM =
            new SplittableRandom(ProcessHandle.current().pid());

    private Tasks() {}

    static TaskId id() {
        synchronized (RANDOM) {
            return TaskId.next(InstantSource.system(), RANDOM);
        }
    }

    static NewTask plain() {
        return of(Identity.DEFAULT_TENANT, QUEUE, TYPE);
    }

    static NewTask of(String tenant, String queue, String type) {
        return new NewTask(id(), tenant, queue, type, "{\"order\":1}", NewTask.Start.now(), TaskOptions.NONE, null);
    }

    static NewTask withInput(String input) {
        return new NewTask(
                id(), Identity.DEFAULT_TENANT, QUEUE, TYPE, input, NewTask.Start.now(), TaskOptions.NONE, null);
    }

    static NewTask keyed(String key, String input) {
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

    /** A submission that replaces an open task. */
    static NewTask replacing(String key, String input) {
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

    /** A submission of this very task, with a key unless that is null. */
    static NewTask as(TaskId id, String input, @Nullable String key) {
        NewTask task = key == null ? withInput(input) : keyed(key, input);
        return new NewTask(
                id, task.tenant(), task.queue(), task.type(), task.input(), task.start(), task.options(), task.key());
    }

    static Identity identity(String key) {
        return Identity.of(Identity.DEFAULT_TENANT, Scope.type(), QUEUE, TYPE, key);
    }

    static Submitted submit(TaskStore store, NewTask task) {
        return store.submit(List.of(task)).get(0);
    }

    static Submitted submit(SqliteTransaction tx, SqliteSession session, NewTask task) throws SQLException {
        return new SqliteSubmissions(tx, session).submit(List.of(task)).get(0);
    }

    static ClaimRequest request(int limit) {
        return request(limit, limit);
    }

    static ClaimRequest request(int limit, int suspects) {
        return new ClaimRequest(
                CLAIMS.incrementAndGet(), false, Set.of(QUEUE), null, limit, suspects, LEASE, "worker-1");
    }

    static List<TaskId> idsOf(Claims claims) {
        return claims.tasks().stream().map(claimed -> claimed.task().id()).toList();
    }

    /** All that is stored, newest first. */
    static List<TaskId> stored(TaskStore store) {
        return store.list(TaskQuery.all(TaskQuery.MAX_LIMIT)).tasks().stream()
                .map(task -> task.id())
                .toList();
    }
}
