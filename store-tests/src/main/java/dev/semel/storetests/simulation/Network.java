package dev.semel.storetests.simulation;

import dev.semel.task.StoreUnavailable;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline.Party;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The way between a party and the store. A request takes its time, arrives or not, and may arrive after its sender has
 * given it up; the answer arrives or not. What is on its way when its sender dies is done or not.
 */
final class Network {

    private final World world;
    private final RandomSource randomness;

    Network(World world, RandomSource randomness) {
        this.world = world;
        this.randomness = randomness;
    }

    private enum Fate {
        ARRIVES,
        REQUEST_LOST,
        ANSWER_LOST,
        LATE
    }

    /**
     * Sends a call.
     *
     * @param party who sends it; the answer is a step of this party
     * @param call what is asked
     * @param answered gets the answer
     * @param failed gets the exception if it is lost
     */
    <T> void send(Party party, Call<T> call, Consumer<T> answered, Consumer<RuntimeException> failed) {
        History.Entry<T> entry = world.history.asked(party.name(), call, world.storeClock.instant());
        world.trace.line(party.name(), "> " + world.wording.of(call));
        Fate fate = fate();
        Duration patience = randomness.spread(100, world.scenario.network().patience());
        Runnable giveUp = () -> {
            world.trace.line(party.name(), "! no answer: " + world.wording.of(call));
            failed.accept(new StoreUnavailable("The answer was lost on purpose"));
        };
        switch (fate) {
            case ARRIVES -> world.timeline.after(way(), null, () -> arrive(party, entry, answered, true));
            case REQUEST_LOST -> {
                world.tally.count(Happening.REQUEST_LOST);
                world.timeline.after(patience, party, giveUp);
            }
            case ANSWER_LOST -> {
                world.tally.count(Happening.ANSWER_LOST);
                world.timeline.after(way(), null, () -> arrive(party, entry, answered, false));
                world.timeline.after(patience, party, giveUp);
            }
            case LATE -> {
                world.tally.count(Happening.REQUEST_LATE);
                Duration late = patience.plus(randomness.spread(10, 20_000));
                world.timeline.after(late, null, () -> arrive(party, entry, answered, false));
                world.timeline.after(patience, party, giveUp);
            }
        }
    }

    /** A hint takes its way too, or gets lost. */
    void hint(Party party, Runnable listener) {
        if (!world.isCalm() && randomness.chance(world.scenario.network().hintLost())) {
            world.tally.count(Happening.HINT_LOST);
        } else {
            world.timeline.after(way(), party, listener);
        }
    }

    private Fate fate() {
        if (world.isCalm()) {
            return Fate.ARRIVES;
        }
        Scenario.NetworkFaults faults = world.scenario.network();
        if (randomness.chance(faults.requestLost())) {
            return Fate.REQUEST_LOST;
        }
        if (randomness.chance(faults.answerLost())) {
            return Fate.ANSWER_LOST;
        }
        return randomness.chance(faults.late()) ? Fate.LATE : Fate.ARRIVES;
    }

    private Duration way() {
        return randomness.spread(1, world.scenario.network().slowest());
    }

    private <T> void arrive(Party party, History.Entry<T> entry, Consumer<T> answered, boolean answerArrives) {
        if (party.isGone()) {
            if (randomness.chance(0.5)) {
                return;
            }
            world.tally.count(Happening.REQUEST_OF_THE_DEAD);
        }
        T value = done(party, entry.call);
        History.Answer<T> answer = world.history.done(value, world.storeClock.instant());
        world.trace.line(
                "store",
                "= " + party.name() + " " + world.wording.of(entry.call) + " => " + world.wording.ofAnswer(value));
        if (answerArrives) {
            world.timeline.after(way(), party, () -> {
                entry.arrived(answer);
                answered.accept(value);
            });
        }
    }

    private <T> T done(Party party, Call<T> call) {
        try {
            return call.on(world.store);
        } catch (RuntimeException | AssertionError e) {
            throw new Broken(
                    Invariant.I8,
                    "The store threw " + e + " when " + party.name() + " asked to " + world.wording.of(call),
                    e);
        }
    }
}
