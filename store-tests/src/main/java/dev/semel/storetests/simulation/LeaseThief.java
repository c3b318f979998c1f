package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectOutcome.How;
import dev.semel.store.Transition;
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
    private final Lots lots;
    private final List<Claimed> loot = new ArrayList<>();

    LeaseThief(World world, Lots lots) {
        this.world = world;
        this.lots = lots;
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
        world.timeline.after(lots.spread(200, 8_000), this, () -> {
            if (!world.isCalm()) {
                if (loot.isEmpty() || lots.chance(0.5)) {
                    steal(claim());
                } else {
                    write(List.of(move(lots.oneOf(loot))));
                }
                start();
            }
        });
    }

    private ClaimRequest claim() {
        int limit = lots.between(1, 3);
        return new ClaimRequest(
                lots.generator().nextLong(),
                false,
                lots.chance(0.5) ? Set.copyOf(Queueing.ALL) : Set.of(lots.oneOf(Queueing.ALL)),
                Set.copyOf(Handling.TYPES),
                limit,
                lots.between(0, limit),
                lots.spread(1, 500),
                NAME);
    }

    private void steal(ClaimRequest request) {
        world.network.send(
                this,
                new Call.Claim(request),
                claims -> {
                    List<Transition> moves = new ArrayList<>();
                    for (Claimed claimed : claims.tasks()) {
                        world.tally.count(Happening.LEASE_STOLEN);
                        loot.add(claimed);
                        // Most go back at once: a task that is stolen too often is buried, and then tests nothing more.
                        moves.add(
                                lots.chance(0.6)
                                        ? new Transition.PutBack(claimed.lease(), Duration.ZERO)
                                        : move(claimed));
                    }
                    if (!moves.isEmpty() && lots.chance(0.7)) {
                        world.timeline.after(lots.spread(1, 2_000), this, () -> write(moves));
                    }
                },
                thrown -> {
                    if (lots.chance(0.5)) {
                        steal(request.again());
                    }
                });
    }

    private void write(List<Transition> moves) {
        world.network.send(this, new Call.Apply(moves), answers -> {}, thrown -> {
            if (lots.chance(0.5)) {
                world.timeline.after(lots.spread(10, 10_000), this, () -> write(moves));
            }
        });
    }

    private Transition move(Claimed claimed) {
        Lease lease = claimed.lease();
        return switch (lots.between(0, 13)) {
            case 0, 1, 2, 3 -> new Transition.Complete(lease, result(lease));
            case 4 -> new Transition.Extend(lease, lots.spread(1, 500));
            case 5 -> new Transition.Fail(lease, lots.chance(0.3), "the thief says so");
            case 6 -> new Transition.Retry(lease, lots.spread(1, 1_000), "the thief says so");
            case 7 -> new Transition.Cancelled(lease);
            case 8 -> new Transition.Park(lease, effect(claimed), "the thief says so");
            case 9, 10 -> new Transition.Intend(lease, effect(claimed), null);
            case 11 -> new Transition.Conclude(lease, effect(claimed), new EffectOutcome.Done(result(lease), How.RAN));
            default -> new Transition.PutBack(lease, lots.spread(1, 1_000));
        };
    }

    private EffectId effect(Claimed claimed) {
        Policy policy = lots.oneOf(List.of(Policy.values()));
        return new EffectId(claimed.task().lineage(), policy.word(), 0);
    }

    private @Nullable String result(Lease lease) {
        return lots.chance(0.2)
                ? null
                : "{\"" + STOLEN + "\":" + lease.attempt() + ",\"lot\":" + lots.between(0, 9_999) + "}";
    }
}
