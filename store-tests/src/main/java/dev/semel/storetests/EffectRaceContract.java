package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Submitted.Created;
import dev.semel.store.TaskStore;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The laws of effects under contention: 16 threads, through two handles, at the same moment. */
public abstract class EffectRaceContract extends EffectStoreContract {

    private static final int THREADS = 16;
    private static final int ROUNDS = 25;

    /** For subclasses. */
    protected EffectRaceContract() {}

    /**
     * What one thread saw.
     *
     * @param answer the answer to its settlement, or null if it sent none
     * @param claimed whether it took the task over
     * @param seen the effects that it read after that
     */
    private record Part(@Nullable Settled answer, boolean claimed, List<EffectRecord> seen) {}

    private static Settled one(TaskStore handle, Settlement settlement) {
        return handle.settle(List.of(settlement)).getFirst();
    }

    private static Operated one(TaskStore handle, Operation operation) {
        return handle.operate(List.of(operation)).getFirst();
    }

    /** Half of the threads send a settlement of the old attempt each, the others try to take the task over and then read. */
    private List<Part> race(Crowd crowd, TaskStore other, Lease old, Function<Integer, Settlement> settlements) {
        return crowd.together(number -> {
            TaskStore handle = number % 4 < 2 ? store : other;
            if (number % 2 == 0) {
                return new Part(one(handle, settlements.apply(number)), false, List.of());
            }
            List<Claimed> taken = taken(handle);
            List<EffectRecord> seen = taken.isEmpty()
                    ? List.of()
                    : handle.effects(List.of(old.taskId())).getOrDefault(old.taskId(), List.of());
            return new Part(null, !taken.isEmpty(), seen);
        });
    }

    /** Claims until it has the task or there is none due: a claim may pass over a task that another transaction has locked. */
    private List<Claimed> taken(TaskStore handle) {
        while (true) {
            Claims claims = claim(handle, CLAIM);
            if (!claims.tasks().isEmpty() || !Duration.ZERO.equals(claims.nextDue())) {
                return claims.tasks();
            }
        }
    }

    private static Part taker(List<Part> parts) {
        List<Part> takers = parts.stream().filter(Part::claimed).toList();
        assertThat(takers).as("one takes the task over").hasSize(1);
        return takers.getFirst();
    }

    @Test
    @DisplayName("E1, E4: an intent against a claim that takes the task over is rejected, or the new attempt sees it")
    void intentsAgainstATakeOver() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease old = begin(Draft.plain());
                leasesExpire();
                Function<Integer, Settlement> intents =
                        number -> intend(old, new EffectId(old.taskId(), "charge", number));
                List<Part> parts = race(crowd, other, old, intents);
                List<EffectId> applied = new ArrayList<>();
                for (int number = 0; number < THREADS; number += 2) {
                    Settled answer = parts.get(number).answer();
                    assertThat(answer).isIn(Settled.APPLIED, Settled.STALE);
                    if (answer == Settled.APPLIED) {
                        applied.add(new EffectId(old.taskId(), "charge", number));
                    }
                }
                assertThat(taker(parts).seen())
                        .as("what was applied is seen by the new attempt, what was rejected is not stored")
                        .extracting(EffectRecord::id)
                        .containsExactlyInAnyOrderElementsOf(applied);
                assertThat(taker(parts).seen())
                        .allMatch(effect -> effect.state() == EffectState.UNKNOWN
                                && effect.by().equals(old.attemptId()));
                assertThat(effects(old.taskId())).isEqualTo(taker(parts).seen());
                applied(new Settlement.Complete(lease(old.taskId(), 2), null));
            }
        }
    }

    @Test
    @DisplayName("E2, E4: an outcome against a claim that takes the task over is rejected, or the new attempt sees it")
    void outcomesAgainstATakeOver() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease old = begin(Draft.plain());
                List<Settlement> intents = new ArrayList<>();
                for (int number = 0; number < THREADS; number++) {
                    intents.add(intend(old, new EffectId(old.taskId(), "charge", number)));
                }
                assertThat(store.settle(intents)).containsOnly(Settled.APPLIED);
                leasesExpire();
                List<Part> parts =
                        race(crowd, other, old, number -> done(old, new EffectId(old.taskId(), "charge", number), "1"));
                for (EffectRecord seen : taker(parts).seen()) {
                    Settled answer = parts.get(seen.id().index()).answer();
                    assertThat(seen.state())
                            .as("%s was answered with %s", seen, answer)
                            .isEqualTo(answer == Settled.APPLIED ? EffectState.DONE : EffectState.UNKNOWN);
                }
                assertThat(taker(parts).seen()).hasSize(THREADS);
                assertThat(effects(old.taskId())).isEqualTo(taker(parts).seen());
                applied(new Settlement.Complete(lease(old.taskId(), 2), null));
            }
        }
    }

    @Test
    @DisplayName("E1: one intent sent by many threads at once is applied for each and is one effect")
    void oneIntentByMany() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = begin(Draft.plain());
                assertThat(crowd.together(number -> one(number % 2 == 0 ? store : other, intend(lease))))
                        .containsOnly(Settled.APPLIED);
                assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
                List<Settled> outcomes = crowd.together(
                        number -> one(number % 2 == 0 ? store : other, number % 4 < 2 ? done(lease) : notDone(lease)));
                assertThat(Collections.frequency(outcomes, Settled.APPLIED))
                        .as("only those of the first kind: %s", outcomes)
                        .isEqualTo(THREADS / 2);
                assertThat(Collections.frequency(outcomes, Settled.CONCLUDED)).isEqualTo(THREADS / 2);
                applied(new Settlement.Complete(lease, null));
            }
        }
    }

    @Test
    @DisplayName("E8: of 16 people who resolve an effect at the same moment one succeeds")
    void manyPeopleAtOnce() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = parked(Draft.plain());
                List<Operated> answers = crowd.together(number -> one(
                        number % 2 == 0 ? store : other,
                        resolve(
                                charge(lease),
                                lease,
                                word(number % 4 < 2 ? Verdict.DONE : Verdict.NOT_DONE, "person " + number))));
                assertThat(answers).containsOnlyOnce(Operated.APPLIED);
                assertThat(Collections.frequency(answers, Operated.STALE)).isEqualTo(THREADS - 1);
                int heard = answers.indexOf(Operated.APPLIED);
                Verdict verdict = heard % 4 < 2 ? Verdict.DONE : Verdict.NOT_DONE;
                assertThat(effect(lease).resolution()).isEqualTo(kept(verdict, "person " + heard));
                Lease second = claimOne();
                assertThat(second).isEqualTo(lease(lease.taskId(), 2));
                applied(new Settlement.Complete(second, null));
            }
        }
    }

    @Test
    @DisplayName(
            "E8: when one person gives up while others resolve as done, the task fails once or continues, never both")
    void givingUpAgainstDone() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = parked(Draft.plain());
                List<Operated> answers = crowd.together(number -> one(
                        number % 2 == 0 ? store : other,
                        resolve(lease, number % 4 < 2 ? Verdict.GIVE_UP : Verdict.DONE)));
                boolean givenUp = false;
                for (int number = 0; number < THREADS; number++) {
                    if (number % 4 < 2) {
                        assertThat(answers.get(number)).isIn(Operated.APPLIED, Operated.STALE);
                        givenUp |= answers.get(number) == Operated.APPLIED;
                    } else {
                        assertThat(answers.get(number)).isEqualTo(Operated.APPLIED);
                    }
                }
                assertThat(state(lease.taskId())).isEqualTo(givenUp ? TaskState.FAILED : TaskState.PENDING);
                assertThat(stateOf(lease)).as("resolved as done").isEqualTo(EffectState.DONE);
                if (!givenUp) {
                    applied(new Settlement.Complete(claimOne(), null));
                }
            }
        }
    }

    @Test
    @DisplayName(
            "E7, E8: a resolution against a park: the task is pending if the effect is known, and waiting if it is not")
    void wordsAgainstAPark() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease first = leftUnknown(Draft.plain());
                Lease second = claimOne();
                boolean someSawThePark = round % 2 == 0;
                List<Object> answers = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    if (number == 0) {
                        return one(handle, park(second));
                    }
                    Lease left = number % 4 < 2 && someSawThePark ? second : first;
                    return one(handle, resolve(charge(first), left, word(Verdict.DONE, "person " + number)));
                });
                assertThat(answers.getFirst()).isEqualTo(Settled.APPLIED);
                assertThat(answers.subList(1, THREADS))
                        .allMatch(answer -> answer == Operated.APPLIED || answer == Operated.STALE);
                int heard = Collections.frequency(answers.subList(1, THREADS), Operated.APPLIED);
                assertThat(heard).isLessThanOrEqualTo(1);
                assertThat(stateOf(first)).isEqualTo(heard == 1 ? EffectState.DONE : EffectState.UNKNOWN);
                assertThat(state(first.taskId())).isEqualTo(heard == 1 ? TaskState.PENDING : TaskState.WAITING);
                if (heard == 1) {
                    applied(new Settlement.Complete(claimOne(), null));
                } else {
                    applied(new Operation.Cancel(first.taskId()));
                }
            }
        }
    }

    @Test
    @DisplayName(
            "E3, E8: a resolution against an intent: a resolution as done concludes the effect, or the intent makes it stale")
    void wordsAgainstAnIntent() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease first = leftUnknown(Draft.plain());
                Lease second = claimOne();
                Verdict verdict = round % 2 == 0 ? Verdict.DONE : Verdict.NOT_DONE;
                List<Object> answers = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    return number < 4 ? one(handle, intend(second)) : one(handle, resolve(first, verdict));
                });
                List<Object> intents = answers.subList(0, 4);
                boolean heard = answers.subList(4, THREADS).contains(Operated.APPLIED);
                if (verdict == Verdict.DONE) {
                    assertThat(intents).containsOnly(heard ? Settled.CONCLUDED : Settled.APPLIED);
                    assertThat(stateOf(first)).isEqualTo(heard ? EffectState.DONE : EffectState.IN_PROGRESS);
                } else {
                    assertThat(intents).containsOnly(Settled.APPLIED);
                    assertThat(stateOf(first)).isEqualTo(EffectState.IN_PROGRESS);
                }
                assertThat(answers.subList(4, THREADS)).containsOnly(heard ? Operated.APPLIED : Operated.STALE);
                applied(new Settlement.Complete(second, null));
            }
        }
    }

    @Test
    @DisplayName("E7, M6: a cancellation against a park: the task is cancelled, whichever is first")
    void cancellationsAgainstAPark() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                store.submit(tasks(THREADS / 2, Draft.plain()));
                List<Lease> leases =
                        claim(CLAIM).tasks().stream().map(Claimed::lease).toList();
                leases.forEach(lease -> applied(intend(lease)));
                // Two threads for each task: a second cancellation would hide what the first one left undone.
                List<Object> answers = crowd.together(number -> {
                    Lease lease = leases.get(number / 2);
                    TaskStore handle = number % 4 < 2 ? store : other;
                    return number % 2 == 0
                            ? one(handle, park(lease))
                            : one(handle, new Operation.Cancel(lease.taskId()));
                });
                for (int number = 0; number < THREADS; number++) {
                    Lease lease = leases.get(number / 2);
                    if (number % 2 == 0) {
                        assertThat(answers.get(number)).isEqualTo(Settled.APPLIED);
                    } else {
                        assertThat(answers.get(number)).isIn(Operated.APPLIED, Operated.CANCEL_REQUESTED);
                    }
                    assertThat(state(lease.taskId())).isEqualTo(TaskState.CANCELLED);
                    assertThat(stateOf(lease)).isEqualTo(EffectState.UNKNOWN);
                }
            }
        }
    }

    @Test
    @DisplayName(
            "E4, E10: a rerun against the release and the sweep of its key: it finds the effects, or begins without them")
    void rerunsAgainstTheRelease() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Draft draft = Draft.keyed("round " + round).ttl(Duration.ofHours(1));
                Lease old = intended(draft);
                applied(done(old));
                applied(new Settlement.Fail(old, false, "broken"));
                store.sweep(ALL);
                boolean expired = round % 2 == 1;
                if (expired) {
                    clock.advance(Duration.ofHours(1));
                }
                crowd.together(number -> {
                    TaskStore handle = number % 4 < 2 ? store : other;
                    if (number % 2 == 0) {
                        return handle.submit(List.of(task(draft))).getFirst() instanceof Created;
                    }
                    if (expired) {
                        return handle.sweep(ALL).records() > 0;
                    }
                    return one(handle, new Operation.ReleaseKey(draft.identity(), old.taskId())) == Operated.APPLIED;
                });
                Lease lease = claimOne();
                TaskId lineage = read(lease.taskId()).lineage();
                boolean continued = lineage.equals(old.taskId());
                assertThat(continued && expired)
                        .as("a window that has passed ends the lineage")
                        .isFalse();
                assertThat(effects(old.taskId())).hasSize(continued ? 1 : 0);
                applied(new Settlement.Complete(lease, null));
            }
        }
    }
}
