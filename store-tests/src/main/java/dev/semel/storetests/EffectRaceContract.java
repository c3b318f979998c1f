package dev.semel.storetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Applied;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Resolution.Verdict;
import dev.semel.store.Submitted.Created;
import dev.semel.store.TaskStore;
import dev.semel.store.Transition;
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
     * @param answer the answer to its move, or null if it made none
     * @param claimed whether it took the task over
     * @param seen the effects that it read after that
     */
    private record Part(@Nullable Applied answer, boolean claimed, List<EffectRecord> seen) {}

    private static Applied one(TaskStore handle, Transition move) {
        return handle.apply(List.of(move)).getFirst();
    }

    /** Half of the threads make a move of the old attempt each, the others try to take the task over and then look. */
    private List<Part> race(Crowd crowd, TaskStore other, Lease old, Function<Integer, Transition> moves) {
        return crowd.together(number -> {
            TaskStore handle = number % 4 < 2 ? store : other;
            if (number % 2 == 0) {
                return new Part(one(handle, moves.apply(number)), false, List.of());
            }
            List<Claimed> taken = taken(handle);
            List<EffectRecord> seen = taken.isEmpty()
                    ? List.of()
                    : handle.effects(List.of(old.taskId())).getOrDefault(old.taskId(), List.of());
            return new Part(null, !taken.isEmpty(), seen);
        });
    }

    /** Claims until it has the task or there is none due: a claim may pass over a task that somebody is just writing to. */
    private List<Claimed> taken(TaskStore handle) {
        while (true) {
            Claims claims = handle.claim(WISH.as(nextClaim()));
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
    @DisplayName("E1, E4: an intent against a claim that takes the task over is refused, or the new attempt sees it")
    void intentsAgainstATakeOver() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease old = begin(Draft.plain());
                leasesRunOut();
                Function<Integer, Transition> intents =
                        number -> intend(old, new EffectId(old.taskId(), "charge", number));
                List<Part> parts = race(crowd, other, old, intents);
                List<EffectId> applied = new ArrayList<>();
                for (int number = 0; number < THREADS; number += 2) {
                    Applied answer = parts.get(number).answer();
                    assertThat(answer).isIn(Applied.APPLIED, Applied.STALE);
                    if (answer == Applied.APPLIED) {
                        applied.add(new EffectId(old.taskId(), "charge", number));
                    }
                }
                assertThat(taker(parts).seen())
                        .as("what was applied is seen by the new attempt, what was refused by nobody")
                        .extracting(EffectRecord::id)
                        .containsExactlyInAnyOrderElementsOf(applied);
                assertThat(taker(parts).seen())
                        .allMatch(effect -> effect.state() == EffectState.UNKNOWN
                                && effect.by().equals(old));
                assertThat(effects(old.taskId())).isEqualTo(taker(parts).seen());
                applied(new Transition.Complete(new Lease(old.taskId(), 2), null));
            }
        }
    }

    @Test
    @DisplayName("E2, E4: an outcome against a claim that takes the task over is refused, or the new attempt sees it")
    void outcomesAgainstATakeOver() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease old = begin(Draft.plain());
                List<Transition> intents = new ArrayList<>();
                for (int number = 0; number < THREADS; number++) {
                    intents.add(intend(old, new EffectId(old.taskId(), "charge", number)));
                }
                assertThat(store.apply(intents)).containsOnly(Applied.APPLIED);
                leasesRunOut();
                List<Part> parts =
                        race(crowd, other, old, number -> done(old, new EffectId(old.taskId(), "charge", number), "1"));
                for (EffectRecord seen : taker(parts).seen()) {
                    Applied answer = parts.get(seen.id().index()).answer();
                    assertThat(seen.state())
                            .as("%s was answered with %s", seen, answer)
                            .isEqualTo(answer == Applied.APPLIED ? EffectState.DONE : EffectState.UNKNOWN);
                }
                assertThat(taker(parts).seen()).hasSize(THREADS);
                assertThat(effects(old.taskId())).isEqualTo(taker(parts).seen());
                applied(new Transition.Complete(new Lease(old.taskId(), 2), null));
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
                        .containsOnly(Applied.APPLIED);
                assertThat(stateOf(lease)).isEqualTo(EffectState.IN_PROGRESS);
                List<Applied> outcomes = crowd.together(
                        number -> one(number % 2 == 0 ? store : other, number % 4 < 2 ? done(lease) : notDone(lease)));
                assertThat(Collections.frequency(outcomes, Applied.APPLIED))
                        .as("those of the kind that came first: %s", outcomes)
                        .isEqualTo(THREADS / 2);
                assertThat(Collections.frequency(outcomes, Applied.SETTLED)).isEqualTo(THREADS / 2);
                applied(new Transition.Complete(lease, null));
            }
        }
    }

    @Test
    @DisplayName("E8: of 16 people who say what became of an effect at the same moment one is heard")
    void manyPeopleAtOnce() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = parked(Draft.plain());
                List<Applied> answers = crowd.together(number -> one(
                        number % 2 == 0 ? store : other,
                        resolve(
                                charge(lease),
                                lease,
                                word(number % 4 < 2 ? Verdict.DONE : Verdict.NOT_DONE, "person " + number))));
                assertThat(answers).containsOnlyOnce(Applied.APPLIED);
                assertThat(Collections.frequency(answers, Applied.STALE)).isEqualTo(THREADS - 1);
                int heard = answers.indexOf(Applied.APPLIED);
                Verdict verdict = heard % 4 < 2 ? Verdict.DONE : Verdict.NOT_DONE;
                assertThat(effect(lease).resolution()).isEqualTo(kept(verdict, "person " + heard));
                Lease second = claimOne();
                assertThat(second).isEqualTo(new Lease(lease.taskId(), 2));
                applied(new Transition.Complete(second, null));
            }
        }
    }

    @Test
    @DisplayName("E8: when one gives up while others say that it is done, the task fails once or goes on, never both")
    void givingUpAgainstDone() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = parked(Draft.plain());
                List<Applied> answers = crowd.together(number -> one(
                        number % 2 == 0 ? store : other,
                        resolve(lease, number % 4 < 2 ? Verdict.GIVE_UP : Verdict.DONE)));
                boolean givenUp = false;
                for (int number = 0; number < THREADS; number++) {
                    if (number % 4 < 2) {
                        assertThat(answers.get(number)).isIn(Applied.APPLIED, Applied.STALE);
                        givenUp |= answers.get(number) == Applied.APPLIED;
                    } else {
                        assertThat(answers.get(number)).isEqualTo(Applied.APPLIED);
                    }
                }
                assertThat(state(lease.taskId())).isEqualTo(givenUp ? TaskState.FAILED : TaskState.PENDING);
                assertThat(stateOf(lease)).as("somebody knew").isEqualTo(EffectState.DONE);
                if (!givenUp) {
                    applied(new Transition.Complete(claimOne(), null));
                }
            }
        }
    }

    @Test
    @DisplayName("E7, E8: a word against a park: the task is pending if the effect is known, and waiting if it is not")
    void wordsAgainstAPark() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease first = leftUnknown(Draft.plain());
                Lease second = claimOne();
                boolean someSawThePark = round % 2 == 0;
                List<Applied> answers = crowd.together(number -> {
                    TaskStore handle = number % 2 == 0 ? store : other;
                    if (number == 0) {
                        return one(handle, park(second));
                    }
                    Lease left = number % 4 < 2 && someSawThePark ? second : first;
                    return one(handle, resolve(charge(first), left, word(Verdict.DONE, "person " + number)));
                });
                assertThat(answers.getFirst()).isEqualTo(Applied.APPLIED);
                assertThat(answers.subList(1, THREADS))
                        .allMatch(answer -> answer == Applied.APPLIED || answer == Applied.STALE);
                int heard = Collections.frequency(answers.subList(1, THREADS), Applied.APPLIED);
                assertThat(heard).isLessThanOrEqualTo(1);
                assertThat(stateOf(first)).isEqualTo(heard == 1 ? EffectState.DONE : EffectState.UNKNOWN);
                assertThat(state(first.taskId())).isEqualTo(heard == 1 ? TaskState.PENDING : TaskState.WAITING);
                applied(heard == 1 ? new Transition.Complete(claimOne(), null) : new Transition.Cancel(first.taskId()));
            }
        }
    }

    @Test
    @DisplayName(
            "E3, E8: a word against an intent: who runs the effect was not told that it is done, and the other way round")
    void wordsAgainstAnIntent() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < 2 * ROUNDS; round++) {
                Lease first = leftUnknown(Draft.plain());
                Lease second = claimOne();
                Verdict verdict = round % 2 == 0 ? Verdict.DONE : Verdict.NOT_DONE;
                List<Applied> answers = crowd.together(number ->
                        one(number % 2 == 0 ? store : other, number < 4 ? intend(second) : resolve(first, verdict)));
                List<Applied> intents = answers.subList(0, 4);
                boolean heard = answers.subList(4, THREADS).contains(Applied.APPLIED);
                if (verdict == Verdict.DONE) {
                    assertThat(intents).containsOnly(heard ? Applied.SETTLED : Applied.APPLIED);
                    assertThat(stateOf(first)).isEqualTo(heard ? EffectState.DONE : EffectState.IN_PROGRESS);
                } else {
                    assertThat(intents).containsOnly(Applied.APPLIED);
                    assertThat(stateOf(first)).isEqualTo(EffectState.IN_PROGRESS);
                }
                assertThat(answers.subList(4, THREADS)).containsOnly(heard ? Applied.APPLIED : Applied.STALE);
                applied(new Transition.Complete(second, null));
            }
        }
    }

    @Test
    @DisplayName("E7, M6: a cancellation against a park: the task is cancelled, whichever came first")
    void cancellationsAgainstAPark() {
        TaskStore other = another();
        try (Crowd crowd = new Crowd(THREADS)) {
            for (int round = 0; round < ROUNDS; round++) {
                store.submit(tasks(THREADS / 2, Draft.plain()));
                List<Lease> leases =
                        claim(WISH).tasks().stream().map(Claimed::lease).toList();
                leases.forEach(lease -> applied(intend(lease)));
                // Two threads for each task: a second cancellation would hide what the first one left undone.
                List<Applied> answers = crowd.together(number -> {
                    Lease lease = leases.get(number / 2);
                    return one(
                            number % 4 < 2 ? store : other,
                            number % 2 == 0 ? park(lease) : new Transition.Cancel(lease.taskId()));
                });
                for (int number = 0; number < THREADS; number++) {
                    Lease lease = leases.get(number / 2);
                    if (number % 2 == 0) {
                        assertThat(answers.get(number)).isEqualTo(Applied.APPLIED);
                    } else {
                        assertThat(answers.get(number)).isIn(Applied.APPLIED, Applied.CANCEL_REQUESTED);
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
                applied(new Transition.Fail(old, false, "broken"));
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
                    return one(handle, new Transition.ReleaseKey(draft.identity(), old.taskId())) == Applied.APPLIED;
                });
                Lease lease = claimOne();
                TaskId lineage = read(lease.taskId()).lineage();
                boolean continued = lineage.equals(old.taskId());
                assertThat(continued && expired)
                        .as("a window that has passed ends the lineage")
                        .isFalse();
                assertThat(effects(old.taskId())).hasSize(continued ? 1 : 0);
                applied(new Transition.Complete(lease, null));
            }
        }
    }
}
