package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.NewTask;
import dev.semel.store.Operation;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.Conflicted;
import dev.semel.store.Submitted.Created;
import dev.semel.store.Submitted.Rejected;
import dev.semel.store.Submitted.Returned;
import dev.semel.store.TaskStore;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of submitting many tasks at once: S6 and S7. */
public abstract class BatchContract extends StoreContract {

    private static final int ROUNDS = 100;
    private static final Draft KEYED = Draft.keyed("k");

    /** For subclasses. */
    protected BatchContract() {}

    @Test
    @DisplayName("S6: later items of a batch find the tasks of earlier ones")
    void laterItemsMeetEarlierOnes() {
        NewTask first = task(KEYED);
        NewTask other = task(Draft.keyed("other"));
        NewTask again = task(KEYED);
        NewTask conflicting = task(KEYED.input("{\"n\":2}"));
        NewTask replacing = task(KEYED.input("{\"n\":3}").replacing());
        NewTask sameAsReplacing = task(KEYED.input("{\"n\":3}"));
        List<Submitted> answers = store.submit(List.of(
                first, other, again, conflicting, replacing, sameAsReplacing, task(KEYED), task(Draft.plain())));

        assertThat(answers).hasSize(8);
        assertThat(answers.get(0)).isEqualTo(new Created(first.id(), 1, TaskState.PENDING, clock.instant()));
        assertThat(answers.get(1)).isEqualTo(new Created(other.id(), 1, TaskState.PENDING, clock.instant()));
        assertThat(existing(answers.get(2))).isEqualTo(first.id());
        assertThat(((Conflicted) answers.get(3)).existing().taskId()).isEqualTo(first.id());
        assertThat(answers.get(4)).isEqualTo(new Created(replacing.id(), 2, TaskState.PENDING, clock.instant()));
        assertThat(existing(answers.get(5))).isEqualTo(replacing.id());
        assertThat(((Conflicted) answers.get(6)).existing().taskId()).isEqualTo(replacing.id());
        assertThat(answers.get(7)).isInstanceOf(Created.class);
        assertThat(state(first.id())).isEqualTo(TaskState.CANCELLED);
    }

    @Test
    @DisplayName("S6: the same task id twice in a batch is created twice and is one task")
    void theSameIdTwiceIsOneTask() {
        for (Draft draft :
                List.of(Draft.plain(), KEYED, Draft.keyed("replacing").replacing())) {
            NewTask task = task(draft);
            assertThat(store.submit(List.of(task, task, task)))
                    .containsOnly(new Created(task.id(), 1, TaskState.PENDING, clock.instant()));
        }
        assertThat(everything().tasks()).hasSize(3);
    }

    @Test
    @DisplayName("S6: of several reruns of one failed task in a batch the first is created and the others get it")
    void oneRerunPerBatch() {
        createIn(TaskState.FAILED, KEYED);
        List<NewTask> batch = tasks(5, KEYED);
        List<Submitted> answers = store.submit(batch);
        TaskId rerun = batch.getFirst().id();
        assertThat(answers.getFirst()).isEqualTo(new Created(rerun, 2, TaskState.PENDING, clock.instant()));
        assertThat(answers.subList(1, 5))
                .allSatisfy(answer -> assertThat(existing(answer)).isEqualTo(rerun));
    }

    @Test
    @DisplayName("S6: replacing a running task several times in a batch leaves one waiting task")
    void theLastReplacementWaits() {
        createIn(TaskState.RUNNING, KEYED);
        List<NewTask> batch = tasks(3, KEYED.replacing());
        assertThat(store.submit(batch))
                .containsExactly(
                        new Created(batch.get(0).id(), 2, TaskState.WAITING, clock.instant()),
                        new Created(batch.get(1).id(), 3, TaskState.WAITING, clock.instant()),
                        new Created(batch.get(2).id(), 4, TaskState.WAITING, clock.instant()));
        assertThat(state(batch.get(0).id())).isEqualTo(TaskState.CANCELLED);
        assertThat(state(batch.get(1).id())).isEqualTo(TaskState.CANCELLED);
        assertThat(state(batch.get(2).id())).isEqualTo(TaskState.WAITING);
    }

    @Test
    @DisplayName("S7: one rejected item never fails its neighbours")
    void refusedItemsLeaveTheirNeighboursAlone() {
        create(KEYED);
        Draft rejecting = KEYED.policy(ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT));
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            batch.add(task(
                    switch (i % 3) {
                        case 0 -> Draft.keyed("neighbour " + i);
                        case 1 -> KEYED.input("{\"n\":2}");
                        default -> rejecting;
                    }));
        }
        List<Submitted> answers = store.submit(batch);
        for (int i = 0; i < 30; i++) {
            Class<? extends Submitted> expected = switch (i % 3) {
                case 0 -> Created.class;
                case 1 -> Conflicted.class;
                default -> Rejected.class;
            };
            assertThat(answers.get(i)).as("item %s", i).isInstanceOf(expected);
        }
        assertThat(everything().tasks()).hasSize(11);
    }

    @Test
    @DisplayName("S6: a batch of the greatest size is accepted, in order")
    void theGreatestBatchIsAccepted() {
        List<NewTask> batch = new ArrayList<>();
        for (int i = 0; i < TaskStore.MAX_BATCH; i++) {
            batch.add(task(i % 10 == 0 ? Draft.keyed("k" + i % 5_000) : Draft.plain()));
        }
        List<Submitted> answers = store.submit(batch);
        assertThat(answers).hasSize(batch.size());
        List<TaskId> created = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            TaskId id = batch.get(i).id();
            if (i % 10 == 0 && i >= 5_000) {
                assertThat(existing(answers.get(i)))
                        .isEqualTo(batch.get(i - 5_000).id());
            } else {
                assertThat(((Created) answers.get(i)).taskId()).isEqualTo(id);
                created.add(id);
            }
        }
        assertThat(claimIds(ClaimDraft.from(Draft.QUEUE))).isEqualTo(created);
    }

    @Test
    @DisplayName("S6: a batch means exactly what its items would mean one after the other")
    void aBatchMeansItsItemsInOrder() {
        TaskStore batched = store;
        TaskStore single = fresh();
        Seeds.each(ROUNDS, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            RandomDrafts drafts = new RandomDrafts(random);
            // A tenant and a queue for each round: it meets nothing of the rounds before.
            String place = "round-" + seed;
            List<SubmitRequest> world = randomBatch(random, drafts, place, 4);
            List<SubmitRequest> batch = randomBatch(random, drafts, place, 8);
            for (TaskStore each : List.of(batched, single)) {
                each.submit(world);
                moveOn(each, new SplittableRandom(seed), place);
            }
            if (random.nextBoolean()) {
                clock.advance(Duration.ofSeconds(random.nextInt(3)));
            }
            List<Submitted> atOnce = batched.submit(batch);
            List<Submitted> oneByOne = new ArrayList<>();
            batch.forEach(item -> oneByOne.addAll(single.submit(List.of(item))));
            assertThat(atOnce).isEqualTo(oneByOne);
            Set<Identity> keys = identities(world, batch);
            assertThat(batched.records(keys)).isEqualTo(single.records(keys));
        });
        assertThat(Snapshot.of(batched)).isEqualTo(Snapshot.of(single));
    }

    /** Some new tasks; now and then one of them comes twice, or is cancelled in the same batch. */
    private List<SubmitRequest> randomBatch(SplittableRandom random, RandomDrafts drafts, String place, int most) {
        List<SubmitRequest> batch = new ArrayList<>();
        List<NewTask> created = new ArrayList<>();
        int size = 1 + random.nextInt(most);
        for (int i = 0; i < size; i++) {
            int choice = created.isEmpty() ? 0 : random.nextInt(12);
            if (choice == 1) {
                batch.add(drafts.pick(created));
            } else if (choice == 2) {
                batch.add(new SubmitRequest.Cancel(drafts.pick(created).id()));
            } else {
                NewTask task = task(drafts.next(place, place));
                created.add(task);
                batch.add(task);
            }
        }
        return batch;
    }

    @SafeVarargs
    private static Set<Identity> identities(List<SubmitRequest>... batches) {
        Set<Identity> identities = new HashSet<>();
        for (List<SubmitRequest> batch : batches) {
            for (SubmitRequest request : batch) {
                if (request instanceof NewTask task && task.key() != null) {
                    identities.add(task.key().identity());
                }
            }
        }
        return identities;
    }

    /** Claims some and ends some of these, the same way in every store. */
    private static void moveOn(TaskStore store, SplittableRandom random, String place) {
        List<Settlement> settlements = new ArrayList<>();
        List<Operation> operations = new ArrayList<>();
        for (Claimed claimed :
                store.claim(ClaimDraft.from(place).limit(3).as(1)).tasks()) {
            Lease lease = claimed.lease();
            switch (random.nextInt(5)) {
                case 0 -> settlements.add(new Settlement.Complete(lease, "1"));
                case 1 -> settlements.add(new Settlement.Fail(lease, random.nextBoolean(), "broken"));
                case 2 -> operations.add(new Operation.Cancel(lease.taskId()));
                case 3 -> settlements.add(new Settlement.Retry(lease, Duration.ofMinutes(1), "again"));
                default -> {}
            }
        }
        store.settle(settlements);
        store.operate(operations);
    }

    private static TaskId existing(Submitted answer) {
        return ((Returned) answer).existing().taskId();
    }
}
