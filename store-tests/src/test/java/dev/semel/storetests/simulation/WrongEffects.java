package dev.semel.storetests.simulation;

import dev.semel.store.ClaimRequest;
import dev.semel.store.Claims;
import dev.semel.store.Claims.Claimed;
import dev.semel.store.EffectOutcome;
import dev.semel.store.EffectPage;
import dev.semel.store.EffectQuery;
import dev.semel.store.EffectRecord;
import dev.semel.store.EffectState;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Resolution;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.AttemptId;
import dev.semel.task.EffectId;
import dev.semel.task.Lease;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The planted bugs that concern effects. */
final class WrongEffects {

    private WrongEffects() {}

    /** A store that does something else with some settlements or operations. */
    abstract static class Changing extends WrongStore {

        Changing(TaskStore right) {
            super(right);
        }

        Settled settle(Settlement settlement) {
            return rightly(settlement);
        }

        Operated operate(Operation operation) {
            return rightly(operation);
        }

        final Settled rightly(Settlement settlement) {
            return right.settle(List.of(settlement)).getFirst();
        }

        final Operated rightly(Operation operation) {
            return right.operate(List.of(operation)).getFirst();
        }

        Task task(TaskId id) {
            return right.find(List.of(id)).get(id);
        }

        EffectRecord effect(EffectId id) {
            return right.effects(List.of(id.lineage())).getOrDefault(id.lineage(), List.of()).stream()
                    .filter(effect -> effect.id().equals(id))
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public List<Settled> settle(List<? extends Settlement> batch) {
            List<Settled> answers = new ArrayList<>();
            batch.forEach(settlement -> answers.add(settle(settlement)));
            return answers;
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            List<Operated> answers = new ArrayList<>();
            batch.forEach(operation -> answers.add(operate(operation)));
            return answers;
        }
    }

    /** Some settlements of old attempts are taken for those of the newest. */
    static final class NotFenced extends Changing {

        private final Predicate<Settlement> which;

        NotFenced(TaskStore right, Predicate<Settlement> which) {
            super(right);
            this.which = which;
        }

        @Override
        Settled settle(Settlement settlement) {
            if (which.test(settlement)) {
                Task task = task(settlement.lease().taskId());
                if (task != null && task.state() == TaskState.RUNNING) {
                    return rightly(under(
                            settlement,
                            new Lease(
                                    task.id(),
                                    task.progress().attempt(),
                                    settlement.lease().claim())));
                }
            }
            return rightly(settlement);
        }
    }

    /** A rerun begins with an empty ledger: what its lineage recorded before is there no more. */
    static final class ForgottenOnRerun extends Changing {

        // The true store knows the effects of each rerun under names of their own: these begin with its number.
        private final Map<TaskId, Integer> reruns = new HashMap<>();

        ForgottenOnRerun(TaskStore right) {
            super(right);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            Claims claims = right.claim(request);
            for (Claimed claimed : claims.tasks()) {
                TaskId lineage = claimed.task().lineage();
                if (claimed.lease().attempt() == 1
                        && !lineage.equals(claimed.task().id())) {
                    reruns.merge(lineage, 1, Integer::sum);
                }
            }
            return claims;
        }

        private String prefix(TaskId lineage) {
            return reruns.getOrDefault(lineage, 0) + "-";
        }

        private EffectId kept(EffectId effect) {
            return new EffectId(effect.lineage(), prefix(effect.lineage()) + effect.name(), effect.index());
        }

        private List<EffectRecord> shown(List<EffectRecord> effects) {
            List<EffectRecord> shown = new ArrayList<>();
            for (EffectRecord effect : effects) {
                String prefix = prefix(effect.id().lineage());
                if (effect.id().name().startsWith(prefix)) {
                    String name = effect.id().name().substring(prefix.length());
                    shown.add(named(
                            effect,
                            new EffectId(
                                    effect.id().lineage(), name, effect.id().index())));
                }
            }
            return shown;
        }

        private static EffectRecord named(EffectRecord effect, EffectId id) {
            return new EffectRecord(
                    id,
                    effect.by(),
                    effect.state(),
                    effect.intendedAt(),
                    effect.windowEnd(),
                    effect.windowPassed(),
                    effect.settledAt(),
                    effect.how(),
                    effect.result(),
                    effect.note(),
                    effect.resolution());
        }

        @Override
        Settled settle(Settlement settlement) {
            return rightly(
                    switch (settlement) {
                        case Settlement.Intend(Lease lease, EffectId effect, Duration window) ->
                            new Settlement.Intend(lease, kept(effect), window);
                        case Settlement.Conclude(Lease lease, EffectId effect, EffectOutcome outcome) ->
                            new Settlement.Conclude(lease, kept(effect), outcome);
                        case Settlement.Park(Lease lease, EffectId effect, String reason) ->
                            new Settlement.Park(lease, kept(effect), reason);
                        default -> settlement;
                    });
        }

        @Override
        Operated operate(Operation operation) {
            return rightly(
                    operation instanceof Operation.Resolve(EffectId effect, AttemptId left, Resolution resolution)
                            ? new Operation.Resolve(kept(effect), left, resolution)
                            : operation);
        }

        @Override
        public Map<TaskId, List<EffectRecord>> effects(Collection<TaskId> lineages) {
            Map<TaskId, List<EffectRecord>> found = new HashMap<>(right.effects(lineages));
            found.replaceAll((lineage, effects) -> shown(effects));
            return found;
        }

        @Override
        public EffectPage effects(EffectQuery query) {
            EffectId after = query.after();
            EffectPage page = right.effects(after == null ? query : query.after(kept(after)));
            List<EffectRecord> shown = shown(page.effects());
            EffectId next = page.next();
            return new EffectPage(
                    shown,
                    next == null || shown.isEmpty() ? null : shown.getLast().id());
        }
    }

    /** Now and then an intent is answered as recorded and is not. */
    static final class IntentDropped extends Changing {

        private int intents;

        IntentDropped(TaskStore right) {
            super(right);
        }

        @Override
        Settled settle(Settlement settlement) {
            if (settlement instanceof Settlement.Intend intend && ++intents % 10 == 0) {
                Task task = task(intend.lease().taskId());
                boolean newest = task != null
                        && task.state() == TaskState.RUNNING
                        && task.progress().attempt() == intend.lease().attempt();
                if (newest && effect(intend.effect()) == null) {
                    return Settled.APPLIED;
                }
            }
            return rightly(settlement);
        }
    }

    /** Windows are not kept. */
    static final class WindowIgnored extends Changing {

        WindowIgnored(TaskStore right) {
            super(right);
        }

        @Override
        Settled settle(Settlement settlement) {
            return rightly(
                    settlement instanceof Settlement.Intend intend
                            ? new Settlement.Intend(intend.lease(), intend.effect(), null)
                            : settlement);
        }
    }

    /** A store in which some tasks sleep for ever: what it claims of them it puts away. */
    abstract static class Sleeping extends Changing {

        private static final Duration EVER = Duration.ofDays(365);

        private final Set<TaskId> asleep = new HashSet<>();

        Sleeping(TaskStore right) {
            super(right);
        }

        void sleep(TaskId id) {
            asleep.add(id);
        }

        @Override
        public Claims claim(ClaimRequest request) {
            Claims claims = right.claim(request);
            List<Claimed> awake = new ArrayList<>();
            for (Claimed claimed : claims.tasks()) {
                if (asleep.contains(claimed.task().id())) {
                    rightly(new Settlement.PutBack(claimed.lease(), EVER));
                } else {
                    awake.add(claimed);
                }
            }
            return new Claims(awake, claims.nextDue());
        }
    }

    /** A task that is parked for an effect of which somebody has said meanwhile what happened to it waits all the same. */
    static final class ParkOversleeps extends Sleeping {

        ParkOversleeps(TaskStore right) {
            super(right);
        }

        @Override
        Settled settle(Settlement settlement) {
            Settled answer = rightly(settlement);
            if (settlement instanceof Settlement.Park park && answer == Settled.APPLIED) {
                EffectRecord effect = effect(park.effect());
                if (effect != null && effect.state() != EffectState.UNKNOWN) {
                    sleep(park.lease().taskId());
                }
            }
            return answer;
        }
    }

    /** What somebody says about an effect is recorded, and wakes nobody. */
    static final class ResolveWakesNobody extends Sleeping {

        ResolveWakesNobody(TaskStore right) {
            super(right);
        }

        @Override
        Operated operate(Operation operation) {
            TaskId id = operation instanceof Operation.Resolve resolve
                    ? resolve.left().taskId()
                    : null;
            Task before = id == null ? null : task(id);
            Operated answer = rightly(operation);
            if (before != null
                    && before.state() == TaskState.WAITING
                    && task(id).state() == TaskState.PENDING
                    && ((Operation.Resolve) operation).resolution().verdict() != Resolution.Verdict.GIVE_UP) {
                sleep(id);
            }
            return answer;
        }
    }
}
