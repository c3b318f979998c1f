package dev.semel.storetests;

import dev.semel.store.NewTask;
import dev.semel.store.TimeLimits;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Random submissions of so few keys, inputs and types that they collide all the time. */
final class RandomDrafts {

    private static final List<Duration> TTLS =
            List.of(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofDays(30));

    private final RandomGenerator random;

    RandomDrafts(RandomGenerator random) {
        this.random = random;
    }

    /** A draft of this tenant and queue; one of five has no key. */
    Draft next(String tenant, String queue) {
        Draft draft = Draft.plain()
                .tenant(tenant)
                .queue(queue)
                .type(random.nextInt(4) == 0 ? "other" : Draft.TYPE)
                .input(random.nextInt(4) == 0 ? "{\"n\":2}" : "{\"n\":1}")
                .start(start())
                .priority(random.nextInt(3) == 0 ? random.nextInt(10) : 0)
                .ttl(pick(TTLS))
                .policy(policy());
        if (random.nextInt(4) == 0) {
            draft = draft.options(draft.options().withLimits(limits(draft.start())));
        }
        if (random.nextInt(4) == 0) {
            draft = draft.options(draft.options().withTags(List.of("tag-" + random.nextInt(3), "all")));
        }
        return random.nextInt(5) == 0
                ? draft
                : draft.key("k" + random.nextInt(4)).scope(scope());
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private NewTask.Start start() {
        return random.nextInt(3) == 0
                ? new NewTask.Start.After(Duration.ofMillis(random.nextInt(120_000)))
                : NewTask.Start.now();
    }

    /** Limits that a delay does not exceed, so that the task may start. */
    private @Nullable TimeLimits limits(NewTask.Start start) {
        Duration least = start instanceof NewTask.Start.After(Duration delay) ? delay : Duration.ZERO;
        Duration startBy = random.nextBoolean() ? least.plusMillis(1 + random.nextInt(120_000)) : null;
        Duration total = startBy == null || random.nextBoolean()
                ? (startBy == null ? least : startBy).plusMillis(1 + random.nextInt(600_000))
                : null;
        return TimeLimits.of(total, startBy);
    }

    private Scope scope() {
        return random.nextInt(3) == 0 ? Scope.type() : Scope.custom("shared");
    }

    private ReusePolicy policy() {
        return switch (random.nextInt(6)) {
            case 0 -> ReusePolicy.allowFailedOnly();
            case 1 -> ReusePolicy.never();
            case 2 -> ReusePolicy.afterFinish();
            case 3 -> ReusePolicy.of(WhileOpen.REPLACE, pick(AfterEnd.values()), pick(AfterEnd.values()));
            default ->
                new ReusePolicy(
                        pick(WhileOpen.values()),
                        pick(WhileOpen.values()),
                        pick(WhileOpen.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(AfterEnd.values()),
                        pick(OtherInput.values()));
        };
    }

    private <T> T pick(T[] from) {
        return from[random.nextInt(from.length)];
    }
}
