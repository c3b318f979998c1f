package dev.semel.storetests.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.NewTask;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SweepRequest;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.storetests.storm.StormOperation.Certainty;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Histories of one call at a time on a store that keeps the laws, as sweeps leave them behind. */
class StormCheckerTest {

    private static final ReusePolicy REPLACING = ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RERUN, AfterEnd.RERUN);

    private final ManualClock manual = new ManualClock();
    private final TaskStore store = new InMemoryTaskStore(manual);
    private final StormHistory history = new StormHistory();
    private long nanos;
    private long made;

    private NewTask task(Duration ttl) {
        Identity identity = Identity.of("north", Scope.custom("storm"), "work", "type", "key");
        return new NewTask(
                new TaskId(new UUID(manual.millis() << 16 | 0x7000L, 0x8000_0000_0000_0000L | ++made)),
                "north",
                "work",
                "type",
                "{}",
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(identity, InputHash.ofBytes(new byte[32]), ttl, REPLACING));
    }

    private Span span() {
        nanos += 1_000_000;
        return new Span(nanos, nanos + 1, manual.millis(), manual.millis());
    }

    private void note(StormOperation.Action action, Certainty certainty) {
        history.add(new StormOperation(0, span(), null, action, certainty));
    }

    private void submit(NewTask task) {
        note(new StormOperation.Submit(task, store.submit(List.of(task)).getFirst()), Certainty.ANSWERED);
    }

    private void submitAndLoseTheAnswer(NewTask task) {
        assertThat(store.submit(List.of(task))).hasSize(1);
        note(new StormOperation.Submit(task, null), Certainty.LOST);
    }

    private Claimed claim() {
        Claimed claimed = store.claim(
                        new ClaimRequest(++made, false, Set.of("work"), null, 1, 1, Duration.ofMinutes(1), "worker"))
                .tasks()
                .getFirst();
        note(new StormOperation.Claim(claimed, Duration.ofMinutes(1)), Certainty.ANSWERED);
        return claimed;
    }

    private void complete(Claimed claimed) {
        Settlement complete = new Settlement.Complete(claimed.lease(), null);
        Settled answer = store.settle(List.of(complete)).getFirst();
        note(new StormOperation.Settle(complete, answer, false), Certainty.ANSWERED);
    }

    private void sweep() {
        manual.advance(IdentityModel.RETENTION.plusSeconds(1));
        store.sweep(new SweepRequest(IdentityModel.RETENTION, Map.of(), IdentityModel.RETENTION, 1_000));
        history.sweep(span());
    }

    private StormChecker checker() {
        return new StormChecker(
                new StormClock(manual, 1),
                StormQueues.PLAIN,
                List.of(history),
                store.list(TaskQuery.all(100)).tasks());
    }

    @Test
    void anIdThatASweepHasForgottenMakesANewTaskWithAFirstAttempt() {
        NewTask task = task(Duration.ofMillis(100));
        submit(task);
        Claimed first = claim();
        complete(first);
        sweep();
        submit(task);
        Claimed second = claim();
        assertThat(second.lease().attemptId()).isEqualTo(first.lease().attemptId());
        assertThat(checker().check(Map.of(), true)).isEmpty();
    }

    @Test
    void aLeaseOfAForgottenTaskMayBeStaleAlthoughItsAttemptRunsAgain() {
        NewTask task = task(Duration.ofMillis(100));
        submit(task);
        Claimed first = claim();
        complete(first);
        sweep();
        submit(task);
        Claimed second = claim();
        note(stale(new Settlement.Retry(first.lease(), Duration.ZERO, "late")), Certainty.ANSWERED);
        assertThat(checker().check(Map.of(), true)).isEmpty();
        note(stale(new Settlement.Retry(second.lease(), Duration.ZERO, "in time")), Certainty.ANSWERED);
        assertThat(checker().check(Map.of(), true)).isNotEmpty();
    }

    private static StormOperation.Settle stale(Settlement settlement) {
        return new StormOperation.Settle(settlement, Settled.STALE, false);
    }

    @Test
    void oneAttemptOfOneTaskThatIsGivenTwiceIsFound() {
        submit(task(Duration.ofMillis(100)));
        Claimed claimed = claim();
        note(new StormOperation.Claim(claimed, Duration.ofMinutes(1)), Certainty.ANSWERED);
        sweep();
        assertThat(checker().check(Map.of(), true))
                .anySatisfy(line -> assertThat(line).contains("one attempt was given twice"));
    }

    @Test
    void aRunThatNobodySawAndASweepRemovedLeavesTheIdentityUndecided() {
        submit(task(Duration.ofHours(1)));
        submitAndLoseTheAnswer(task(Duration.ofHours(1)));
        submit(task(Duration.ofHours(1)));
        sweep();
        StormChecker checker = checker();
        assertThat(checker.check(Map.of(), true)).isEmpty();
        assertThat(checker.undecided()).isEqualTo(1);
    }

    @Test
    void aRunThatNobodyMadeIsFoundWhereNothingIsSwept() {
        submit(task(Duration.ofHours(1)));
        store.submit(List.of(task(Duration.ofHours(1)))); // a run that no history has
        submit(task(Duration.ofHours(1)));
        assertThat(checker().check(Map.of(), true)).isNotEmpty();
    }

    @Test
    void theReportHasEveryCallWithItsTimeOfCreation() {
        submit(task(Duration.ofHours(1)));
        submitAndLoseTheAnswer(task(Duration.ofHours(1)));
        Claimed claimed = claim();
        complete(claimed);
        sweep();
        history.lostClaim(span());
        assertThat(StormReport.lines(List.of(history)))
                .hasSize(2 + 6)
                .anySatisfy(line -> assertThat(line).contains("is of").contains("key"))
                .anySatisfy(line -> assertThat(line).contains("LOST submit"))
                .anySatisfy(line -> assertThat(line)
                        .contains("claim for")
                        .contains("created " + claimed.task().createdAt()))
                .anySatisfy(line -> assertThat(line).contains("sweep until"))
                .anySatisfy(line -> assertThat(line).contains("LOST claim"));
    }
}
