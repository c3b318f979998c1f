package dev.semel.postgresql;

import static org.awaitility.Awaitility.await;

import dev.semel.postgresql.operate.Operations;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.Tasks;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One scene for each kind of call that a store gets: what is there before, and then the call. A scene is the same each time
 * that it is played, ids and times included, so that what comes of it can be compared.
 */
final class PostgresScenes {

    /** A call that can be made again after its answer was lost. */
    interface Call {

        /**
         * Makes it.
         *
         * @param again whether it was made before
         * @return the answer, in a form that can be compared
         */
        Object make(TaskStore store, boolean again);

        /** The same as calls of which each is done as a whole or not at all, in the order in which they are done. */
        default List<Call> parts() {
            return List.of(this);
        }
    }

    /** Prepares a store and says what it is then asked. */
    private interface Scene {
        Call prepared(PostgresScenes on);
    }

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final ReusePolicy REPLACE =
            ReusePolicy.of(ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN);
    private static final Map<String, Scene> ALL = new LinkedHashMap<>();

    static {
        submissions();
        claims();
        endsOfAttempts();
        wishesOfPeople();
    }

    // What is done by one request, if the same was asked before.
    private static final Set<String> AT_ONCE =
            Set.of("submit a few new tasks", "submit duplicates", "submit new tasks among duplicates");

    private final TaskStore store;
    private final ManualClock clock;
    private final SplittableRandom random = new SplittableRandom(7);
    private long claims;

    private PostgresScenes(TaskStore store, ManualClock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The names of all scenes. */
    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /** Whether the call of a scene is one request, if it was made before, and no transaction with several steps. */
    static boolean isAtOnce(String name) {
        return AT_ONCE.contains(name);
    }

    /** Sets the clock and prepares an empty store. */
    static Call prepare(String name, TaskStore empty, ManualClock clock) {
        clock.set(BEGIN);
        return ALL.get(name).prepared(new PostgresScenes(empty, clock));
    }

    private static void submissions() {
        ALL.put("submit tasks with and without keys", on -> {
            List<NewTask> batch =
                    List.of(on.keyed("a"), on.plain(), on.keyed("b"), on.keyed("a"), on.plain(), on.mutex("m"));
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit a few new tasks", on -> {
            List<NewTask> batch = List.of(on.keyed("b"), on.plain(), on.keyed("a"), on.mutex("m"));
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit duplicates", on -> {
            on.store.submit(List.of(on.keyed("a"), on.keyed("b")));
            List<NewTask> batch = List.of(on.keyed("b"), on.keyed("a"));
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit new tasks among duplicates", on -> {
            on.store.submit(List.of(on.keyed("a"), on.keyed("b")));
            on.claimed().forEach(lease -> on.store.settle(List.of(new Settlement.Complete(lease, "1"))));
            on.store.submit(List.of(on.keyed("d")));
            List<NewTask> batch =
                    List.of(on.keyed("c"), on.keyed("b"), on.plain(), on.keyed("d"), on.keyed("a"), on.keyed("e"));
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit a replacement of a pending task", on -> {
            on.store.submit(List.of(on.keyed("a")));
            List<NewTask> batch = List.of(on.replacing("a"), on.plain());
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit a replacement of a running task", on -> {
            on.store.submit(List.of(on.keyed("a")));
            on.claimed();
            List<NewTask> batch = List.of(on.replacing("a"), on.plain());
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit again what failed", on -> {
            on.store.submit(List.of(on.keyed("a"), on.keyed("b")));
            on.claimed().forEach(lease -> on.store.settle(List.of(new Settlement.Fail(lease, false, "broken"))));
            List<NewTask> batch = List.of(on.keyed("b"), on.keyed("a"), on.keyed("new"));
            return (store, again) -> store.submit(batch);
        });
        ALL.put("submit as many as make a large statement", on -> {
            List<NewTask> batch = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                batch.add(i % 3 == 0 ? on.plain() : on.keyed("key " + i));
            }
            return (store, again) -> store.submit(batch);
        });
    }

    private static void claims() {
        ALL.put("claim", on -> {
            on.store.submit(List.of(on.plain(), on.keyed("a"), on.plain()));
            return on.claiming();
        });
        ALL.put("claim what vanished", on -> {
            on.store.submit(List.of(on.plain(), on.keyed("a")));
            on.claimed();
            on.clock.advance(LEASE);
            return on.claiming();
        });
        ALL.put("claim what was asked to cancel and vanished", on -> {
            NewTask task = on.plain();
            on.store.submit(List.of(task, on.plain()));
            on.claimed();
            on.store.operate(List.of(new Operation.Cancel(task.id())));
            on.clock.advance(LEASE);
            return on.claiming();
        });
        ALL.put("claim under a rate limit and a concurrency", on -> {
            on.set(QueueSettings.builder().rateLimit("100/sec").concurrency(2));
            on.store.submit(List.of(on.plain(), on.plain(), on.plain()));
            return on.claiming();
        });
        ALL.put("claim under a mutex", on -> {
            on.store.submit(List.of(on.mutex("m"), on.mutex("m"), on.mutex("n")));
            return on.claiming();
        });
        ALL.put("claim many at once", on -> {
            on.store.submit(on.many());
            return on.claiming();
        });
        ALL.put("claim many that vanished together", on -> {
            on.store.submit(on.many());
            on.claimed();
            on.clock.advance(LEASE);
            return on.claiming();
        });
        ALL.put("claim nothing", on -> on.claiming());
    }

    private static void endsOfAttempts() {
        ending("complete", lease -> new Settlement.Complete(lease, "{\"ok\":true}"));
        ending("retry", lease -> new Settlement.Retry(lease, Duration.ofSeconds(5), "again"));
        ending("fail", lease -> new Settlement.Fail(lease, false, "broken"));
        ending("fail as too slow", lease -> new Settlement.Fail(lease, true, "too slow"));
        ending("put back", lease -> new Settlement.PutBack(lease, Duration.ofSeconds(5)));
        ending("end as cancelled", Settlement.Cancelled::new);
        ending("extend", lease -> new Settlement.Extend(lease, Duration.ofMinutes(5)));
        ALL.put("complete many", on -> {
            on.store.submit(on.many());
            return on.moving(lease -> new Settlement.Complete(lease, "1"));
        });
        ALL.put("extend many", on -> {
            on.store.submit(on.many());
            return on.moving(lease -> new Settlement.Extend(lease, Duration.ofMinutes(5)));
        });
        ALL.put("end many in different ways", on -> {
            on.store.submit(on.many());
            List<Lease> leases = on.claimed();
            List<Settlement> moves = new ArrayList<>();
            moves.add(new Settlement.Complete(leases.get(1), "1"));
            moves.add(new Settlement.Complete(leases.get(4), null));
            moves.add(new Settlement.Retry(leases.get(2), Duration.ofSeconds(5), "again"));
            moves.add(new Settlement.Fail(leases.get(7), false, "broken"));
            moves.add(new Settlement.Extend(leases.get(0), Duration.ofMinutes(5)));
            moves.add(new Settlement.PutBack(leases.get(5), Duration.ZERO));
            return settlements(moves);
        });
        ALL.put("fail in a queue with a dead-letter queue", on -> {
            on.set(QueueSettings.builder().deadLetterQueue("dead"));
            on.store.submit(List.of(on.plain(), on.keyed("a")));
            return on.moving(lease -> new Settlement.Fail(lease, false, "broken"));
        });
        ALL.put("complete in a queue that keeps nothing", on -> {
            on.set(QueueSettings.builder().retention(Duration.ZERO));
            on.store.submit(List.of(on.plain(), on.keyed("a")));
            return on.moving(lease -> new Settlement.Complete(lease, "1"));
        });
        ALL.put("complete what others wait for", on -> {
            on.store.submit(List.of(on.mutex("m"), on.mutex("m"), on.keyed("a")));
            List<Lease> leases = on.claimed();
            on.store.submit(List.of(on.replacing("a")));
            return settlements(leases.stream()
                    .map(lease -> new Settlement.Complete(lease, "1"))
                    .toList());
        });
    }

    private interface Move {
        Settlement of(Lease lease);
    }

    private static void ending(String name, Move move) {
        ALL.put(name, on -> {
            on.store.submit(List.of(on.plain(), on.keyed("a"), on.plain()));
            return on.moving(move);
        });
    }

    private static void wishesOfPeople() {
        ALL.put("cancel what is pending and what runs", on -> {
            NewTask runs = on.keyed("a");
            on.store.submit(List.of(runs));
            on.claimed();
            NewTask pending = on.keyed("b");
            on.store.submit(List.of(pending));
            return operations(List.of(new Operation.Cancel(pending.id()), new Operation.Cancel(runs.id())));
        });
        ALL.put("redrive", on -> {
            on.store.submit(List.of(on.plain(), on.keyed("a")));
            List<Lease> leases = on.claimed();
            leases.forEach(lease -> on.store.settle(List.of(new Settlement.Fail(lease, false, "broken"))));
            return operations(leases.stream()
                    .map(lease -> new Operation.Redrive(lease.taskId(), lease.attempt()))
                    .toList());
        });
        ALL.put("release a key", on -> {
            NewTask task = on.keyed("a");
            on.store.submit(List.of(task));
            on.claimed().forEach(lease -> on.store.settle(List.of(new Settlement.Complete(lease, "1"))));
            return operations(List.of(new Operation.ReleaseKey(Tasks.identity("a"), task.id())));
        });
        ALL.put("declare, set and reset queues", on -> {
            on.set(QueueSettings.builder().rateLimit("1/sec"));
            return operations(List.of(
                    new Operation.DeclareQueue(
                            Tasks.QUEUE, QueueSettings.builder().concurrency(3).build()),
                    new Operation.ResetQueue(Tasks.QUEUE),
                    new Operation.SetQueue(
                            "other", QueueSettings.builder().paused(true).build())));
        });
        ALL.put("sweep", on -> {
            on.store.submit(List.of(on.plain(), on.keyed("a"), on.keyed("b")));
            on.claimed().forEach(lease -> on.store.settle(List.of(new Settlement.Complete(lease, "1"))));
            on.store.submit(List.of(on.keyed("still open")));
            on.clock.advance(Duration.ofDays(31));
            SweepRequest request = new SweepRequest(Duration.ofDays(7), Map.of(), Duration.ofDays(30), 100);
            return new Call() {
                @Override
                public Object make(TaskStore store, boolean again) {
                    store.sweep(request);
                    // Repeated it says less than it did, and passes over what the first one has still locked.
                    await().until(() -> {
                        if (again) {
                            store.sweep(request);
                        }
                        return !again
                                || (store.list(TaskQuery.all(10)).tasks().size() == 1
                                        && store.records(List.of(Tasks.identity("a"), Tasks.identity("b")))
                                                .isEmpty());
                    });
                    return "swept";
                }

                // A sweep first ends overdue tasks in a transaction of its own; here there are none.
                @Override
                public List<Call> parts() {
                    Call overdue = (store, again) -> store.sweep(SweepRequest.ofVanished());
                    return List.of(overdue, this);
                }
            };
        });
    }

    /** As many as share a lease if one claim takes them. */
    private List<NewTask> many() {
        List<NewTask> many = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            many.add(i % 2 == 0 ? plain() : keyed("key " + i));
        }
        return many;
    }

    private NewTask plain() {
        return task(TaskOptions.NONE, null);
    }

    private NewTask mutex(String name) {
        return task(new TaskOptions(0, null, null, name), null);
    }

    private NewTask keyed(String key) {
        return task(TaskOptions.NONE, request(key, ReusePolicy.allowFailedOnly()));
    }

    private NewTask replacing(String key) {
        return task(TaskOptions.NONE, request(key, REPLACE));
    }

    private static NewTask.KeyRequest request(String key, ReusePolicy policy) {
        return new NewTask.KeyRequest(
                Tasks.identity(key), InputHash.of(Json.parse("{}"), List.of()), Duration.ofDays(30), policy);
    }

    private NewTask task(TaskOptions options, NewTask.KeyRequest key) {
        return new NewTask(
                TaskId.next(clock, random),
                Identity.DEFAULT_TENANT,
                Tasks.QUEUE,
                Tasks.TYPE,
                "{}",
                NewTask.Start.now(),
                options,
                key);
    }

    private void set(QueueSettings.Builder settings) {
        store.operate(List.of(new Operation.SetQueue(Tasks.QUEUE, settings.build())));
    }

    private ClaimRequest request() {
        return new ClaimRequest(++claims, false, Set.of(Tasks.QUEUE), null, 100, 100, LEASE, "worker-1");
    }

    private List<Lease> claimed() {
        return store.claim(request()).tasks().stream().map(Claimed::lease).toList();
    }

    private Call claiming() {
        ClaimRequest request = request();
        return (store, again) -> {
            Claims claims = store.claim(again ? request.again() : request);
            // Repeated it may come in another order, and says less of what is due next.
            return new HashSet<>(claims.tasks());
        };
    }

    private Call moving(Move move) {
        return settlements(claimed().stream().map(move::of).toList());
    }

    private static Call settlements(List<? extends Settlement> batch) {
        return (store, again) -> store.settle(batch);
    }

    /** Operations have a transaction each, so that they take locks in one order. */
    private static Call operations(List<? extends Operation> batch) {
        return new Call() {
            @Override
            public Object make(TaskStore store, boolean again) {
                return store.operate(batch);
            }

            @Override
            public List<Call> parts() {
                return Operations.together(List.copyOf(batch)).stream()
                        .<Call>map(part -> (store, again) -> store.operate(part))
                        .toList();
            }
        };
    }
}
