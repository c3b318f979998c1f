package dev.semel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.guard.GuardStore;
import dev.semel.jdbc.SqliteGuardStore;
import dev.semel.redis.RedisGuardStore;
import dev.semel.testservers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every example does what its page says it prints. */
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
    void keysMakeDuplicatesAndOtherInputAConflict() throws Exception {
        assertThat(printed(KeysAndDuplicates::run))
                .containsExactly(
                        "same task: true",
                        "created again: false",
                        "told since when: true",
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
                        "400 the body is no JSON, or the key is too long",
                        "201 payment 2");
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
}
