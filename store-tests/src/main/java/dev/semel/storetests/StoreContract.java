package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What all parts of the contract have in common: how a store is opened, closed and checked afterwards, and short
 * ways to ask for one thing.
 */
public abstract class StoreContract {

    static final Duration MILLISECOND = Duration.ofMillis(1);

    final ManualClock clock = new ManualClock();
    final RisingIds ids = new RisingIds(clock);
    private final AtomicLong claimNumbers = new AtomicLong();
    private final Map<AttemptId, Lease> leases = new ConcurrentHashMap<>();
    private final Map<TaskStore, ManualClock> fresh = new LinkedHashMap<>();
    private final List<TaskStore> others = new ArrayList<>();
    private final Set<Identity> identities = ConcurrentHashMap.newKeySet();
    TaskStore store;

    /** For the parts. */
    @SuppressWarnings("NullAway.Init") // the store is opened before each test
    protected StoreContract() {}

    /**
     * Opens a fresh, empty store. May be called several times in one test.
     *
     * @param clock the store's only notion of now
     * @return the store
     */
    protected abstract TaskStore open(ManualClock clock);

    /**
     * Opens a second handle on the data of the store that was opened last, as another process would: for a durable store
     * another instance, for the store in memory the same one.
     *
     * @return the handle
     */
    protected abstract TaskStore openAnother();

    @BeforeEach
    final void openTheStore() {
        store = fresh();
    }

    @AfterEach
    final void nothingIsBrokenOrLost() {
        others.forEach(TaskStore::close);
        others.clear();
        List.copyOf(fresh.keySet()).forEach(this::finish);
    }

    /** Another empty store, checked and closed after the test. */
    final TaskStore fresh() {
        return fresh(clock);
    }

    /** Another empty store with a clock of its own, checked and closed after the test. */
    final TaskStore fresh(ManualClock itsClock) {
        TaskStore opened = open(itsClock);
        fresh.put(opened, itsClock);
        return opened;
    }

    /** Another handle on the data of the store that was opened last, closed after the test. */
    final TaskStore another() {
        TaskStore opened = openAnother();
        others.add(opened);
        return opened;
    }

    /** Looks through a store, works it off and closes it. */
    final void finish(TaskStore opened) {
        ManualClock itsClock = Objects.requireNonNull(fresh.remove(opened), "opened by fresh");
        try (opened) {
            StoreInvariants.check(opened, identities);
            StoreInvariants.drain(opened, itsClock);
            StoreInvariants.check(opened, identities);
        }
    }

    /** Records identities that a test uses without {@link #task}, so that the final check finds all records. */
    final void knows(Collection<Identity> used) {
        identities.addAll(used);
    }

    // Submitting

    final NewTask task(Draft draft) {
        if (draft.key() != null) {
            identities.add(draft.identity());
        }
        return draft.as(ids.next());
    }

    final List<NewTask> tasks(int count, Draft draft) {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batch.add(task(draft));
        }
        return batch;
    }

    final Submitted submit(Draft draft) {
        return submit(task(draft));
    }

    final Submitted submit(NewTask task) {
        List<Submitted> answers = store.submit(List.of(task));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /** Submits what must be created, and gives its id. */
    final TaskId create(Draft draft) {
        NewTask task = task(draft);
        Submitted answer = submit(task);
        assertThat(answer).isInstanceOf(Created.class);
        assertThat(((Created) answer).taskId()).isEqualTo(task.id());
        return task.id();
    }

    // Claiming

    final long nextClaim() {
        return claimNumbers.incrementAndGet();
    }

    final Claims claim(ClaimDraft claimDraft) {
        return claim(store, claimDraft);
    }

    final Claims claim(TaskStore handle, ClaimDraft claimDraft) {
        Claims claims = handle.claim(claimDraft.as(nextClaim()));
        claims.tasks().forEach(claimed -> leases.put(claimed.lease().attemptId(), claimed.lease()));
        return claims;
    }

    /** The lease that a claim of this test returned for an attempt; if none did, one that no claim returns. */
    final Lease lease(TaskId id, int attempt) {
        AttemptId name = new AttemptId(id, attempt);
        return leases.getOrDefault(name, new Lease(id, attempt, nextClaim()));
    }

    final List<TaskId> claimIds(ClaimDraft claimDraft) {
        return claim(claimDraft).tasks().stream()
                .map(claimed -> claimed.task().id())
                .toList();
    }

    /** Claims the one task that is due in the usual queue. */
    final Lease claimOne() {
        List<Claimed> claimed = claim(ClaimDraft.from(Draft.QUEUE)).tasks();
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    /** Lets the leases of usual claims expire. */
    final void leasesExpire() {
        clock.advance(ClaimDraft.LEASE);
    }

    // Settling and operating

    final Settled apply(Settlement settlement) {
        List<Settled> answers = store.settle(List.of(settlement));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    final Operated apply(Operation operation) {
        List<Operated> answers = store.operate(List.of(operation));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /** Sends a settlement that must be applied. */
    final void applied(Settlement settlement) {
        assertThat(apply(settlement)).as("%s", settlement).isEqualTo(Settled.APPLIED);
    }

    /** Sends an operation that must be applied. */
    final void applied(Operation operation) {
        assertThat(apply(operation)).as("%s", operation).isEqualTo(Operated.APPLIED);
    }

    /** Sets a queue at run time. */
    final void set(String queue, QueueSettings.Builder changes) {
        applied(new Operation.SetQueue(queue, changes.build()));
    }

    /** Creates a task that must be alone in the usual queue, and brings it to a state other than waiting. */
    final TaskId createIn(TaskState state, Draft draft) {
        TaskId id = create(draft);
        switch (state) {
            case PENDING -> {}
            case RUNNING -> claimOne();
            case COMPLETED -> applied(new Settlement.Complete(claimOne(), "\"done\""));
            case FAILED -> applied(new Settlement.Fail(claimOne(), false, "broken"));
            case TIMED_OUT -> applied(new Settlement.Fail(claimOne(), true, "too slow"));
            case CANCELLED -> applied(new Operation.Cancel(id));
            case WAITING -> throw new IllegalArgumentException("a task waits only for another one");
        }
        return id;
    }

    // Looking

    final Task read(TaskId id) {
        Task task = store.find(List.of(id)).get(id);
        if (task == null) {
            throw new AssertionError("Task " + id + " is not there");
        }
        return task;
    }

    final TaskState state(TaskId id) {
        return read(id).state();
    }

    final KeyRecord record(Draft draft) {
        return store.record(draft.identity())
                .orElseThrow(() -> new AssertionError("There is no record of " + draft.identity()));
    }

    /** The settings of a queue that hold. */
    final QueueSettings settings(String queue) {
        return store.queues().getOrDefault(queue, QueueSetUp.NONE).effective();
    }

    final Snapshot everything() {
        return Snapshot.of(store);
    }

    /** Runs a step that must change nothing that can be seen. */
    final void changesNothing(Runnable step) {
        Snapshot before = everything();
        step.run();
        assertThat(everything()).isEqualTo(before);
    }

    /** Runs a step that must change nothing that can be seen, except that it counts duplicates of one key. */
    final void countsOnly(int duplicates, Draft draft, Runnable step) {
        Set<Identity> counted = Set.of(draft.identity());
        long count = record(draft).duplicates();
        Snapshot before = everything().uncounted(counted);
        step.run();
        assertThat(everything().uncounted(counted)).isEqualTo(before);
        assertThat(record(draft).duplicates() - count).as("counted duplicates").isEqualTo(duplicates);
    }
}
