package dev.semel.engine;

import dev.semel.store.NewTask;
import dev.semel.store.Task;
import dev.semel.store.TaskOptions;
import dev.semel.store.TimeLimits;
import dev.semel.store.WorkflowOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.TaskId;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** Prepares steps by their types alone, for workers that belong to no instance of Semel, such as those of tests. */
public final class TypeSteps implements StepPreparer {

    private static final Duration TTL = Duration.ofDays(30);

    private final Codec codec;
    private final InstantSource clock;
    private final RandomGenerator random;

    private TypeSteps(Codec codec, InstantSource clock, RandomGenerator random) {
        this.codec = codec;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Creates a preparer.
     *
     * @param codec converts inputs
     * @param clock the time in new ids
     * @param random the source of randomness of new ids
     * @return the preparer
     */
    public static StepPreparer of(Codec codec, InstantSource clock, RandomGenerator random) {
        return new TypeSteps(codec, clock, random);
    }

    @Override
    public <I> NewTask prepare(Task workflow, TaskType<I, ?> type, I input, StepOptions options) {
        String queue = options.queue().orElse(type.queue());
        String text = codec.encode(input, type.input());
        Json document = Json.parse(text);
        NewTask.KeyRequest key = options.key()
                .map(given -> new NewTask.KeyRequest(
                        Identity.of(workflow.tenant(), options.scope().orElse(type.scope()), queue, type.name(), given),
                        InputHash.of(document, type.ignoredFields()),
                        options.ttl().or(type::idempotencyTtl).orElse(TTL),
                        options.reuse().or(type::reuse).orElse(ReusePolicy.allowFailedOnly())))
                .orElse(null);
        Duration total = options.timeLimit().or(type::timeLimit).orElse(null);
        TaskOptions own = new TaskOptions(
                options.priority().orElse(type.priority()),
                options.retry().orElse(null),
                options.timeout().orElse(null),
                type.mutex(input),
                null,
                type.isWorkflow() ? new WorkflowOptions(total) : null,
                TimeLimits.of(
                        type.isWorkflow() ? null : total,
                        options.startBy().or(type::startBy).orElse(null)),
                options.tags());
        return new NewTask(
                TaskId.next(clock, random),
                workflow.tenant(),
                queue,
                type.name(),
                text,
                options.start(),
                own.equals(TaskOptions.NONE) ? TaskOptions.NONE : own,
                key);
    }
}
