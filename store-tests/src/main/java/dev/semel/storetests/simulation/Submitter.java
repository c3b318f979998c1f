package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.IdentityStrategy;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.RetryPolicy;
import dev.semel.task.ReusePolicy;
import dev.semel.task.ReusePolicy.AfterEnd;
import dev.semel.task.ReusePolicy.OtherInput;
import dev.semel.task.ReusePolicy.WhileOpen;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks, alone and in batches, with keys that others use too, sends again what was not answered, now or much later,
 * and reads what happened to them.
 */
final class Submitter implements Timeline.Party {

    private static final List<String> TENANTS = List.of("default", "acme");

    private static final List<ReusePolicy> POLICIES = List.of(
            ReusePolicy.allowFailedOnly(),
            ReusePolicy.allowFailedOnly(),
            ReusePolicy.allowFailedOnly(),
            ReusePolicy.never(),
            ReusePolicy.afterFinish(),
            ReusePolicy.of(WhileOpen.REJECT, AfterEnd.REJECT, AfterEnd.REJECT),
            ReusePolicy.of(WhileOpen.REJECT, AfterEnd.RETURN, AfterEnd.RERUN),
            ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RETURN, AfterEnd.RERUN),
            ReusePolicy.of(WhileOpen.REPLACE, AfterEnd.RERUN, AfterEnd.RERUN));

    private final World world;
    private final RandomSource randomness;
    private final String name;
    private final SkewedClock clock;
    private int underWay;

    Submitter(World world, RandomSource randomness, int number) {
        this.world = world;
        this.randomness = randomness;
        this.name = "s" + number;
        this.clock = new SkewedClock(world.timeline, randomness.split());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public long frozenUntil() {
        return 0;
    }

    /** How many batches are not answered yet. */
    int underWay() {
        return underWay;
    }

    void start() {
        Duration pause = world.scenario.pause();
        world.timeline.after(randomness.millis(1, 2 * pause.toMillis()), this, () -> {
            if (!world.isCalm()) {
                send(randomness.chance(0.7) ? List.of(item()) : batch());
                start();
            }
        });
    }

    private List<NewTask> batch() {
        List<NewTask> batch = new ArrayList<>();
        int size = randomness.between(2, 6);
        while (batch.size() < size) {
            batch.add(item());
        }
        if (randomness.chance(0.1)) {
            batch.add(randomness.oneOf(batch)); // the same submission twice in one batch
        }
        return batch;
    }

    private void send(List<NewTask> batch) {
        underWay++;
        world.network.send(this, new Call.Submit(batch), answers -> answered(batch, answers), thrown -> {
            underWay--;
            if (world.isCalm() || randomness.chance(0.8)) {
                again(randomness.spread(50, 2_000), batch);
            } else if (randomness.chance(0.8)) {
                again(randomness.millis(10_000, 60_000), batch);
            } else {
                world.trace.line(name, "gives up " + world.wording.of(new Call.Submit(batch)));
            }
        });
    }

    private void again(Duration later, List<NewTask> batch) {
        underWay++;
        world.timeline.after(later, this, () -> {
            underWay--;
            send(batch);
        });
    }

    private void answered(List<NewTask> batch, List<Submitted> answers) {
        underWay--;
        if (randomness.chance(0.1)) {
            again(randomness.spread(100, 20_000), batch); // answered, but this program died before it wrote that down
        }
        if (randomness.chance(0.5)) {
            List<TaskId> ids = answers.stream().map(Outcomes::idOf).distinct().toList();
            world.timeline.after(randomness.spread(10, 10_000), this, () -> read(ids));
        }
    }

    private void read(List<TaskId> ids) {
        world.network.send(this, new Call.Find(ids), found -> {}, thrown -> {});
    }

    // ---- one submission

    private NewTask item() {
        String tenant = randomness.chance(0.75) ? TENANTS.get(0) : TENANTS.get(1);
        String queue = randomness.oneOf(Queueing.ALL);
        String type = randomness.chance(0.03) ? Handling.GHOST : randomness.oneOf(Handling.TYPES);
        boolean keyed = !type.equals(Handling.MAIL) && randomness.chance(0.85);
        int number = keyed ? randomness.between(1, world.scenario.keys()) : 1_000 + randomness.between(0, 999);
        // The same key has the same input, but now and then another one.
        Work work = work(number, keyed ? new RandomSource(number) : randomness, keyed && randomness.chance(0.1));
        String input = Codec.standard().encode(work);
        NewTask.KeyRequest key = keyed ? key(tenant, queue, type, number, input) : null;
        NewTask item = new NewTask(
                TaskId.next(clock, randomness.generator()), tenant, queue, type, input, startOf(), options(), key);
        world.sentIds.add(item.id());
        if (key != null) {
            world.sentKeys.add(key.identity());
        }
        return item;
    }

    private Work work(int number, RandomSource from, boolean otherInput) {
        List<Work.Deed> deeds = new ArrayList<>(List.of(
                Work.Deed.SUCCEED,
                Work.Deed.SUCCEED,
                Work.Deed.RETURN_NOTHING,
                Work.Deed.FAIL,
                Work.Deed.FAIL,
                Work.Deed.FAIL_FOR_GOOD,
                Work.Deed.SNOOZE));
        if (world.scenario.poison()) {
            deeds.add(Work.Deed.KILL);
        }
        List<Policy> effects = new ArrayList<>();
        for (int left = from.chance(0.5) ? 0 : from.between(1, 4); left > 0; left--) {
            effects.add(from.oneOf(List.of(Policy.values())));
        }
        return new Work(otherInput ? -number : number, from.oneOf(deeds), from.between(1, 6), effects);
    }

    private NewTask.KeyRequest key(String tenant, String queue, String type, int number, String input) {
        Json document = Json.parse(input);
        IdentityStrategy strategy = type.equals(Handling.REPORT) && randomness.chance(0.5)
                ? IdentityStrategy.contextual("/does")
                : IdentityStrategy.strict();
        @Nullable String made = randomness.chance(0.2) ? strategy.key(type, input, () -> document, List.of()) : null;
        InputHash hash = made == null ? InputHash.of(document, List.of()) : strategy.inputHash(document, List.of());
        Scope scope = switch (randomness.between(0, 5)) {
            case 0 -> Scope.queue();
            case 1 -> Scope.tenant();
            case 2 -> Scope.custom("mine");
            default -> Scope.type();
        };
        ReusePolicy policy = randomness.oneOf(POLICIES);
        if (randomness.chance(0.2)) {
            policy = policy.onOtherInput(randomness.oneOf(List.of(OtherInput.WARN, OtherInput.IGNORE)));
        }
        return new NewTask.KeyRequest(
                Identity.of(tenant, scope, queue, type, made == null ? "k" + number : made),
                hash,
                randomness.spread(500, 120_000),
                policy);
    }

    private NewTask.Start startOf() {
        if (randomness.chance(0.7)) {
            return NewTask.Start.now();
        }
        return randomness.chance(0.7)
                ? new NewTask.Start.After(randomness.spread(10, 20_000))
                : new NewTask.Start.At(world.storeClock.instant().plus(randomness.millis(-5_000, 20_000)));
    }

    private TaskOptions options() {
        String mutex = randomness.chance(0.25) ? "m" + randomness.between(1, 2) : null;
        if (randomness.chance(0.7)) {
            return new TaskOptions(0, null, null, mutex);
        }
        TaskOptions options = new TaskOptions(
                randomness.between(0, 9),
                randomness.chance(0.3) ? RetryPolicy.attempts(randomness.between(1, 4)) : null,
                // Whole milliseconds, as stores keep them: it is compared with what is stored in the end.
                randomness.chance(0.3) ? randomness.spread(50, 5_000).truncatedTo(ChronoUnit.MILLIS) : null,
                mutex);
        return randomness.chance(0.3) ? options.withTags(List.of("tag-" + randomness.between(1, 3), "all")) : options;
    }
}
