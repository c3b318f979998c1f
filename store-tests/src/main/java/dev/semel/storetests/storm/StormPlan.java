package dev.semel.storetests.storm;

import dev.semel.store.NewTask;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.ScheduleId;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The random choices of one actor: which tasks, under which keys, with which policies. There are so few keys that actors meet
 * all the time, and each actor has a few of its own that it replaces while they are pending.
 */
final class StormPlan {

    /** The type of workflows; the checks of what is stored know them by it. */
    static final String FLOW = "workflow";

    static final List<String> TENANTS = List.of("north", "south");
    private static final List<String> INPUTS = List.of("{\"n\":1}", "{\"n\":2}");
    private static final List<InputHash> HASHES = INPUTS.stream()
            .map(input -> InputHash.of(Json.parse(input), List.of()))
            .toList();
    private static final Duration LONG = Duration.ofHours(1);
    private static final int HOT = 4;
    private static final int OWN = 8;
    private static final int FLOWS = 8;
    private static final int SHARED_STEPS = 2;

    // From 100 on PostgreSQL has another way to submit.
    private static final int BULK = 100;
    private static final int MORE_BULK = 30;

    final SplittableRandom random;
    private final StormWeather weather;
    private final StormClock clock;
    private final int actor;
    private long made;

    StormPlan(long seed, int actor, StormWeather weather, StormClock clock) {
        this.random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L + actor);
        this.actor = actor;
        this.weather = weather;
        this.clock = clock;
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private <T> T pick(T[] from) {
        return from[random.nextInt(from.length)];
    }

    // ---- submissions

    /** What to send next: mostly one or a few, now and then a batch that replaces tasks of the actor's own beside a hot key. */
    List<NewTask> submissions(boolean mayWait) {
        List<NewTask> batch = new ArrayList<>();
        switch (random.nextInt(5)) {
            case 0 -> {
                int size = 1 + random.nextInt(OWN);
                for (int i = 0; i < size; i++) {
                    batch.add(own(i));
                }
                batch.add(random.nextInt(batch.size() + 1), hot());
            }
            case 1 -> {
                int size = 2 + random.nextInt(mayWait ? 18 : 4);
                for (int i = 0; i < size; i++) {
                    batch.add(any());
                }
            }
            default -> batch.add(any());
        }
        return batch;
    }

    private NewTask any() {
        if (weather.has(Condition.WORKFLOWS) && oneIn(5)) {
            return flow();
        }
        return switch (random.nextInt(8)) {
            case 0 ->
                task(
                        pick(TENANTS),
                        pick(List.of(StormQueues.WORK, StormQueues.NARROW, StormQueues.SLOW, StormQueues.BARE)),
                        null,
                        "");
            case 1 -> own(random.nextInt(OWN));
            default -> hot();
        };
    }

    /** A workflow under one of a few ids. */
    private NewTask flow() {
        int number = random.nextInt(FLOWS);
        String mutex = weather.has(Condition.MUTEXES) && oneIn(6) ? "mutex-flow" : null;
        Identity identity = Identity.of("north", Scope.custom("storm"), StormQueues.FLOWS, FLOW, "flow-" + number);
        return new NewTask(
                nextId(),
                "north",
                number == 0 ? StormQueues.NARROW_FLOWS : StormQueues.FLOWS,
                FLOW,
                INPUTS.getFirst(),
                NewTask.Start.now(),
                new TaskOptions(0, null, null, mutex, null, WorkflowOptions.UNLIMITED),
                new NewTask.KeyRequest(
                        identity,
                        HASHES.getFirst(),
                        ttl(),
                        oneIn(3) ? ReusePolicy.afterFinish() : oneIn(3) ? policy() : ReusePolicy.allowFailedOnly()));
    }

    /** A step of a workflow: most have no key, some have one that other workflows and other submitters use too. */
    NewTask step() {
        if (oneIn(12)) {
            return hot();
        }
        String tenant = "north";
        String queue = oneIn(6) ? StormQueues.IDLE : oneIn(6) ? StormQueues.BARE : StormQueues.WORK;
        NewTask.KeyRequest key = random.nextInt(3) > 0
                ? null
                : new NewTask.KeyRequest(
                        Identity.of(
                                tenant, Scope.custom("storm"), queue, "type", "step-" + random.nextInt(SHARED_STEPS)),
                        HASHES.getFirst(),
                        ttl(),
                        oneIn(6) ? policy() : ReusePolicy.afterFinish());
        return new NewTask(
                nextId(), tenant, queue, "type", INPUTS.getFirst(), NewTask.Start.now(), TaskOptions.NONE, key);
    }

    /** Whether an attempt is left alone, until its lease expires. */
    boolean forgets() {
        return weather.has(Condition.SHORT_LEASES) && oneIn(8);
    }

    private NewTask hot() {
        int number = random.nextInt(HOT);
        String tenant = TENANTS.get(number % 2);
        // One identity lives in one queue mostly, so that its task is claimed soon.
        String usual = switch (number) {
            case 3 -> StormQueues.NARROW;
            case 2 -> weather.has(Condition.BARE_QUEUE) ? StormQueues.BARE : StormQueues.WORK;
            default -> StormQueues.WORK;
        };
        return task(tenant, oneIn(12) ? StormQueues.SLOW : usual, "hot-" + number, "");
    }

    /**
     * A hundred tasks and more under keys of their own.
     *
     * @param number which hundred: whoever uses a number again sends duplicates
     */
    List<NewTask> bulk(int number) {
        List<NewTask> batch = new ArrayList<>();
        int size = BULK + random.nextInt(MORE_BULK);
        for (int i = 0; i < size; i++) {
            String key = "bulk-" + number + "-" + i;
            NewTask.KeyRequest request = new NewTask.KeyRequest(
                    Identity.of("north", Scope.custom("storm"), StormQueues.IDLE, "type", key),
                    HASHES.getFirst(),
                    LONG,
                    oneIn(50) ? policy() : ReusePolicy.allowFailedOnly());
            batch.add(new NewTask(
                    nextId(),
                    "north",
                    oneIn(20) ? StormQueues.WORK : StormQueues.IDLE,
                    "type",
                    INPUTS.getFirst(),
                    NewTask.Start.now(),
                    TaskOptions.NONE,
                    request));
        }
        if (oneIn(3)) {
            batch.add(random.nextInt(batch.size()), hot());
        }
        return batch;
    }

    /** A task under a key of this actor, in a queue that is claimed rarely: it is pending when the next one replaces it. */
    private NewTask own(int number) {
        return task("north", oneIn(10) ? StormQueues.WORK : StormQueues.IDLE, "own-" + actor + "-" + number, "own");
    }

    private NewTask task(String tenant, String queue, @Nullable String key, String kind) {
        int input = oneIn(6) ? 1 : 0;
        String type = oneIn(8) ? "other" : "type";
        String mutex = weather.has(Condition.MUTEXES) && oneIn(4) ? "mutex-" + random.nextInt(2) : null;
        TaskOptions options = new TaskOptions(oneIn(5) ? random.nextInt(10) : 0, null, null, mutex);
        if (oneIn(8)) {
            options = options.withLimits(limits());
        }
        NewTask.Start start =
                oneIn(12) ? new NewTask.Start.After(Duration.ofMillis(random.nextInt(40))) : NewTask.Start.now();
        NewTask.KeyRequest request = key == null
                ? null
                : new NewTask.KeyRequest(
                        Identity.of(tenant, Scope.custom("storm"), queue, type, key),
                        HASHES.get(input),
                        ttl(),
                        kind.isEmpty() ? policy() : replacing());
        return new NewTask(nextId(), tenant, queue, type, INPUTS.get(input), start, options, request);
    }

    /** Limits that are longer than every delay. */
    private @Nullable TimeLimits limits() {
        Duration startBy = oneIn(2) ? Duration.ofMillis(41 + random.nextInt(100)) : null;
        Duration total =
                startBy != null && oneIn(2) ? null : Duration.ofMillis(141 + random.nextInt(oneIn(3) ? 5_000 : 200));
        return TimeLimits.of(total, startBy);
    }

    /** The task of a tick, without a key: nothing but the schedule keeps it from being made twice. */
    NewTask ticked(ScheduleId schedule) {
        String mutex = weather.has(Condition.MUTEXES) ? schedule.name() : null;
        return new NewTask(
                nextId(),
                schedule.tenant(),
                oneIn(3) ? StormQueues.IDLE : StormQueues.WORK,
                "type",
                INPUTS.getFirst(),
                NewTask.Start.now(),
                new TaskOptions(0, null, null, mutex),
                null);
    }

    TaskId nextId() {
        return new TaskId(
                new UUID(clock.millis() << 16 | 0x7000L, 0x8000_0000_0000_0000L | (long) actor << 40 | ++made));
    }

    private Duration ttl() {
        return weather.has(Condition.EXPIRY) && random.nextInt(3) > 0
                ? Duration.ofMillis(30 + random.nextInt(300))
                : LONG;
    }

    private ReusePolicy replacing() {
        return oneIn(4)
                ? policy()
                : ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RERUN, AfterEnd.RERUN)
                        .onOtherInput(OtherInput.IGNORE);
    }

    private ReusePolicy policy() {
        return switch (random.nextInt(8)) {
            case 0 -> ReusePolicy.allowFailedOnly();
            case 1 -> ReusePolicy.never();
            case 2, 3, 4 -> ReusePolicy.afterFinish();
            case 5 -> ReusePolicy.of(WhileOpen.REPLACE, pick(AfterEnd.values()), pick(AfterEnd.values()));
            default ->
                new ReusePolicy(
                        pick(WhileOpen.values()),
                        pick(WhileOpen.values()),
                        pick(WhileOpen.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(OtherInput.values()));
        };
    }

    // ---- claims and moves

    List<String> queues() {
        return switch (random.nextInt(9)) {
            case 0 -> List.of(StormQueues.WORK, StormQueues.NARROW, StormQueues.SLOW, StormQueues.IDLE);
            case 1 -> List.of(StormQueues.NARROW);
            case 2 -> List.of(StormQueues.WORK, StormQueues.SLOW);
            case 3 -> List.of(StormQueues.WORK, StormQueues.LETTERS, StormQueues.LAST_LETTERS);
            default -> List.of(StormQueues.WORK, StormQueues.NARROW, StormQueues.BARE);
        };
    }

    boolean hasOperators() {
        return weather.has(Condition.OPERATORS);
    }

    Duration lease() {
        return weather.has(Condition.SHORT_LEASES) && oneIn(3)
                ? Duration.ofMillis(5 + random.nextInt(60))
                : Duration.ofMinutes(1);
    }

    Duration delay() {
        return oneIn(3) ? Duration.ofMillis(random.nextInt(30)) : Duration.ZERO;
    }

    /** The time that passes in one tick. */
    long tick() {
        return oneIn(80) ? 100 + random.nextInt(500) : 1 + random.nextInt(5);
    }
}
