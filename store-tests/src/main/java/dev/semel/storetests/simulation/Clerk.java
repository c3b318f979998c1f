package dev.semel.storetests.simulation;

import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Resolution.Verdict;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A person who looks for effects whose outcome is unknown, asks the provider for its books, and resolves them:
 * truly, but late, twice, and on old knowledge; now and then it gives one up. In the end it leaves none.
 */
final class Clerk implements Timeline.Party {

    private static final String NAME = "clerk";
    private static final int PAGE = 20;
    private static final Duration OFTEN = Duration.ofSeconds(2);

    private record Left(EffectId effect, AttemptId by) {}

    private final World world;
    private final RandomSource randomness;

    // What was resolved after the faults have stopped: once is enough.
    private final Set<Left> said = new HashSet<>();

    Clerk(World world, RandomSource randomness) {
        this.world = world;
        this.randomness = randomness;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public long frozenUntil() {
        return 0;
    }

    void start() {
        world.timeline.after(world.isCalm() ? OFTEN : randomness.spread(200, 3_000), this, () -> {
            look(EffectQuery.unknown(PAGE));
            start();
        });
    }

    private void look(EffectQuery query) {
        world.network.send(this, new Call.ListEffects(query), page -> seen(query, page), thrown -> {});
    }

    private void seen(EffectQuery query, EffectPage page) {
        if (world.isCalm()) {
            for (EffectRecord effect : page.effects()) {
                if (said.add(new Left(effect.id(), effect.by()))) {
                    say(effect, Duration.ofMillis(10));
                }
            }
        } else {
            for (EffectRecord effect : page.effects()) {
                if (randomness.chance(0.3)) {
                    say(effect, randomness.spread(1, 5_000));
                }
            }
        }
        if (page.next() != null && (world.isCalm() || randomness.chance(0.5))) {
            look(query.after(page.next()));
        }
    }

    private void say(EffectRecord effect, Duration later) {
        Resolution word = word(effect);
        world.timeline.after(later, this, () -> send(new Operation.Resolve(effect.id(), effect.by(), word)));
    }

    private Resolution word(EffectRecord effect) {
        @Nullable String receipt = world.provider.look(effect.id().token());
        if (!world.isCalm() && randomness.chance(0.1)) {
            return new Resolution(Verdict.GIVE_UP, null, NAME, "not worth it");
        }
        return receipt == null
                ? new Resolution(Verdict.NOT_DONE, null, NAME, "not in the books")
                : new Resolution(Verdict.DONE, "\"" + receipt + "\"", NAME, "in the books as " + receipt);
    }

    private void send(Operation.Resolve resolve) {
        world.network.send(
                this,
                new Call.Operate(List.of(resolve)),
                answers -> {
                    if (!world.isCalm() && randomness.chance(0.1)) {
                        world.timeline.after(randomness.spread(10, 5_000), this, () -> send(resolve));
                    }
                },
                thrown -> world.timeline.after(randomness.spread(10, 5_000), this, () -> send(resolve)));
    }
}
