package dev.semel.storetests;

import dev.semel.store.ClaimRequest;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.Identity;
import dev.semel.task.Lease;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The result of a story with every call, settlement and operation, run on a store that may fail: all answers, and the end.
 *
 * @param answers what was answered, call by call; of a sweep nothing, because one that is repeated has less to remove
 * @param end all that could be seen of the store afterwards, without the counts of duplicates
 */
record Story(List<Object> answers, Snapshot end) {

    /** The identities whose tasks have effects. */
    static List<Identity> identities() {
        return List.of(
                Teller.EFFECTIVE.identity(), Teller.EFFECTIVE.key("parked").identity());
    }

    int calls() {
        return answers.size();
    }

    /**
     * Runs the story.
     *
     * @param store the store that may fail; each call is repeated until it is answered
     * @param clock the clock of the store
     * @param calm the same store without its failures, to read the end
     */
    static Story tell(TaskStore store, ManualClock clock, TaskStore calm) {
        Teller teller = new Teller(store, clock);
        teller.tell();
        Snapshot end = Snapshot.of(calm);
        // A duplicate that is sent again after a lost answer is counted again.
        return new Story(teller.answers, end.uncounted(end.records().keySet()));
    }

    private static final class Teller {

        private static final Draft ONE = Draft.keyed("one");
        private static final Draft TWO = Draft.keyed("two").queue("second");
        private static final Draft FAILING = Draft.keyed("failing").queue("failing");
        private static final Draft EFFECTIVE = Draft.keyed("effective").queue("effects");

        private final TaskStore store;
        private final ManualClock clock;
        private final RisingIds ids;
        private final List<Object> answers = new ArrayList<>();
        private long claims;

        Teller(TaskStore store, ManualClock clock) {
            this.store = store;
            this.clock = clock;
            this.ids = new RisingIds(clock);
        }

        void tell() {
            submitting();
            working();
            replacing();
            operating();
            queueing();
            intending();
            parking();
        }

        private void submitting() {
            submit(task(Draft.plain()));
            submit(task(ONE));
            submit(task(ONE), task(TWO), task(TWO.input("{\"n\":2}")), task(FAILING), task(Draft.plain()));
            submit(task(Draft.plain().delay(Duration.ofMinutes(2)).queue("later")));
        }

        private void working() {
            List<Lease> leases = claim(ClaimDraft.from(Draft.QUEUE).limit(2));
            settle(new Settlement.Extend(leases.get(0), Duration.ofMinutes(1)));
            settle(
                    new Settlement.Complete(leases.get(0), "1"),
                    new Settlement.Retry(leases.get(1), Duration.ZERO, "again"));
            leases = claim(ClaimDraft.from(Draft.QUEUE).limit(2));
            settle(new Settlement.PutBack(leases.get(0), Duration.ofMinutes(5)));
            clock.advance(ClaimDraft.LEASE);
            // The other one has vanished; it is claimed again and lost once more.
            claim(ClaimDraft.from(Draft.QUEUE));
            Lease failing = claim(ClaimDraft.from("failing")).getFirst();
            settle(new Settlement.Fail(failing, false, "broken"));
            submit(task(FAILING));
            failing = claim(ClaimDraft.from("failing")).getFirst();
            settle(new Settlement.Fail(failing, true, "too slow"));
        }

        private void replacing() {
            Lease old = claim(ClaimDraft.from("second")).getFirst();
            submit(task(TWO.input("{\"n\":3}").replacing()));
            settle(new Settlement.Extend(old, ClaimDraft.LEASE));
            submit(task(TWO.input("{\"n\":4}").replacing()));
            settle(new Settlement.Cancelled(old));
            Lease replacing = claim(ClaimDraft.from("second")).getFirst();
            settle(new Settlement.Complete(replacing, null));
        }

        private void operating() {
            TaskId plain = submit(task(Draft.plain().queue("cancelled")));
            operate(new Operation.Cancel(plain));
            TaskId running = submit(task(Draft.plain().queue("cancelled")));
            claim(ClaimDraft.from("cancelled"));
            operate(new Operation.Cancel(running));
            clock.advance(Duration.ofMinutes(1));
            claim(ClaimDraft.from("cancelled"));
            TaskId dead = heldBy(FAILING);
            operate(new Operation.Redrive(dead, 1));
            operate(new Operation.ReleaseKey(TWO.identity(), heldBy(TWO)));
            submit(task(TWO));
            clock.advance(Duration.ofMinutes(1));
            claim(ClaimDraft.from("later", Draft.QUEUE).suspects(0));
            sweep();
            submit(task(ONE), task(TWO), task(FAILING));
        }

        private void queueing() {
            operate(
                    new Operation.DeclareQueue(
                            "narrow",
                            QueueSettings.builder().deadLetterQueue("dead").build()),
                    new Operation.SetQueue(
                            "narrow",
                            QueueSettings.builder()
                                    .concurrency(2)
                                    .rateLimit("20/sec")
                                    .retention(Duration.ZERO)
                                    .build()),
                    new Operation.SetQueue(
                            "dead",
                            QueueSettings.builder().deadLetterQueue("narrow").build()));
            Draft bound = Draft.plain().queue("narrow").mutex("m");
            submit(task(bound), task(bound), task(Draft.keyed("narrow").queue("narrow")), task(bound));
            List<Lease> leases = claim(ClaimDraft.from("narrow"));
            settle(
                    new Settlement.Fail(leases.get(0), false, "broken"),
                    new Settlement.Complete(leases.get(1), "\"secret\""));
            claim(ClaimDraft.from("narrow"));
            clock.advance(Duration.ofMillis(50));
            Lease next = claim(ClaimDraft.from("narrow")).getFirst();
            settle(new Settlement.Retry(next, Duration.ZERO, "again"));
            operate(new Operation.Redrive(leases.get(0).taskId(), 1));
            clock.advance(Duration.ofMillis(50));
            claim(ClaimDraft.from("narrow"));
            operate(new Operation.SetQueue(
                    "narrow", QueueSettings.builder().paused(true).build()));
            claim(ClaimDraft.from("narrow"));
            operate(new Operation.ResetQueue("narrow"));
            submit(task(Draft.keyed("narrow").queue("narrow")));
            claim(ClaimDraft.from("narrow", "dead"));
        }

        private void intending() {
            submit(task(EFFECTIVE), task(Draft.plain().queue("effects")));
            List<Lease> leases = claim(ClaimDraft.from("effects"));
            Lease first = leases.get(0);
            Lease other = leases.get(1);
            EffectId charge = new EffectId(first.taskId(), "charge", 0);
            EffectId mail = new EffectId(first.taskId(), "mail", 3);
            settle(
                    new Settlement.Intend(first, charge, Duration.ofHours(1)),
                    EffectStoreContract.intend(other),
                    new Settlement.Intend(new Lease(first.taskId(), 2, first.claim()), mail, null));
            settle(EffectStoreContract.done(first, charge, "1"), EffectStoreContract.notDone(other));
            settle(EffectStoreContract.intend(first, charge), EffectStoreContract.intend(first, mail));
            ledger(first.taskId());
            // Never an intent and the end of its attempt in one batch: sent again, such an intent is stale.
            settle(new Settlement.Retry(first, Duration.ZERO, "again"), EffectStoreContract.intend(other));
            settle(EffectStoreContract.done(other), new Settlement.Complete(other, null));
            first = claim(ClaimDraft.from("effects")).getFirst();
            settle(EffectStoreContract.intend(first, mail), EffectStoreContract.intend(first, charge));
            settle(EffectStoreContract.done(first, mail, "2"), new Settlement.Fail(first, false, "broken"));
            submit(task(EFFECTIVE));
            first = claim(ClaimDraft.from("effects")).getFirst();
            settle(EffectStoreContract.intend(first, mail));
            settle(new Settlement.Complete(first, null));
            ledger(charge.lineage());
        }

        private void parking() {
            TaskId id = submit(task(EFFECTIVE.key("parked")), task(Draft.plain().queue("effects")));
            List<Lease> leases = claim(ClaimDraft.from("effects"));
            settle(EffectStoreContract.intend(leases.get(0)), EffectStoreContract.intend(leases.get(1)));
            settle(EffectStoreContract.park(leases.get(0)), EffectStoreContract.park(leases.get(1)));
            operate(
                    EffectStoreContract.resolve(leases.get(0), Verdict.NOT_DONE),
                    EffectStoreContract.resolve(leases.get(1), Verdict.GIVE_UP));
            Lease second = claim(ClaimDraft.from("effects")).getFirst();
            settle(EffectStoreContract.intend(second));
            settle(EffectStoreContract.park(second));
            operate(new Operation.Redrive(leases.get(1).taskId(), 1));
            settle(EffectStoreContract.park(second));
            operate(
                    EffectStoreContract.resolve(second, Verdict.DONE),
                    EffectStoreContract.resolve(second, Verdict.DONE));
            ledger(id);
            for (Lease lease : claim(ClaimDraft.from("effects"))) {
                settle(EffectStoreContract.intend(lease));
                settle(new Settlement.Cancelled(lease));
            }
            clock.advance(Duration.ofMinutes(2));
            sweep();
            ledger(id);
        }

        private NewTask task(Draft draft) {
            return draft.as(ids.next());
        }

        private TaskId submit(NewTask... batch) {
            List<Submitted> answer = answered(() -> store.submit(List.of(batch)));
            answers.add(answer);
            return batch[0].id();
        }

        private List<Lease> claim(ClaimDraft claimDraft) {
            claims++;
            ClaimRequest first = claimDraft.as(claims);
            boolean[] sent = {false};
            List<Lease> answer = answered(() -> {
                ClaimRequest request = sent[0] ? first.again() : first;
                sent[0] = true;
                return store.claim(request).tasks().stream()
                        .map(claimed -> claimed.lease())
                        .sorted(Comparator.comparing(Lease::taskId))
                        .toList();
            });
            answers.add(answer);
            return answer;
        }

        private void settle(Settlement... batch) {
            List<Settled> answer = answered(() -> store.settle(List.of(batch)));
            answers.add(answer);
        }

        private void operate(Operation... batch) {
            List<Operated> answer = answered(() -> store.operate(List.of(batch)));
            answers.add(answer);
        }

        private TaskId heldBy(Draft draft) {
            TaskId holder =
                    answered(() -> store.record(draft.identity())).orElseThrow().taskId();
            answers.add(holder);
            return holder;
        }

        private void ledger(TaskId lineage) {
            answers.add(answered(() -> store.effects(List.of(lineage))));
        }

        private void sweep() {
            Object unused = answered(
                    () -> store.sweep(new SweepRequest(Duration.ofMinutes(1), Map.of(), Duration.ofDays(1), 1_000)));
            answers.add("swept");
        }

        private static <T> T answered(Supplier<T> call) {
            while (true) {
                try {
                    return call.get();
                } catch (StoreUnavailable e) {
                    // Unknown whether it was done: the same call is sent again.
                }
            }
        }
    }
}
