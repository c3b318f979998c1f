package dev.semel.storetests.simulation;

import dev.semel.store.Generation;
import dev.semel.store.History;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Restarts workflows from any line, whatever their state is: open ones, and those that have completed. A restart whose answer is lost is sent
 * again until it is answered, also if the workflow went on meanwhile, and some are sent again after that.
 */
final class FlowRestarter implements Timeline.Party {

    private final World world;
    private final RandomSource randomness;
    private final List<FlowClient> clients;
    private final List<Operation.Restart> sent = new ArrayList<>();

    FlowRestarter(World world, RandomSource randomness, List<FlowClient> clients) {
        this.world = world;
        this.randomness = randomness;
        this.clients = clients;
    }

    @Override
    public String name() {
        return "restarter";
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public long frozenUntil() {
        return 0;
    }

    /** All restarts that were sent, those that were rejected too. */
    List<Operation.Restart> sent() {
        return sent;
    }

    void start() {
        world.timeline.after(randomness.spread(200, 6_000), this, () -> {
            if (!world.isCalm()) {
                look(randomness.oneOf(clients).taskId());
                start();
            }
        });
    }

    private void look(TaskId workflow) {
        world.network.send(
                this,
                new Call.ReadHistories(List.of(History.Query.whole(workflow))),
                found -> {
                    History history = found.get(workflow);
                    if (history != null) {
                        // A person reads the preview, and the workflow goes on meanwhile.
                        world.timeline.after(randomness.spread(1, 5_000), this, () -> {
                            if (!world.isCalm()) {
                                restart(workflow, history);
                            }
                        });
                    }
                },
                thrown -> {});
    }

    private void restart(TaskId workflow, History history) {
        List<Generation> begun = Generation.all(history.inbox());
        Operation.Restart restart = new Operation.Restart(
                workflow,
                begun.isEmpty() ? 1 : begun.getLast().number(),
                randomness.between(0, history.lines().size() + 1));
        sent.add(restart);
        send(restart, answer -> {
            world.tally.count(
                    switch (answer) {
                        case APPLIED -> Happening.WORKFLOW_RESTARTED;
                        case STALE -> Happening.RESTART_STALE;
                        case HELD, NOT_FOUND -> Happening.RESTART_HELD;
                        case SUPERSEDED, CANCEL_REQUESTED, CIRCLE ->
                            throw new Broken(Invariant.FLOWS, restart + " was answered with " + answer);
                    });
            if (answer == Operated.APPLIED && randomness.chance(0.5)) {
                world.timeline.after(
                        randomness.spread(10, 8_000),
                        this,
                        () -> send(restart, again -> {
                            if (again == Operated.APPLIED) {
                                world.tally.count(Happening.RESTART_REPEATED);
                            }
                        }));
            }
        });
    }

    private void send(Operation.Restart restart, Consumer<Operated> answered) {
        world.network.send(
                this,
                new Call.Operate(List.of(restart)),
                answers -> answered.accept(answers.getFirst()),
                thrown -> world.timeline.after(randomness.spread(20, 1_000), this, () -> send(restart, answered)));
    }
}
