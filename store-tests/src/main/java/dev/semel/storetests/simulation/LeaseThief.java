package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.Settlement;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Its whole job is to steal leases: it claims past all rules of a good worker, with leases of some milliseconds, drops
 * what it got, or writes with it in time, late, twice and much too late.
 */
final class LeaseThief implements Timeline.Party {

    static final String NAME = "thief";

    /** The name of what its results have and others have not. */
    static final String STOLEN = "stolen";

    private final World world;
    private final RandomSource randomness;
    private final List<Claimed> loot = new ArrayList<>();

    LeaseThief(World world, RandomSource randomness) {
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
        world.timeline.after(randomness.spread(200, 8_000), this, () -> {
            if (!world.isCalm()) {
                if (loot.isEmpty() || randomness.chance(0.5)) {
                    steal(claim());
                } else {
                    write(List.of(settlement(randomness.oneOf(loot))));
                }
                start();
            }
        });
    }

    private ClaimRequest claim() {
        int limit = randomness.between(1, 3);
        return new ClaimRequest(
                randomness.generator().nextLong(),
                false,
                randomness.chance(0.5) ? Set.copyOf(Queueing.ALL) : Set.of(randomness.oneOf(Queueing.ALL)),
                Set.copyOf(Handling.TYPES),
                limit,
                randomness.between(0, limit),
                randomness.spread(1, 500),
                NAME);
    }

    private void steal(ClaimRequest request) {
        world.network.send(
                this,
                new Call.Claim(request),
                claims -> {
                    List<Settlement> settlements = new ArrayList<>();
                    for (Claimed claimed : claims.tasks()) {
                        world.tally.count(Happening.LEASE_STOLEN);
                        loot.add(claimed);
                        // Most go back at once: a task that is stolen too often is buried, and then tests nothing more.
                        settlements.add(
                                randomness.chance(0.6)
                                        ? new Settlement.PutBack(claimed.lease(), Duration.ZERO)
                                        : settlement(claimed));
                    }
                    if (!settlements.isEmpty() && randomness.chance(0.7)) {
                        world.timeline.after(randomness.spread(1, 2_000), this, () -> write(settlements));
                    }
                },
                thrown -> {
                    if (randomness.chance(0.5)) {
                        steal(request.again());
                    }
                });
    }

    private void write(List<Settlement> settlements) {
        world.network.send(this, new Call.Settle(settlements), answers -> {}, thrown -> {
            if (randomness.chance(0.5)) {
                world.timeline.after(randomness.spread(10, 10_000), this, () -> write(settlements));
            }
        });
    }

    private Settlement settlement(Claimed claimed) {
        Lease lease = claimed.lease();
        return switch (randomness.between(0, 13)) {
            case 0, 1, 2, 3 -> new Settlement.Complete(lease, result(lease));
            case 4 -> new Settlement.Extend(lease, randomness.spread(1, 500));
            case 5 -> new Settlement.Fail(lease, randomness.chance(0.3), "the thief says so");
            case 6 -> new Settlement.Retry(lease, randomness.spread(1, 1_000), "the thief says so");
            case 7 -> new Settlement.Cancelled(lease);
            case 8 -> new Settlement.Park(lease, effect(claimed), "the thief says so");
            case 9, 10 -> new Settlement.Intend(lease, effect(claimed), null);
            case 11 -> new Settlement.Conclude(lease, effect(claimed), new EffectOutcome.Done(result(lease), How.RAN));
            default -> new Settlement.PutBack(lease, randomness.spread(1, 1_000));
        };
    }

    private EffectId effect(Claimed claimed) {
        Policy policy = randomness.oneOf(List.of(Policy.values()));
        return new EffectId(claimed.task().lineage(), policy.word(), 0);
    }

    private @Nullable String result(Lease lease) {
        return randomness.chance(0.2)
                ? null
                : "{\"" + STOLEN + "\":" + lease.attempt() + ",\"choice\":" + randomness.between(0, 9_999) + "}";
    }
}
