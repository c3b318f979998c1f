package dev.semel.postgresql;

import dev.semel.guard.GuardKey;
import dev.semel.guard.Hold;
import dev.semel.guard.OwnerToken;
import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectQuery;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewLine;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution;
import dev.semel.store.ScheduleQuery;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TimeLimits;
import dev.semel.storetests.Tasks;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.Lease;
import dev.semel.task.Limits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ScheduleId;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the PostgreSQL stores can be asked, with large batches: so that each of their statements runs at least once.
 * Runs among the rows of {@link PostgresBystanders}.
 */
final class PostgresWorkload implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String INPUT = "{\"order\":1}";
    private static final InputHash HASH = InputHash.of(Json.parse(INPUT), List.of());
    private static final ReusePolicy REPLACE =
            ReusePolicy.of(ReusePolicy.WhileOpen.REPLACE, ReusePolicy.AfterEnd.RERUN, ReusePolicy.AfterEnd.RERUN);

    // What is done one by one, and lanes that one claim takes from: more than are asked directly.
    private static final int FEW = 20;
    private static final int LANES = 200;

    private final DataSource source;
    private final ManualClock clock;
    private final String prefix;
    private final int many;
    private final SplittableRandom random = new SplittableRandom(13);
    // Each task has a lease of its own in the first, and shares one in the second. The third knows no leases.
    private final PostgresTaskStore apart;
    private final PostgresTaskStore sharing;
    private final PostgresTaskStore stranger;
    private long claims;

    /**
     * Opens the stores.
     *
     * @param prefix of the names of queues
     * @param many the size of large batches
     */
    PostgresWorkload(DataSource source, ManualClock clock, String prefix, int many) {
        this.source = source;
        this.clock = clock;
        this.prefix = prefix;
        this.many = many;
        // The numbers of others are below.
        this.claims = clock.millis() * 1_000;
        PostgresSettings settings = PostgresSettings.standard()
                .withHints(false)
                .withClock(clock)
                .withLockLimit(Duration.ofSeconds(20))
                .withAnswerLimit(Duration.ofMinutes(5));
        apart = PostgresTaskStore.open(source, settings.withSharedLeasesFrom(Integer.MAX_VALUE));
        sharing = PostgresTaskStore.open(source, settings);
        stranger = PostgresTaskStore.open(source, settings);
    }

    @Override
    public void close() {
        apart.close();
        sharing.close();
        stranger.close();
    }

    void run() throws Exception {
        submissions();
        smallBatches();
        leasesOfTheirOwn();
        dueAtOneInstant();
        sharedLeases();
        manyLanes();
        mutexes();
        replacements();
        vanishedAfterACancellation();
        timeLimits();
        effects();
        queueThatKeepsNothing();
        limitedQueue();
        wishes();
        callersTransactions();
        lookups();
        afterTheWindow();
        schedules();
        workflows();
        sweeps();
        guards();
    }

    private void submissions() {
        List<NewTask> batch = of(many, i -> keyed("submissions", "key " + i));
        apart.submit(batch);
        apart.submit(batch);
        apart.submit(of(many, i -> keyed("submissions", "key " + i)));
        // Some are new, so that a look must come before.
        apart.submit(of(many, i -> keyed("submissions", "key " + (many / 2 + i))));
        apart.submit(of(2 * FEW, i -> keyed("submissions", "twice " + i / 2)));
        apart.submit(of(many, i -> plain("submissions")));
        apart.records(batch.stream().map(task -> task.key().identity()).toList());
    }

    /** As few as go in one round trip, new and known and mixed, often enough for each way. */
    private void smallBatches() {
        List<NewTask> first = of(50, i -> keyed("small", "first " + i));
        sharing.submit(first);
        for (int round = 0; round < 25; round++) {
            int number = round;
            sharing.submit(of(50, i -> keyed("small", "new " + number + " " + i)));
        }
        sharing.submit(of(50, i -> plain("small")));
        for (int round = 0; round < 25; round++) {
            int number = round;
            sharing.submit(of(50, i -> keyed("small", i % 2 == 0 ? "first " + i : "mixed " + number + " " + i)));
        }
        for (int round = 0; round < 40; round++) {
            sharing.submit(of(50, i -> keyed("small", "first " + i)));
        }
        sharing.submit(of(many, i -> keyed("submissions", "key " + i)));
        sharing.submit(first);
    }

    private void leasesOfTheirOwn() {
        apart.submit(of(many, i -> plain("apart")));
        ClaimRequest request = request("apart");
        List<Lease> leases = claimed(apart, request);
        apart.claim(request.again());
        apart.settle(moves(leases, lease -> new Settlement.Extend(lease, HOUR)));
        clock.advance(HOUR.plus(LEASE));
        List<Lease> stolen = claimed(apart, request("apart"));
        apart.settle(moves(leases, lease -> new Settlement.Complete(lease, "1")));
        List<Settlement> ends = new ArrayList<>();
        for (int i = 0; i < stolen.size(); i++) {
            Lease lease = stolen.get(i);
            ends.add(
                    i % 3 == 0
                            ? new Settlement.Retry(lease, Duration.ofSeconds(1), "again")
                            : i % 3 == 1
                                    ? new Settlement.Fail(lease, false, "broken")
                                    : new Settlement.Complete(lease, "1"));
        }
        apart.settle(ends);
        apart.settle(ends);
        clock.advance(Duration.ofSeconds(1));
        apart.settle(moves(claimed(apart, request("apart")), lease -> new Settlement.PutBack(lease, Duration.ZERO)));
        apart.settle(moves(claimed(apart, request("apart")), Settlement.Cancelled::new));
    }

    private void dueAtOneInstant() {
        sharing.submit(of(many, i -> delayed("instant")));
        claimed(sharing, request("instant"));
        clock.advance(HOUR);
        for (int part = 0; part < 5; part++) {
            claimed(sharing, request("instant", many / 4));
        }
    }

    private void sharedLeases() {
        sharing.submit(of(many, i -> plain("sharing")));
        ClaimRequest request = request("sharing");
        List<Lease> leases = claimed(sharing, request);
        sharing.claim(request.again());
        sharing.settle(moves(leases, lease -> new Settlement.Extend(lease, HOUR)));
        int half = leases.size() / 2;
        // Somebody who does not know where they are looks for them.
        stranger.settle(moves(leases.subList(0, half), lease -> new Settlement.Complete(lease, "1")));
        sharing.settle(moves(leases.subList(half, leases.size() - 10), lease -> new Settlement.Complete(lease, "1")));
        sharing.settle(moves(
                leases.subList(leases.size() - 10, leases.size()),
                lease -> new Settlement.Retry(lease, Duration.ofDays(1), "again")));
        sharing.submit(of(10, i -> plain("sharing")));
        List<Lease> few = claimed(sharing, request("sharing"));
        sharing.settle(moves(few, lease -> new Settlement.Complete(lease, "1")));
        sharing.submit(of(many, i -> plain("sharing")));
        claimed(sharing, request("sharing"));
        clock.advance(LEASE);
        sharing.settle(moves(claimed(sharing, request("sharing")), lease -> new Settlement.Complete(lease, "1")));
    }

    private void manyLanes() {
        sharing.submit(of(many, i -> task("lanes", "type-" + i % LANES, TaskOptions.NONE, null)));
        List<Lease> leases = claimed(sharing, request("lanes"));
        sharing.settle(moves(leases, lease -> new Settlement.Extend(lease, HOUR)));
        // One of each lease, so that all are written and none is empty.
        sharing.settle(moves(leases.subList(0, LANES), lease -> new Settlement.Complete(lease, "1")));
        sharing.find(leases.stream().map(Lease::taskId).toList());
        sharing.attempts(leases.stream().map(Lease::taskId).toList());
        sharing.settle(moves(leases, lease -> new Settlement.Complete(lease, "1")));
    }

    private void mutexes() {
        int number = many / 10;
        sharing.submit(of(number, i -> mutex("mutexes", "mutex " + i % (number / 2))));
        List<Lease> first = claimed(sharing, request("mutexes"));
        sharing.settle(moves(first, lease -> new Settlement.Complete(lease, "1")));
        sharing.settle(moves(claimed(sharing, request("mutexes")), lease -> new Settlement.Complete(lease, "1")));
    }

    private void replacements() {
        sharing.submit(of(FEW, i -> keyed("replaced", "pending " + i)));
        sharing.submit(of(FEW, i -> replacing("replaced", "pending " + i)));
        claimed(sharing, request("replaced"));
        sharing.submit(of(FEW, i -> replacing("replaced", "pending " + i)));
        // The second one waits already.
        sharing.submit(of(FEW, i -> replacing("replaced", "pending " + i)));
        clock.advance(LEASE);
        sharing.settle(moves(claimed(sharing, request("replaced")), lease -> new Settlement.Complete(lease, "1")));
        sharing.submit(of(FEW, i -> replacing("replaced", "pending " + i)));
    }

    private void vanishedAfterACancellation() {
        List<NewTask> batch = of(many / 10, i -> plain("cancelled"));
        apart.submit(batch);
        claimed(apart, request("cancelled"));
        apart.operate(
                batch.stream().map(task -> new Operation.Cancel(task.id())).toList());
        clock.advance(LEASE);
        claimed(apart, request("cancelled"));
    }

    private void effects() {
        sharing.submit(of(many, i -> plain("effects")));
        List<Lease> leases = claimed(sharing, request("effects"));
        List<TaskId> lineages = leases.stream().map(Lease::taskId).toList();
        sharing.settle(moves(leases, lease -> new Settlement.Intend(lease, effect(lease), HOUR)));
        sharing.effects(lineages);
        int half = leases.size() / 2;
        sharing.settle(moves(
                leases.subList(0, half),
                lease -> new Settlement.Conclude(
                        lease, effect(lease), new EffectOutcome.Done("1", EffectOutcome.How.RAN))));
        List<Lease> parked = leases.subList(half, leases.size());
        sharing.settle(moves(parked, lease -> new Settlement.Park(lease, effect(lease), "unknown")));
        sharing.settle(moves(parked, lease -> new Settlement.Intend(lease, effect(lease), HOUR)));
        sharing.effects(EffectQuery.unknown(100));
        sharing.effects(EffectQuery.unknown(100).ofTenant(Identity.DEFAULT_TENANT));
        sharing.effects(EffectQuery.all(100).ofTenant(Identity.DEFAULT_TENANT));
        sharing.effects(new EffectQuery(null, Set.of(), effect(leases.get(3)), 100));
        for (int i = 0; i < FEW; i++) {
            Resolution.Verdict verdict = i % 2 == 0 ? Resolution.Verdict.NOT_DONE : Resolution.Verdict.GIVE_UP;
            Lease lease = parked.get(i);
            sharing.operate(List.of(new Operation.Resolve(
                    effect(lease), lease.attemptId(), new Resolution(verdict, null, "operator", "looked it up"))));
        }
        sharing.settle(moves(leases.subList(0, half), lease -> new Settlement.Complete(lease, "1")));
    }

    private void queueThatKeepsNothing() {
        set("bare", QueueSettings.builder().retention(Duration.ZERO));
        sharing.submit(of(many, i -> plain("bare")));
        List<Lease> leases = claimed(sharing, request("bare"));
        sharing.settle(moves(leases, lease -> new Settlement.Intend(lease, effect(lease), HOUR)));
        sharing.settle(moves(
                leases,
                lease -> new Settlement.Conclude(
                        lease, effect(lease), new EffectOutcome.Done("1", EffectOutcome.How.RAN))));
        sharing.settle(moves(leases, lease -> new Settlement.Complete(lease, "1")));
    }

    private void limitedQueue() {
        set("limited", QueueSettings.builder().rateLimit("1000/sec").concurrency(100));
        sharing.submit(of(FEW, i -> plain("limited")));
        sharing.settle(moves(claimed(sharing, request("limited")), lease -> new Settlement.Complete(lease, "1")));
        set("limited", QueueSettings.builder().rateLimit("1/sec"));
        set("failing", QueueSettings.builder().deadLetterQueue(prefix + "dead-letters"));
        sharing.submit(of(FEW, i -> keyed("failing", "key " + i)));
        sharing.settle(
                moves(claimed(sharing, request("failing")), lease -> new Settlement.Fail(lease, false, "broken")));
    }

    private void timeLimits() {
        runningUnderOneLease();
        TaskOptions limited = TaskOptions.NONE
                .withLimits(TimeLimits.of(HOUR, Duration.ofMinutes(1)))
                .withTags(List.of("limited"));
        List<NewTask> batch = of(many, i -> task("time-limits", Tasks.TYPE, limited, null));
        sharing.submit(batch);
        apart.submit(of(FEW, i -> task("time-limits", Tasks.TYPE, limited, null)));
        List<Lease> leases = claimed(sharing, request("time-limits", many / 2));
        apart.settle(moves(leases.subList(0, FEW), lease -> new Settlement.Retry(lease, Duration.ofDays(1), "again")));
        apart.settle(moves(leases.subList(2 * FEW, 3 * FEW), lease -> new Settlement.Wait(lease, 0, 1, null, null)));
        // Some have not started, some run, some are pending again, some wait.
        clock.advance(Duration.ofMinutes(1));
        claimed(sharing, request("time-limits", FEW));
        apart.operate(of(FEW, i -> new Operation.Redrive(batch.get(many / 2 + i).id(), 1)));
        clock.advance(HOUR);
        apart.sweep(SweepRequest.ofVanished());
        apart.settle(moves(leases.subList(FEW, 2 * FEW), Settlement.Cancelled::new));
        clock.advance(HOUR);
        apart.sweep(SweepRequest.ofVanished());
    }

    /** Tasks that run under one lease when their time limits pass. */
    private void runningUnderOneLease() {
        TaskOptions brief = TaskOptions.NONE.withLimits(TimeLimits.of(Duration.ofSeconds(1), null));
        sharing.submit(of(FEW, i -> task("brief", Tasks.TYPE, brief, null)));
        claimed(sharing, request("brief"));
        clock.advance(Duration.ofSeconds(1));
        apart.sweep(SweepRequest.ofVanished());
    }

    private void wishes() {
        List<NewTask> batch = of(FEW, i -> keyed("wishes", "key " + i));
        sharing.submit(batch);
        List<NewTask> cancelled = of(FEW, i -> plain("wishes"));
        sharing.submit(cancelled);
        sharing.operate(
                cancelled.stream().map(task -> new Operation.Cancel(task.id())).toList());
        List<Lease> leases = claimed(apart, request("wishes"));
        apart.settle(moves(leases, lease -> new Settlement.Fail(lease, false, "broken")));
        for (int repeated = 0; repeated < 2; repeated++) {
            apart.operate(moves(leases, lease -> new Operation.Redrive(lease.taskId(), lease.attempt())));
        }
        apart.settle(moves(claimed(apart, request("wishes")), lease -> new Settlement.Fail(lease, false, "broken")));
        apart.operate(batch.stream()
                .map(task -> new Operation.ReleaseKey(task.key().identity(), task.id()))
                .toList());
        // The record is gone, so a redrive makes it again.
        apart.operate(moves(leases, lease -> new Operation.Redrive(lease.taskId(), lease.attempt() + 1)));
        apart.submit(of(FEW, i -> conflicting("wishes", "key " + i)));
        // Only what has ended is erased.
        apart.operate(moves(leases, lease -> new Operation.Cancel(lease.taskId())));
        apart.operate(moves(leases, lease -> new Operation.Erase(lease.taskId())));
    }

    private void callersTransactions() throws Exception {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            sharing.joining().orElseThrow().join(connection).submit(of(FEW, i -> keyed("joined", "key " + i)));
            sharing.joining().orElseThrow().join(connection).submit(of(FEW, i -> keyed("joined", "key " + i)));
            sharing.joining().orElseThrow().join(connection).submit(of(many, i -> keyed("joined", "many " + i)));
            sharing.joining().orElseThrow().join(connection).submit(of(many, i -> keyed("joined", "many " + i)));
            connection.commit();
        }
        for (Lease lease : claimed(sharing, request("joined")).subList(0, FEW)) {
            sharing.transacting().orElseThrow().complete(lease, handlers -> "1");
            sharing.transacting().orElseThrow().complete(lease, handlers -> "1");
        }
    }

    private void lookups() {
        List<NewTask> batch = of(many, i -> keyed("lookups", "key " + i));
        apart.submit(batch);
        List<Lease> leases = claimed(apart, request("lookups", many / 2));
        apart.settle(moves(leases.subList(0, many / 4), lease -> new Settlement.Fail(lease, false, "broken")));
        List<TaskId> ids = batch.stream().map(NewTask::id).toList();
        apart.find(ids);
        // It has met none of their names.
        stranger.find(ids);
        apart.attempts(ids);
        apart.records(batch.stream().map(task -> task.key().identity()).toList());
        apart.list(TaskQuery.all(100));
        for (Set<TaskState> states : List.of(
                EnumSet.of(TaskState.FAILED),
                EnumSet.of(TaskState.PENDING, TaskState.WAITING),
                EnumSet.of(TaskState.RUNNING),
                EnumSet.of(TaskState.COMPLETED, TaskState.RUNNING))) {
            apart.list(new TaskQuery(null, prefix + "lookups", null, states, null, null, 100));
        }
        apart.list(TaskQuery.of(identity("replaced", "pending 1"), 100));
        apart.list(TaskQuery.builder().workflows().pageSize(100).build());
        apart.list(TaskQuery.builder().tag("limited").pageSize(100).build());
        apart.list(TaskQuery.builder()
                .tag("limited")
                .tenant(Identity.DEFAULT_TENANT)
                .pageSize(100)
                .build());
        apart.queues();
        apart.depths();
        apart.depths(Identity.DEFAULT_TENANT);
    }

    private void afterTheWindow() {
        apart.submit(of(FEW, i -> keyed("late", "key " + i)));
        List<Lease> leases = claimed(apart, request("late"));
        apart.settle(moves(leases, lease -> new Settlement.Fail(lease, false, "broken")));
        clock.advance(Duration.ofDays(31));
        apart.operate(moves(leases, lease -> new Operation.Redrive(lease.taskId(), lease.attempt())));
    }

    private void sweeps() {
        clock.advance(Duration.ofDays(40));
        SweepRequest request =
                new SweepRequest(Duration.ofDays(1), Map.of(prefix + "apart", HOUR), Duration.ofDays(2), many);
        for (int round = 0; round < 3; round++) {
            apart.sweep(request);
        }
        while (apart.sweep(new SweepRequest(Duration.ofDays(1), Map.of(), Duration.ofDays(2), SweepRequest.MAX_LIMIT))
                        .tasks()
                > 0) {
            // Records are looked for once there are no more tasks.
        }
        apart.sweep(request);
    }

    private void schedules() {
        List<ScheduleRecord> records = of(LANES, i -> schedule(new ScheduleId("default", prefix + "schedule-" + i)));
        apart.operate(records.stream()
                .map(record -> change(record.id(), null, record, List.of()))
                .toList());
        List<ScheduleId> ids = records.stream().map(ScheduleRecord::id).toList();
        apart.schedules(ids);
        apart.schedules(new ScheduleQuery(null, null, FEW));
        apart.dueSchedules(FEW);
        List<ScheduleRecord> next =
                records.stream().map(record -> schedule(record.id())).toList();
        apart.operate(of(
                LANES,
                i -> change(ids.get(i), records.get(i).version(), next.get(i), List.of(plain(prefix + "ticks")))));
        apart.operate(next.stream()
                .map(record -> change(record.id(), record.version(), null, List.of()))
                .toList());
    }

    private void workflows() {
        sharing.submit(of(FEW, i -> plain("flows")));
        List<Lease> flows = claimed(sharing, request("flows"));
        Lease large = flows.getFirst();
        sharing.settle(List.of(advance(large, 1, of(many, i -> new NewLine.Step(plain("steps"))))));
        sharing.settle(List.of(new Settlement.Wait(large, 0, many, null, null)));
        sharing.settle(List.of(new Settlement.Wait(large, 0, many, null, null)));
        List<Lease> steps = claimed(sharing, request("steps"));
        sharing.settle(moves(steps, lease -> new Settlement.Complete(lease, "1")));
        // Steps that are tasks of others: pending, running, and ended.
        sharing.submit(of(FEW, i -> keyed("pends", "key " + i)));
        sharing.submit(of(FEW, i -> keyed("runs", "key " + i)));
        claimed(sharing, request("runs"));
        sharing.submit(of(FEW, i -> keyed("ended", "key " + i)));
        sharing.settle(moves(claimed(sharing, request("ended")), lease -> new Settlement.Complete(lease, "1")));
        for (int i = 1; i < flows.size(); i++) {
            Lease flow = flows.get(i);
            String key = "key " + i;
            List<NewLine> lines = List.of(
                    new NewLine.Step(keyed("pends", key)),
                    new NewLine.Step(keyed("runs", key)),
                    new NewLine.Step(keyed("ended", key)),
                    new NewLine.Step(plain("given-up")));
            sharing.settle(List.of(advance(flow, 1, lines)));
            History history = sharing.histories(List.of(History.Query.whole(flow.taskId())))
                    .get(flow.taskId());
            sharing.settle(List.of(advance(
                    flow,
                    5,
                    of(
                            4,
                            n -> new NewLine.Abandon(
                                    Tasks.TYPE, history.lines().get(n).task())))));
            sharing.settle(
                    List.of(new Settlement.Wait(flow, 100, 1, clock.instant().plus(HOUR), null)));
            SubmitRequest.Signal signal = new SubmitRequest.Signal(flow.taskId(), key, "signal", "1");
            sharing.submit(List.of(signal, signal));
        }
        sharing.settle(moves(claimed(sharing, request("flows")), lease -> new Settlement.Complete(lease, "1")));
        apart.operate(moves(flows.subList(1, flows.size()), lease -> new Operation.Restart(lease.taskId(), 1, 3)));
        wokenUnderALimit();
        continuedAsNew();
        restartedWithTimeLimits();
    }

    /** Workflows that have to start by a time, and start few steps and wait in one call. */
    private void restartedWithTimeLimits() {
        TaskOptions limited = TaskOptions.NONE.withLimits(TimeLimits.of(null, HOUR));
        sharing.submit(of(FEW, i -> task("limited-flows", Tasks.TYPE, limited, null)));
        List<Lease> flows = claimed(sharing, request("limited-flows"));
        for (Lease flow : flows) {
            sharing.settle(List.of(
                    advance(flow, 1, List.of(new NewLine.Step(plain("limited-steps")))),
                    new Settlement.Wait(flow, 0, 1, null, null)));
        }
        apart.operate(moves(flows, lease -> new Operation.Restart(lease.taskId(), 1, 1)));
    }

    /** Of their inboxes an entry is deleted, one loses all but its key, and one stays. Then a history that may be full is counted. */
    private void continuedAsNew() {
        sharing.submit(of(FEW, i -> plain("endless")));
        List<Lease> flows = claimed(sharing, request("endless"));
        sharing.settle(moves(flows, lease -> advance(lease, 1, List.of(new NewLine.Step(plain("endless-steps"))))));
        sharing.settle(moves(claimed(sharing, request("endless-steps")), lease -> new Settlement.Complete(lease, "1")));
        for (Lease flow : flows) {
            sharing.submit(of(2, i -> new SubmitRequest.Signal(flow.taskId(), "key " + i, "signal", "1")));
        }
        sharing.settle(moves(flows, lease -> new Settlement.Continue(lease, 3, List.of(3), "1", clock.instant())));
        Lease full = claimed(sharing, request("endless")).getFirst();
        sharing.settle(List.of(advance(
                full, 1, of(Limits.HISTORY_LINES, i -> new NewLine.Note(HistoryLine.Kind.VALUE, "value", "1")))));
    }

    /** Some workflows continue at once, others later, in a queue that allows no more starts. */
    private void wokenUnderALimit() {
        sharing.submit(of(2 * FEW, i -> plain("slow-flows")));
        List<Lease> flows = claimed(sharing, request("slow-flows"));
        sharing.settle(moves(
                flows,
                lease -> advance(
                        lease,
                        1,
                        List.of(
                                new NewLine.Note(HistoryLine.Kind.VALUE, "value", "1"),
                                new NewLine.Step(plain("slow-steps"))))));
        set("slow-flows", QueueSettings.builder().rateLimit("1/day"));
        sharing.settle(of(
                2 * FEW,
                i -> new Settlement.Wait(
                        flows.get(i), 0, 1, clock.instant().plus(i < FEW ? Duration.ZERO : HOUR), null)));
        sharing.submit(of(2, i -> plain("slow-flows")));
        sharing.settle(moves(claimed(sharing, request("slow-flows")), lease -> new Settlement.Complete(lease, "1")));
        claimed(sharing, request("slow-flows"));
        // Those that sleep.
        apart.operate(moves(flows.subList(FEW, 2 * FEW), lease -> new Operation.Restart(lease.taskId(), 1, 2)));
    }

    private static Settlement.Advance advance(Lease lease, int first, List<? extends NewLine> lines) {
        return new Settlement.Advance(lease, first, List.copyOf(lines));
    }

    private ScheduleRecord schedule(ScheduleId id) {
        return new ScheduleRecord(id, new UUID(random.nextLong(), random.nextLong()), clock.instant(), "{}");
    }

    private static Operation.ChangeSchedule change(
            ScheduleId id, @Nullable UUID before, @Nullable ScheduleRecord next, List<NewTask> create) {
        return new Operation.ChangeSchedule(id, before, next, null, create, List.of());
    }

    private void guards() {
        PostgresGuardStore guard = PostgresGuardStore.on(source);
        for (int i = 0; i < FEW; i++) {
            Hold hold = new Hold(
                    new GuardKey("default", prefix + "guarded " + i), OwnerToken.next(random), HASH, LEASE, HOUR);
            guard.begin(hold);
            guard.renew(hold);
            guard.finish(hold, "1");
            guard.begin(hold);
            guard.find(hold.key());
            Hold failing = new Hold(
                    new GuardKey("default", prefix + "failing " + i), OwnerToken.next(random), HASH, LEASE, HOUR);
            guard.begin(failing);
            guard.fail(failing, "broken");
        }
        guard.sweep(1_000);
    }

    private void set(String queue, QueueSettings.Builder settings) {
        sharing.operate(List.of(new Operation.SetQueue(prefix + queue, settings.build())));
    }

    private static <T> List<T> of(int number, IntFunction<T> each) {
        return IntStream.range(0, number).mapToObj(each).toList();
    }

    private static <T> List<T> moves(List<Lease> leases, Function<Lease, T> move) {
        return leases.stream().map(move).toList();
    }

    private static EffectId effect(Lease lease) {
        return new EffectId(lease.taskId(), "charge", 0);
    }

    private ClaimRequest request(String queue) {
        return request(queue, many);
    }

    private ClaimRequest request(String queue, int limit) {
        return new ClaimRequest(++claims, false, Set.of(prefix + queue), null, limit, limit, LEASE, "worker");
    }

    private static List<Lease> claimed(PostgresTaskStore store, ClaimRequest request) {
        return store.claim(request).tasks().stream().map(Claimed::lease).toList();
    }

    private Identity identity(String queue, String key) {
        return Identity.of(
                Identity.DEFAULT_TENANT, Scope.type(), prefix + queue, Tasks.TYPE, prefix + queue + " " + key);
    }

    private NewTask plain(String queue) {
        return task(queue, Tasks.TYPE, TaskOptions.NONE, null);
    }

    private NewTask delayed(String queue) {
        NewTask task = plain(queue);
        return new NewTask(
                task.id(),
                task.tenant(),
                task.queue(),
                task.type(),
                task.input(),
                new NewTask.Start.After(HOUR),
                task.options(),
                task.key());
    }

    private NewTask mutex(String queue, String name) {
        return task(queue, Tasks.TYPE, new TaskOptions(0, null, null, name), null);
    }

    private NewTask keyed(String queue, String key) {
        return keyed(queue, key, ReusePolicy.allowFailedOnly(), HASH);
    }

    private NewTask replacing(String queue, String key) {
        return keyed(queue, key, REPLACE, HASH);
    }

    private NewTask conflicting(String queue, String key) {
        return keyed(queue, key, ReusePolicy.allowFailedOnly(), InputHash.of(Json.parse("{}"), List.of()));
    }

    private NewTask keyed(String queue, String key, ReusePolicy policy, InputHash hash) {
        return task(
                queue,
                Tasks.TYPE,
                TaskOptions.NONE,
                new NewTask.KeyRequest(identity(queue, key), hash, Duration.ofDays(30), policy));
    }

    private NewTask task(String queue, String type, TaskOptions options, NewTask.@Nullable KeyRequest key) {
        return new NewTask(
                TaskId.next(clock, random),
                Identity.DEFAULT_TENANT,
                prefix + queue,
                type,
                INPUT,
                NewTask.Start.now(),
                options,
                key);
    }
}
