package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectQuery;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.QueueDepth;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Two stores that are asked the same random things and have to answer the same.
 *
 * <p>Where the laws leave a choice, nothing is asked that would make the choice visible: a claim with a limit is of one
 * queue with one tenant, a claim of more has no limit, and so has a sweep. In worlds with mutexes no claim has a limit, and
 * no queue but a pause: which of the tasks that a limit leaves out are pending and which are waiting is up to the store.
 */
final class LockStep {

    private static final List<String> SINGLE_TENANT_QUEUES = List.of("a", "b");
    static final List<String> TENANTS = List.of("t1", "t2");
    private static final List<Duration> LEASES =
            List.of(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(5));
    private static final List<Duration> DELAYS =
            List.of(Duration.ZERO, Duration.ofMillis(1), Duration.ofSeconds(10), Duration.ofMinutes(2));
    private static final List<Duration> PASSING = List.of(
            Duration.ofMillis(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Duration.ofMinutes(5),
            Duration.ofHours(1));
    private static final List<Duration> RETENTIONS =
            List.of(Duration.ZERO, Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofDays(1));
    private static final List<String> RATES = List.of("1/sec", "30/sec", "2/min", "100/hour", "none");
    private static final int LOOK_EVERY = 100;

    /** What a seed brings in beside tasks and keys. */
    private enum World {
        PLAIN,
        SETTINGS,
        MUTEXES
    }

    private final World world;
    private final TaskStore real;
    private final TaskStore model;
    private final ManualClock clock;
    private final SplittableRandom random;
    private final RandomDrafts drafts;
    private final RandomEffects effects;
    private final RisingIds ids;

    private final List<NewTask> submitted = new ArrayList<>();
    private final Set<Identity> identities = new LinkedHashSet<>();
    private final List<ClaimRequest> claims = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final Map<AttemptId, Lease> newestLeases = new HashMap<>();
    private final List<Settlement> settlements = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private int step;

    LockStep(TaskStore real, TaskStore model, ManualClock clock, long seed) {
        this.real = real;
        this.model = model;
        this.clock = clock;
        this.random = new SplittableRandom(seed);
        this.world = List.of(World.PLAIN, World.SETTINGS, World.MUTEXES).get((int) Math.floorMod(seed, 3L));
        this.drafts = new RandomDrafts(random);
        this.effects = new RandomEffects(random);
        this.ids = new RisingIds(clock);
    }

    void run(int steps) {
        for (step = 1; step <= steps; step++) {
            int choice = random.nextInt(100);
            if (choice < 28) {
                submit();
            } else if (choice < 50) {
                claim(newClaim());
            } else if (choice < 54) {
                claims.stream()
                        .skip(random.nextInt(claims.size() + 1))
                        .findFirst()
                        .ifPresent(old -> claim(old.again()));
            } else if (choice < 84) {
                if (!leases.isEmpty() && random.nextInt(10) < 7) {
                    settle();
                } else if (!submitted.isEmpty()) {
                    operate();
                }
            } else if (choice < 88) {
                sweep();
            } else if (choice < 90) {
                lookAtEffects();
            } else {
                clock.advance(drafts.pick(PASSING));
                // A claim may end overdue tasks of its own queues only, or of all: what is the same is what a sweep
                // ends.
                real.sweep(SweepRequest.ofVanished());
                model.sweep(SweepRequest.ofVanished());
            }
            if (step % LOOK_EVERY == 0 || step == steps) {
                assertThat(Snapshot.of(real, identities))
                        .as("what is stored after step %s", step)
                        .isEqualTo(Snapshot.of(model, identities));
                StoreInvariants.check(model, identities);
            }
        }
    }

    /** The identities of all tasks that were submitted, dead letters that were claimed included. */
    Collection<Identity> identities() {
        return identities;
    }

    private void submit() {
        List<SubmitRequest> batch = new ArrayList<>();
        Set<Identity> keys = new LinkedHashSet<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            if (!submitted.isEmpty() && random.nextInt(12) == 0) {
                batch.add(new SubmitRequest.Cancel(drafts.pick(submitted).id()));
                continue;
            }
            NewTask task = !submitted.isEmpty() && random.nextInt(8) == 0 ? drafts.pick(submitted) : newTask();
            batch.add(task);
            submitted.add(task);
            if (task.key() != null) {
                keys.add(task.key().identity());
            }
        }
        List<Submitted> expected = model.submit(batch);
        assertThat(real.submit(batch)).as("step %s: submit %s", step, batch).isEqualTo(expected);
        if (expected.stream().anyMatch(Submitted.Returned.class::isInstance)) {
            // A store may write its counts of duplicates later, but not later than this read.
            assertThat(real.records(keys))
                    .as("step %s: records after %s", step, batch)
                    .isEqualTo(model.records(keys));
        }
    }

    private NewTask newTask() {
        Draft draft = switch (random.nextInt(3)) {
            case 0 -> drafts.next("t1", "a");
            case 1 -> drafts.next("t2", "b");
            default -> drafts.next(drafts.pick(TENANTS), "mixed");
        };
        if (draft.key() != null) {
            identities.add(draft.identity());
        }
        if (world == World.MUTEXES && SINGLE_TENANT_QUEUES.contains(draft.queue()) && random.nextBoolean()) {
            draft = draft.mutex("m" + random.nextInt(2));
        }
        return draft.as(ids.next());
    }

    private ClaimRequest newClaim() {
        ClaimDraft claimDraft;
        if (world == World.MUTEXES) {
            claimDraft = random.nextBoolean()
                    ? ClaimDraft.from("a", "b", "mixed")
                    : ClaimDraft.from(drafts.pick(SINGLE_TENANT_QUEUES));
        } else if (random.nextInt(3) == 0) {
            claimDraft = ClaimDraft.from("a", "b", "mixed").suspects(random.nextBoolean() ? 0 : ClaimRequest.MAX_LIMIT);
        } else {
            int limit = 1 + random.nextInt(4);
            claimDraft = ClaimDraft.from(drafts.pick(SINGLE_TENANT_QUEUES))
                    .limit(limit)
                    .suspects(random.nextInt(limit + 1));
            claimDraft = random.nextInt(3) == 0 ? claimDraft.limited(1 + random.nextInt(limit)) : claimDraft;
        }
        if (random.nextInt(3) == 0) {
            claimDraft = claimDraft.ofTypes(random.nextBoolean() ? Draft.TYPE : "other");
        }
        return claimDraft
                .lease(drafts.pick(LEASES))
                .worker("worker-" + random.nextInt(3))
                .as(claims.size() + 1L);
    }

    private void claim(ClaimRequest request) {
        if (!request.repeated()) {
            claims.add(request);
        }
        Claims expected = model.claim(request);
        Claims answer = real.claim(request);
        String what = "step " + step + ": " + request;
        if (request.repeated()) {
            assertThat(new HashSet<>(answer.tasks())).as(what).isEqualTo(new HashSet<>(expected.tasks()));
        } else {
            assertThat(inGroups(answer)).as(what).isEqualTo(inGroups(expected));
        }
        if (expected.tasks().size() < request.limit()) {
            // Under limits a store may say less than the truth.
            if (world == World.SETTINGS) {
                assertThat(answer.nextDue() == null).as(what).isEqualTo(expected.nextDue() == null);
            } else {
                assertThat(answer.nextDue()).as(what).isEqualTo(expected.nextDue());
            }
        }
        for (Claimed claimed : expected.tasks()) {
            leases.add(claimed.lease());
            newestLeases.put(claimed.lease().attemptId(), claimed.lease());
            effects.note(claimed);
            if (claimed.task().identity() != null) {
                identities.add(claimed.task().identity());
            }
        }
    }

    /** Which of several tenants is first is up to the store, the order within each is not. */
    private static Map<String, List<Claimed>> inGroups(Claims claims) {
        Map<String, List<Claimed>> groups = new HashMap<>();
        for (Claimed claimed : claims.tasks()) {
            groups.computeIfAbsent(claimed.task().queue() + " " + claimed.task().tenant(), group -> new ArrayList<>())
                    .add(claimed);
        }
        return groups;
    }

    private void settle() {
        List<Settlement> batch = new ArrayList<>();
        int size = 1 + random.nextInt(3);
        for (int i = 0; i < size; i++) {
            batch.add(anySettlement());
        }
        settlements.addAll(batch);
        assertThat(real.settle(batch)).as("step %s: settle %s", step, batch).isEqualTo(model.settle(batch));
    }

    private Settlement anySettlement() {
        while (true) {
            boolean again = random.nextInt(10) == 0 && !settlements.isEmpty();
            Settlement settlement = again ? drafts.pick(settlements) : settlement();
            Lease lease = settlement.lease();
            // An id that was forgotten and sent again has the same attempts under other claims. What a store answers to
            // a
            // lease of the earlier ones depends on whether it needs the claim to find the attempt.
            if (lease.equals(newestLeases.getOrDefault(lease.attemptId(), lease))) {
                return settlement;
            }
        }
    }

    private void operate() {
        List<Operation> batch = new ArrayList<>();
        int size = 1 + random.nextInt(3);
        for (int i = 0; i < size; i++) {
            if (random.nextInt(10) == 0 && !operations.isEmpty()) {
                batch.add(drafts.pick(operations));
            } else if (world != World.PLAIN && random.nextInt(3) == 0) {
                batch.add(queueOperation());
            } else {
                batch.add(operation());
            }
        }
        operations.addAll(batch);
        assertThat(real.operate(batch)).as("step %s: operate %s", step, batch).isEqualTo(model.operate(batch));
    }

    private Settlement settlement() {
        // Mostly one of the newest leases, now and then any, and rarely one that never was.
        int newest = Math.min(leases.size(), random.nextInt(4) == 0 ? leases.size() : 6);
        Lease lease = leases.get(leases.size() - 1 - random.nextInt(newest));
        if (random.nextInt(30) == 0) {
            lease = new Lease(lease.taskId(), lease.attempt() + random.nextInt(3) - 1, lease.claim());
        }
        return switch (random.nextInt(14)) {
            case 0 -> new Settlement.Complete(lease, random.nextBoolean() ? "{\"ok\":true}" : null);
            case 1, 2 -> new Settlement.Retry(lease, drafts.pick(DELAYS), "again at step " + step);
            case 3, 4 -> new Settlement.Fail(lease, random.nextBoolean(), "broken at step " + step);
            case 5 -> new Settlement.PutBack(lease, drafts.pick(DELAYS));
            case 6 -> new Settlement.Cancelled(lease);
            case 7 -> new Settlement.Extend(lease, drafts.pick(LEASES));
            default -> effects.settlement(model, lease, step);
        };
    }

    private Operation queueOperation() {
        String queue = drafts.pick(SINGLE_TENANT_QUEUES);
        QueueSettings.Builder settings = QueueSettings.builder();
        switch (random.nextInt(world == World.SETTINGS ? 6 : 4)) {
            case 0, 1 -> settings.paused(random.nextInt(3) == 0);
            case 2 -> settings.retention(drafts.pick(RETENTIONS));
            case 3 -> settings.deadLetterQueue(drafts.pick(List.of(queue, "mixed", "dead", "")));
            case 4 -> settings.rateLimit(drafts.pick(RATES));
            default -> settings.concurrency(random.nextInt(4));
        }
        return switch (random.nextInt(4)) {
            case 0 -> new Operation.DeclareQueue(queue, settings.build());
            case 1 -> new Operation.ResetQueue(queue);
            default -> new Operation.SetQueue(queue, settings.build());
        };
    }

    private Operation operation() {
        NewTask task = drafts.pick(submitted);
        if (random.nextInt(3) == 0) {
            return effects.word(model, task.id());
        }
        TaskId id = task.id();
        NewTask.KeyRequest key = task.key();
        int choice = random.nextInt(4);
        if (choice == 0) {
            return new Operation.Cancel(id);
        }
        if (choice == 1 && key != null) {
            TaskId holder =
                    model.record(key.identity()).map(record -> record.taskId()).orElse(id);
            TaskId named = random.nextInt(4) == 0 ? id : holder;
            return new Operation.ReleaseKey(key.identity(), named);
        }
        // Mostly the newest attempt of a task that is there, and mostly one that is dead.
        List<Task> dead = model.find(submitted.stream().map(NewTask::id).toList()).values().stream()
                .filter(found -> found.state().isDead())
                .toList();
        if (!dead.isEmpty() && random.nextInt(4) > 0) {
            Task found = drafts.pick(dead);
            return new Operation.Redrive(found.id(), found.progress().attempt() - (random.nextInt(5) == 0 ? 1 : 0));
        }
        return new Operation.Redrive(id, random.nextInt(4));
    }

    private void sweep() {
        SweepRequest request = new SweepRequest(
                drafts.pick(RETENTIONS),
                random.nextBoolean() ? Map.of() : Map.of("a", drafts.pick(RETENTIONS)),
                drafts.pick(RETENTIONS),
                SweepRequest.MAX_LIMIT);
        assertThat(real.sweep(request)).as("step %s: %s", step, request).isEqualTo(model.sweep(request));
    }

    private void lookAtEffects() {
        EffectQuery query = effects.query(model);
        assertThat(Snapshot.listed(real, query))
                .as("step %s: %s", step, query)
                .isEqualTo(Snapshot.listed(model, query));
        String tenant = drafts.pick(TENANTS);
        assertThat(depths(real, tenant))
                .as("step %s: depths of %s", step, tenant)
                .isEqualTo(depths(model, tenant));
        assertThat(depths(real, null)).as("step %s: depths", step).isEqualTo(depths(model, null));
        List<TaskId> lineages = effects.lineages();
        assertThat(real.effects(lineages))
                .as("step %s: effects of %s", step, lineages)
                .isEqualTo(model.effects(lineages));
    }

    private static Map<String, QueueDepth> depths(TaskStore store, @Nullable String tenant) {
        Map<String, QueueDepth> depths = new HashMap<>(store.depths(tenant));
        depths.values().removeIf(QueueDepth.EMPTY::equals);
        return depths;
    }
}
