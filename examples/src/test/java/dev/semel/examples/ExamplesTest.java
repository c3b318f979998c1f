package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.GuardStore;
import dev.semel.redis.RedisGuardStore;
import dev.semel.sqlite.SqliteGuardStore;
import dev.semel.testservers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every example prints what its page says. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExamplesTest {

    @TempDir
    Path directory;

    interface Program {
        void run(Path file, PrintStream out) throws Exception;
    }

    private List<String> printed(Program program) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            program.run(directory.resolve("semel.db"), out);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void theFirstTaskIsAskedForTwiceAndMadeOnce() throws Exception {
        assertThat(printed(FirstTask::run))
                .containsExactly(
                        "first created: true", "second created: false", "same task: true", "receipt for: ORD-123");
    }

    @Test
    void theFirstTaskIsThereWhenTheProgramRunsAgain() throws Exception {
        printed(FirstTask::run);
        assertThat(printed(FirstTask::run))
                .containsExactly(
                        "first created: false", "second created: false", "same task: true", "receipt for: ORD-123");
    }

    @Test
    void anOrderIsShippedIfItIsApprovedAndRefundedIfNot() throws Exception {
        assertThat(printed(OrderWorkflow::run))
                .containsExactly(
                        "shipped receipt for 456",
                        "refunded receipt for 457",
                        "order-457 failed",
                        "waits for approval");
    }

    @Test
    void anOrderThatRunsThroughADeploymentIsNotChecked() throws Exception {
        assertThat(printed(ChangeAWorkflow::run))
                .containsExactly(
                        "packed 1", "1", "shipped receipt for 1", "shipped receipt for 2", "checked 2", "packed 2");
    }

    @Test
    void theCodeOfTheOrderStillFitsAHistoryThatWaits() throws Exception {
        Path history = Path.of("src", "test", "resources", "order-456.json");
        assertThat(printed((file, out) -> ReplayAHistory.run(history, out))).containsExactly("WAITS after line 5");
    }

    @Test
    void oneHandlerRunsTypesThatItDoesNotKnow() throws Exception {
        assertThat(printed(AnyType::run))
                .containsExactly(
                        "{\"type\":\"resize_image\",\"input\":{\"height\":48,\"width\":64}}",
                        "{\"type\":\"crop_image\",\"input\":{\"top\":5}}");
    }

    @Test
    void keysMakeDuplicatesAndOtherInputAConflict() throws Exception {
        assertThat(printed(KeysAndDuplicates::run))
                .containsExactly(
                        "same task: true",
                        "created again: false",
                        "first submission time known: true",
                        "conflict at: [/cents]",
                        "refused, because the task is pending",
                        "one of the two, not both: []",
                        "one report a month: true",
                        "one mail: true",
                        "one capture: true");
    }

    @Test
    void failuresAreRetriedUntilOneIsPermanent() throws Exception {
        assertThat(printed(RetryAndFailure::run))
                .containsExactly(
                        "status after one snooze and two failures: 200", "ended as failed", "run 2, created: true");
    }

    @Test
    void aJoinedSubmissionIsThereIfTheTransactionCommits() throws Exception {
        assertThat(printed(JoinedTransaction::run))
                .containsExactly("charged ORD-1", "the first one left nothing behind: true", "orders: 1");
    }

    @Test
    void aScheduleMakesItsLastMissedTick() throws Exception {
        assertThat(printed((file, out) -> RunOnASchedule.run(out)))
                .containsExactly(
                        "next: 2027-03-28T01:00:00Z",
                        "then: 2027-03-28T01:00:00Z",
                        "then: 2027-03-29T01:00:00Z",
                        "then: 2027-03-30T01:00:00Z",
                        "made: report of 2027-03-29",
                        "triggered: report of 2027-03-29",
                        "schedules: [closing, launch, nightly-report, ping]");
    }

    private static final String[] GUARDED = {
        "same receipt: true",
        "charges: 1",
        "looked up: true",
        "sent: true",
        "failed: java.io.IOException: no route to the bank",
        "refunded",
        "runs again: true",
        "wrapped once: true",
        "fields: true",
        "type and id: order.charge#ghi-789",
        "payload: true",
        "message: true",
        "custom: charge-of-ghi-789",
        "another payload: refused"
    };

    @Test
    void aGuardRunsEffectsOnceOnAFile() throws Exception {
        assertThat(printed((file, out) -> {
                    try (GuardStore store = SqliteGuardStore.open(file)) {
                        GuardBasics.run(store, out);
                    }
                }))
                .containsExactly(GUARDED);
    }

    @Test
    void aGuardRunsEffectsOnceOnRedis() throws Exception {
        try (RedisServer server = RedisServer.start(RedisServer.Version.V7_0);
                GuardStore store = RedisGuardStore.open(server.uri())) {
            assertThat(printed((file, out) -> GuardBasics.run(store, out))).containsExactly(GUARDED);
        }
    }

    @Test
    void aListenerThatIsDeliveredTheSameMessageTwiceSendsOneMail() throws Exception {
        assertThat(printed(GuardedListener::run))
                .containsExactly("ACKNOWLEDGE", "ACKNOWLEDGE", "ACKNOWLEDGE", "DEAD_LETTER", "mails: 2");
    }

    @Test
    void aRepeatedPostGetsTheFirstAnswerAgain() throws Exception {
        assertThat(printed(GuardedHttp::run))
                .containsExactly(
                        "201 payment 1",
                        "201 payment 1",
                        "422 this Idempotency-Key was used for another request",
                        "400 the body is not JSON, or the key is missing or too long",
                        "400 the body is not JSON, or the key is missing or too long");
    }

    @Test
    void twoTasksOfOneBusinessKeyAndTwoDeliveriesInATransactionHaveOneEffect() throws Exception {
        assertThat(printed(GuardedTasks::run))
                .containsExactly("shop: receipt 1", "support: receipt 1", "taken", "taken");
    }

    @Test
    void aBatchAnswersForEachItem() throws Exception {
        assertThat(printed(ManyAtOnce::run))
                .containsExactly("refused: IdempotencyConflict", "created: 2000", "recognised: 2000");
    }

    @Test
    void limitsHoldForAllWorkersTogether() throws Exception {
        assertThat(printed((file, out) -> LimitAQueue.run(out)))
                .containsExactly(
                        "at once: 10 of 30, 20 are due and held back",
                        "after a second of rest: 10 more, 10 are held back",
                        "a hundredth of a second later: 1 more",
                        "limited again: true",
                        "of two workers together at most 2 ran at once",
                        "exported for ada@example.org",
                        "mails that are due: 1",
                        "sent to ada@example.org",
                        "A has 50, B has 100");
    }

    @Test
    void deadLettersAreForwardedListedAndRedriven() throws Exception {
        assertThat(printed(DeadLetters::run))
                .containsExactly(
                        "letter about charge-ORD-1: failed after 2 attempts in payments",
                        "letter about charge-ORD-2: failed after 2 attempts in payments",
                        "charge-ORD-2 is failed",
                        "charge-ORD-1 is failed",
                        "sent again: ORD-2 paid with a token of 32 characters",
                        "charge-ORD-2 had 2 attempts and is superseded",
                        "charge-ORD-1 had 2 attempts and would run",
                        "charge-ORD-2: SUPERSEDED",
                        "charge-ORD-1: REDRIVEN",
                        "redriven: ORD-1 paid with a token of 32 characters",
                        "a circle is refused");
    }

    @Test
    void tasksAreCancelledAndReplaced() throws Exception {
        assertThat(printed(CancelAndReplace::run))
                .containsExactly(
                        "pending: CANCELLED",
                        "again: CANCELLED",
                        "open: 3",
                        "CANCELLED",
                        "CANCELLED",
                        "CANCELLED",
                        "running: ASKED",
                        "ended as cancelled",
                        "run 2 is waiting",
                        "west has version 3",
                        "the old one ended as cancelled");
    }

    @Test
    void recordedEffectsAreNotRepeatedAndUnknownOnesAreDealtWith() throws Exception {
        assertThat(printed(RecordedEffects::run))
                .containsExactly(
                        "payment 1 after two attempts, calls of the bank: 1",
                        "payment 2 was found by its token, calls of the bank: 2",
                        "effect charge: RESOLVED",
                        "payment 3 was given by a person",
                        "Parked, because it is unknown whether effect \"charge\" happened: an earlier attempt began it"
                                + " and left no outcome, and its provider has forgotten the token, because its window of"
                                + " 1d is over.",
                        "effect charge is unknown, its window has passed: true",
                        "[label for books, label for lamp]",
                        "label \"label for books\"",
                        "label#1 \"label for lamp\"",
                        "payment 5 although the bank was down at first, without asking a person",
                        "news sent once: true, assumed");
    }

    @Test
    void writesCommitWithTheCompletionOfTheTask() throws Exception {
        assertThat(printed(EffectTransaction::run))
                .containsExactly("shipped P-1", "notification tasks: 1", "P-1 was written by attempt 2");
    }

    @Test
    void aSubmissionIsExplainedBeforeAndAfter() throws Exception {
        assertThat(printed(ExplainASubmission::run))
                .contains(
                        "Key \"charge-ORD-123\" was given by the caller.",
                        "It is unique within tenant \"default\" and the scope type \"charge_customer\".",
                        "There is no record of the key: it is free.",
                        "So a submission creates a new task, run 1.",
                        "before: CREATE",
                        "the same request: REPEAT",
                        "CONFLICT by rule other_input=conflict, because of [/cents]",
                        "While that task is open it holds the key, even after its window.",
                        "So a submission returns that task (rule pending=return).",
                        "its key would RETURN");
    }

    @Test
    void windowsPassAndDataGoes() throws Exception {
        assertThat(printed(WindowsAndRetention::run))
                .containsExactly(
                        "after 59 minutes, created: false",
                        "after 60 minutes, created: true, run 1",
                        "done, and its result is gone",
                        "the key still answers: completed, created: false",
                        "duplicates of invoice-8: 3",
                        "open: HELD",
                        "ended: RELEASED",
                        "again: FREE",
                        "more to clean: false",
                        "after a week the result is gone",
                        "created again: false, it is completed");
    }
}
