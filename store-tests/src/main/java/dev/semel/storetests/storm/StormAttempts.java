package dev.semel.storetests.storm;

import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.storetests.storm.StormWeather.Condition;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that one actor holds, and what it does with them next: settles them in every way, extends them, records effects,
 * forgets them until their lease expires, and returns to some long after that.
 */
final class StormAttempts {

    private static final int MOST_OLD = 10;

    private final StormPlan plan;
    private final StormWeather weather;
    private final StormBoard board;
    private final List<Claimed> held = new ArrayList<>();
    private final List<Claimed> old = new ArrayList<>();

    StormAttempts(StormPlan plan, StormWeather weather, StormBoard board) {
        this.plan = plan;
        this.weather = weather;
        this.board = board;
    }

    int held() {
        return held.size();
    }

    void begin(Claimed claimed) {
        held.add(claimed);
    }

    /** What to do next with one or a few of them. */
    List<Settlement> settlements() {
        List<Settlement> batch = new ArrayList<>();
        int size = plan.oneIn(4) ? 1 + plan.random.nextInt(4) : 1;
        for (int i = 0; i < size && !held.isEmpty(); i++) {
            Claimed attempt = plan.pick(held);
            Settlement settlement = settlement(attempt);
            if (settlement != null) {
                batch.add(settlement);
            }
        }
        if (!old.isEmpty() && plan.oneIn(8)) {
            Claimed late = plan.pick(old);
            batch.add(weather.has(Condition.EFFECTS) && plan.oneIn(2) ? effect(late) : end(late));
        }
        return batch;
    }

    private @Nullable Settlement settlement(Claimed attempt) {
        Lease lease = attempt.lease();
        if (weather.has(Condition.EFFECTS) && plan.oneIn(3)) {
            return effect(attempt);
        }
        if (plan.oneIn(10)) {
            return new Settlement.Extend(lease, plan.lease());
        }
        held.remove(attempt);
        old.add(attempt);
        if (old.size() > MOST_OLD) {
            old.removeFirst();
        }
        // Forgotten: with a short lease another worker takes it, and this one may return late.
        return weather.has(Condition.SHORT_LEASES) && plan.oneIn(8) ? null : end(attempt);
    }

    private Settlement end(Claimed attempt) {
        Lease lease = attempt.lease();
        return switch (plan.random.nextInt(12)) {
            case 0 -> new Settlement.Retry(lease, plan.delay(), "again");
            case 1, 2, 3 -> new Settlement.Fail(lease, plan.oneIn(4), "broken");
            case 4 -> new Settlement.PutBack(lease, plan.delay());
            case 5 -> plan.oneIn(3) ? new Settlement.Cancelled(lease) : complete(lease);
            default -> complete(lease);
        };
    }

    private static Settlement complete(Lease lease) {
        // The result names its attempt, so that no result is mistaken for another's.
        return new Settlement.Complete(lease, "\"" + lease.taskId() + "/" + lease.attempt() + "\"");
    }

    private Settlement effect(Claimed attempt) {
        Lease lease = attempt.lease();
        EffectId effect = new EffectId(attempt.task().lineage(), plan.oneIn(2) ? "charge" : "mail", 0);
        return switch (plan.random.nextInt(5)) {
            case 0, 1 -> new Settlement.Intend(lease, effect, null);
            case 2 ->
                new Settlement.Conclude(
                        lease, effect, new EffectOutcome.Done("\"" + lease.attempt() + "\"", EffectOutcome.How.RAN));
            case 3 ->
                new Settlement.Conclude(lease, effect, new EffectOutcome.NotDone("declined", EffectOutcome.How.RAN));
            default -> {
                held.remove(attempt);
                board.leftUnknown(new Operation.Resolve(effect, lease.attemptId(), resolution()), plan.random);
                yield new Settlement.Park(lease, effect, "nobody knows");
            }
        };
    }

    private Resolution resolution() {
        Resolution.Verdict verdict = plan.pick(List.of(Resolution.Verdict.values()));
        return new Resolution(verdict, null, "operator", "looked it up");
    }

    /** Notes what others can do after a settlement. */
    void settled(Settlement settlement, @Nullable Settled answer) {
        if (settlement instanceof Settlement.Fail fail && answer == Settled.APPLIED) {
            board.died(new Operation.Redrive(fail.lease().taskId(), fail.lease().attempt()), plan.random);
        }
    }

    /** Notes what others can do after an operation. */
    void operated(Operation operation, @Nullable Operated answer) {
        if (operation instanceof Operation.Resolve resolve
                && resolve.resolution().verdict() == Resolution.Verdict.GIVE_UP
                && answer == Operated.APPLIED) {
            board.died(
                    new Operation.Redrive(
                            resolve.left().taskId(), resolve.left().attempt()),
                    plan.random);
        }
    }
}
