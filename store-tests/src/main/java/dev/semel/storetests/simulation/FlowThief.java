package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Settlement;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Steals leases of workflows and steps, and drops them or returns them: it changes nothing but who holds what. */
final class FlowThief implements Timeline.Party {

    private final World world;
    private final RandomSource randomness;

    FlowThief(World world, RandomSource randomness) {
        this.world = world;
        this.randomness = randomness;
    }

    @Override
    public String name() {
        return LeaseThief.NAME;
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
        world.timeline.after(randomness.spread(100, 4_000), this, () -> {
            if (!world.isCalm()) {
                steal();
                start();
            }
        });
    }

    private void steal() {
        ClaimRequest request = new ClaimRequest(
                randomness.generator().nextLong(),
                false,
                Set.of(Queueing.FAST, Queueing.SLOW),
                null,
                2,
                2,
                randomness.spread(1, 500),
                name());
        world.network.send(
                this,
                new Call.Claim(request),
                claims -> claims.tasks().forEach(claimed -> {
                    world.tally.count(Happening.LEASE_STOLEN);
                    if (randomness.chance(0.5)) {
                        world.network.send(
                                this,
                                new Call.Settle(List.of(new Settlement.PutBack(claimed.lease(), Duration.ZERO))),
                                answers -> {},
                                thrown -> {});
                    }
                }),
                thrown -> {});
    }
}
