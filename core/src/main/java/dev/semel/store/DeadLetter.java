package dev.semel.store;

import dev.semel.store.NewTask.KeyRequest;
import dev.semel.store.NewTask.Start;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The task that tells a dead-letter queue of a death. Every store makes it by this one function, in the step of the death. */
public final class DeadLetter {

    /** The task type of what arrives in a dead-letter queue. */
    public static final String TYPE = "dead_letter";

    /** The custom scope of the keys of these tasks. */
    public static final String SCOPE = "dead_letters";

    // As long as a dead letter is kept by default.
    private static final Duration TTL = Duration.ofDays(30);

    private DeadLetter() {}

    /**
     * Makes the task.
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
        // From the death alone, so that whoever makes it makes the same.
        long death = dead.id().value().getMostSignificantBits()
                ^ Long.rotateLeft(dead.id().value().getLeastSignificantBits(), 1)
                ^ attempt;
        TaskId id = TaskId.next(InstantSource.fixed(now), new SplittableRandom(death));
        KeyRequest key = new KeyRequest(
                Identity.of(dead.tenant(), Scope.custom(SCOPE), queue, TYPE, dead.id() + ":" + attempt),
                InputHash.of(Json.parse(input), List.of()),
                TTL,
                ReusePolicy.never());
        return new NewTask(id, dead.tenant(), queue, TYPE, input, Start.now(), TaskOptions.NONE, key);
    }

    /**
     * Tells whether a queue would get its own dead letters back.
     *
     * @param queue the queue
     * @param deadLetterQueue the dead-letter queue that it is to have
     * @param next from a queue to its dead-letter queue, or to null
     * @return whether the way from the one leads back to the other
     */
    public static boolean isCircle(String queue, String deadLetterQueue, Function<String, @Nullable String> next) {
        // Nobody could set the first circle, so the way of the others ends.
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
