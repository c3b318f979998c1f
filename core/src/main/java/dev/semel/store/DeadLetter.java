package dev.semel.store;

import dev.semel.store.NewTask.KeyRequest;
import dev.semel.store.NewTask.Start;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The task that a dead-letter queue receives for a dead letter. Every store creates it by this function, in the step that ends
 * the dead task.
 */
public final class DeadLetter {

    /** The task type of the tasks in a dead-letter queue. */
    public static final String TYPE = "dead_letter";

    /** The custom scope of the keys of these tasks. */
    public static final String SCOPE = "dead_letters";

    // As long as a dead letter is kept by default.
    private static final Duration TTL = Duration.ofDays(30);

    private DeadLetter() {}

    /**
     * Creates the task.
     *
     * @param dead the task after its death
     * @param queue the dead-letter queue
     * @param now the store's time
     * @return the task to submit: one for each death, because its key is the dead task's id and attempt
     */
    public static NewTask of(Task dead, String queue, Instant now) {
        Identity identity = dead.identity();
        int attempt = dead.progress().attempt();
        String input = "{\"task_id\":" + Json.quoted(dead.id().toString())
                + ",\"original_queue\":" + Json.quoted(dead.queue())
                + ",\"type\":" + Json.quoted(dead.type())
                + ",\"state\":" + Json.quoted(dead.state().word())
                + ",\"attempts\":" + attempt
                + ",\"last_error\":" + quotedOrNull(dead.progress().lastError())
                + ",\"tenant_id\":" + Json.quoted(dead.tenant())
                + ",\"idempotency_key\":" + quotedOrNull(identity == null ? null : identity.key())
                + "}";
        // Derived from the dead task alone, so that every repetition creates the same task.
        long death = dead.id().value().getMostSignificantBits()
                ^ Long.rotateLeft(dead.id().value().getLeastSignificantBits(), 1)
                ^ attempt;
        TaskId id = TaskId.next(InstantSource.fixed(now), new SplittableRandom(death));
        KeyRequest key = new KeyRequest(
                Identity.of(dead.tenant(), Scope.custom(SCOPE), queue, TYPE, dead.id() + ":" + attempt),
                InputHash.of(Json.parse(input), List.of()),
                TTL,
                ReusePolicy.never());
        // The dead letter belongs to the trace of the task.
        TraceContext trace = dead.options().trace();
        TaskOptions options = trace == null ? TaskOptions.NONE : new TaskOptions(0, null, null, null, trace);
        return new NewTask(id, dead.tenant(), queue, TYPE, input, Start.now(), options, key);
    }

    /**
     * Returns whether a queue would get its own dead letters back.
     *
     * @param queue the queue
     * @param deadLetterQueue the dead-letter queue that it is to have
     * @param next from a queue to its dead-letter queue, or to null
     * @return true if following the dead-letter queues leads back to the queue
     */
    public static boolean isCircle(String queue, String deadLetterQueue, Function<String, @Nullable String> next) {
        // Ends, because settings that form a circle are rejected.
        for (String at = deadLetterQueue; at != null; at = next.apply(at)) {
            if (at.equals(queue)) {
                return true;
            }
        }
        return false;
    }

    private static String quotedOrNull(@Nullable String text) {
        return text == null ? "null" : Json.quoted(text);
    }
}
