package dev.semel.storetests.simulation;

import dev.semel.engine.Probe;
import dev.semel.storetests.simulation.History.Moment;
import dev.semel.task.EffectNotDone;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.SimulatedHost;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An external service that handlers call and that no store knows: it charges, answers late, loses answers, rejects,
 * and executes requests after their sender has given up or died. It recognises tokens where the policy of the
 * effect relies on that, and nowhere else.
 */
final class Provider {

    /** One call and its result. */
    static final class Visit {
        final TaskId taskId;
        final int attempt;
        final String worker;
        final Policy policy;
        final int index;
        final String token;
        final Moment began;

        private @Nullable Moment charged;
        private @Nullable Moment refused;
        private @Nullable String receipt;

        private Visit(Caller caller, Policy policy, int index, String token, Moment began) {
            this.taskId = caller.taskId;
            this.attempt = caller.attempt;
            this.worker = caller.process.name();
            this.policy = policy;
            this.index = index;
            this.token = token;
            this.began = began;
        }

        /** When the provider answered that it does nothing, or null. */
        @Nullable
        Moment refused() {
            return refused;
        }

        /** When it was charged, or null if it was not: because it did not arrive, was rejected, or was recognised. */
        @Nullable
        Moment charged() {
            return charged;
        }
    }

    /** Who calls. */
    record Caller(TaskId taskId, int attempt, Timeline.Party process, SimulatedHost host) {}

    /**
     * A look-up whether a token was charged.
     *
     * @param token the token
     * @param at when
     * @param charged whether it was
     */
    record Look(String token, Moment at, boolean charged) {}

    /** Thrown where the outcome of a call is unknown. */
    static final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1L;

        NoAnswer() {
            super("no answer", null, false, false);
        }
    }

    private enum Fate {
        ANSWERS,
        REQUEST_LOST,
        ANSWER_LOST,
        LATE,
        REFUSED
    }

    private final World world;
    private final RandomSource randomness;
    private final List<Visit> visits = new ArrayList<>();
    private final List<Look> looks = new ArrayList<>();
    private final Map<String, String> receipts = new HashMap<>();
    private int charges;

    Provider(World world, RandomSource randomness) {
        this.world = world;
        this.randomness = randomness;
    }

    List<Visit> visits() {
        return visits;
    }

    List<Look> looks() {
        return looks;
    }

    /** Called on a handler's thread. */
    String call(Caller caller, Policy policy, int index, String token) throws NoAnswer, InterruptedException {
        Visit visit = new Visit(caller, policy, index, token, now());
        visits.add(visit);
        Fate fate = fate();
        trace("is called by " + visit.worker + " for " + name(visit) + ": " + fate);
        Duration there = way();
        Duration patience = randomness.spread(50, 3_000);
        switch (fate) {
            case ANSWERS -> {
                arrive(caller, visit, there);
                caller.host.pause(there.plus(way()));
                return String.valueOf(visit.receipt);
            }
            case REQUEST_LOST -> caller.host.pause(patience);
            case ANSWER_LOST -> {
                world.tally.count(Happening.PROVIDERS_ANSWER_LOST);
                arrive(caller, visit, there);
                caller.host.pause(there.plus(patience));
            }
            case LATE -> {
                arrive(caller, visit, patience.plus(randomness.spread(10, 10_000)));
                caller.host.pause(patience);
            }
            case REFUSED -> {
                caller.host.pause(there);
                String before = receipts.get(token);
                if (before != null && policy.honoursTokens()) {
                    return before; // it is too late to reject
                }
                visit.refused = now();
                throw new EffectNotDone("refused");
            }
        }
        throw new NoAnswer();
    }

    private Fate fate() {
        Scenario.ProviderFaults faults = world.scenario.provider();
        if (world.isCalm()) {
            return Fate.ANSWERS;
        }
        if (randomness.chance(faults.requestLost())) {
            return Fate.REQUEST_LOST;
        }
        if (randomness.chance(faults.answerLost())) {
            return Fate.ANSWER_LOST;
        }
        if (randomness.chance(faults.late())) {
            return Fate.LATE;
        }
        return randomness.chance(faults.refused()) ? Fate.REFUSED : Fate.ANSWERS;
    }

    /** The caller may have crashed meanwhile: what was sent arrives. */
    private void arrive(Caller caller, Visit visit, Duration in) {
        world.timeline.after(in, null, () -> {
            String before = receipts.get(visit.token);
            if (before != null && visit.policy.honoursTokens()) {
                visit.receipt = before;
                world.tally.count(Happening.TOKEN_HONOURED);
                return;
            }
            String receipt = "r" + ++charges;
            visit.receipt = receipt;
            visit.charged = now();
            receipts.putIfAbsent(visit.token, receipt);
            if (caller.process.isGone()) {
                world.tally.count(Happening.CHARGED_FOR_NOBODY);
            }
            trace("charges " + name(visit) + ": " + receipt);
        });
    }

    /** Called on a handler's thread. */
    Probe.Answer<String> probe(Caller caller, String token) throws NoAnswer, InterruptedException {
        caller.host.pause(way());
        if (!world.isCalm() && randomness.chance(world.scenario.provider().answerLost())) {
            throw new NoAnswer();
        }
        if (!world.isCalm() && randomness.chance(0.1)) {
            return Probe.Answer.unknown("the books are closed");
        }
        String receipt = look(token);
        return receipt == null ? Probe.Answer.notDone() : Probe.Answer.done(receipt);
    }

    /** The receipt of a token, or null if it was not charged so far. */
    @Nullable
    String look(String token) {
        String receipt = receipts.get(token);
        looks.add(new Look(token, now(), receipt != null));
        return receipt;
    }

    private Moment now() {
        return world.history.now(world.storeClock.instant());
    }

    private Duration way() {
        return world.isCalm() ? randomness.spread(1, 50) : randomness.spread(1, 1_000);
    }

    private String name(Visit visit) {
        return world.trace.name(visit.taskId) + "/" + visit.attempt + " " + visit.policy.word() + "#" + visit.index;
    }

    private void trace(String what) {
        world.trace.line("provider", what);
    }
}
