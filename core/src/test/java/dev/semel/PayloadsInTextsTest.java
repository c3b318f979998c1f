package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.RawJson;
import dev.semel.guard.Outcome;
import dev.semel.guard.StoredResult;
import dev.semel.store.EffectOutcome;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Settlement;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a program may print or log by itself has no input and no result in it. */
@Timeout(60)
class PayloadsInTextsTest {

    private static final String SECRET = "4111-1111";
    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    @Test
    void noPublicTypePrintsAPayload() {
        try (Semel semel = Semel.on(new InMemoryTaskStore()).build()) {
            semel.worker("default").handle(WORK, (context, input) -> input).start();
            SubmissionRequest<String, String> request = semel.submit(WORK, SECRET);
            Submission<String> submission = request.send();
            assertThat(submission.result(Duration.ofSeconds(20))).isEqualTo(SECRET);
            TaskId id = submission.taskId();
            Lease lease = new Lease(id, 1, 1);
            List<Object> printed = List.of(
                    request,
                    request.newTask(null),
                    submission,
                    submission.handle(),
                    semel.tasks().find(id).orElseThrow(),
                    WORK,
                    new RawJson(SECRET),
                    new Settlement.Complete(lease, SECRET),
                    new EffectOutcome.Done(SECRET, EffectOutcome.How.RAN),
                    new Outcome.Ran<>(SECRET),
                    new Outcome.Unguarded<>(SECRET),
                    new Outcome.Repeated<>(SECRET, Instant.EPOCH),
                    new StoredResult<>(SECRET, Instant.EPOCH, Instant.EPOCH));
            for (Object each : printed) {
                assertThat(each.toString())
                        .as("%s", each.getClass())
                        .doesNotContain(SECRET)
                        .doesNotContain("@" + Integer.toHexString(each.hashCode()));
            }
        }
    }
}
