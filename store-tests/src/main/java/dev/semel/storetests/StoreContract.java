package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.QueueSetUp;
import dev.semel.store.QueueSettings;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
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
 * What all parts of the contract have in common: how a store is opened, closed and looked through afterwards, and short
 * ways to ask for one thing.
 */
public abstract class StoreContract {

    static final Duration MILLISECOND = Duration.ofMillis(1);

    final ManualClock clock = new ManualClock();
    final RisingIds ids = new RisingIds(clock);
    private final AtomicLong claimNumbers = new AtomicLong();
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

    /** Another empty store, looked through and closed after the test. */
    final TaskStore fresh() {
        return fresh(clock);
    }

    /** Another empty store with a clock of its own, looked through and closed after the test. */
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

    /** Notes identities that a test uses without {@link #task}, so that the look afterwards finds all records. */
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

    final Claims claim(Wish wish) {
        return store.claim(wish.as(nextClaim()));
    }

    final List<TaskId> claimIds(Wish wish) {
        return claim(wish).tasks().stream().map(claimed -> claimed.task().id()).toList();
    }

    /** Claims the one task that is due in the usual queue. */
    final Lease claimOne() {
        List<Claimed> claimed = claim(Wish.from(Draft.QUEUE)).tasks();
        assertThat(claimed).hasSize(1);
        return claimed.getFirst().lease();
    }

    /** Lets the leases of usual claims run out. */
    final void leasesRunOut() {
        clock.advance(Wish.LEASE);
    }

    // Moving

    final Applied apply(Transition move) {
        List<Applied> answers = store.apply(List.of(move));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /** Makes a move that must be applied. */
    final void applied(Transition move) {
        assertThat(apply(move)).as("%s", move).isEqualTo(Applied.APPLIED);
    }

    /** Sets a queue at run time. */
    final void set(String queue, QueueSettings.Builder changes) {
        applied(new Transition.SetQueue(queue, changes.build()));
    }

    /** Creates a task that must be alone in the usual queue, and brings it to a state other than waiting. */
    final TaskId createIn(TaskState state, Draft draft) {
        TaskId id = create(draft);
        switch (state) {
            case PENDING -> {}
            case RUNNING -> claimOne();
            case COMPLETED -> applied(new Transition.Complete(claimOne(), "\"done\""));
            case FAILED -> applied(new Transition.Fail(claimOne(), false, "broken"));
            case TIMED_OUT -> applied(new Transition.Fail(claimOne(), true, "too slow"));
            case CANCELLED -> applied(new Transition.Cancel(id));
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
}
