package dev.semel.storetests.simulation;

import dev.semel.engine.Codec;
import dev.semel.store.History;
import dev.semel.store.HistoryLine;
import dev.semel.store.NewTask;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.task.Identity;
import dev.semel.task.InputHash;
import dev.semel.task.Json;
import dev.semel.task.ReusePolicy;
import dev.semel.task.Scope;
import dev.semel.task.TaskId;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Starts one workflow and sends its signals, one after the other, each until it is accepted, and some again after that. So the order of
 * acceptance is known.
 */
final class FlowClient implements Timeline.Party {

    private static final Duration TTL = Duration.ofDays(30);

    private final World world;
    private final RandomSource randomness;
    private final FlowProgram program;
    private final NewTask task;
    private int accepted;
    private boolean started;

    FlowClient(World world, RandomSource randomness, FlowProgram program) {
        this.world = world;
        this.randomness = randomness;
        this.program = program;
        this.task = task(
                world,
                randomness,
                FlowHandling.FLOW,
                "flow-" + program.number(),
                Codec.standard().encode(program));
    }

    /** A task under a key, which every send of it has. */
    static NewTask task(World world, RandomSource randomness, String type, String key, String input) {
        return new NewTask(
                TaskId.next(world.storeClock, randomness.generator()),
                Identity.DEFAULT_TENANT,
                type.equals(FlowHandling.SHARED) ? Queueing.SLOW : Queueing.FAST,
                type,
                input,
                NewTask.Start.now(),
                TaskOptions.NONE,
                new NewTask.KeyRequest(
                        Identity.of(Identity.DEFAULT_TENANT, Scope.type(), Queueing.FAST, type, key),
                        InputHash.of(Json.parse(input), List.of()),
                        TTL,
                        ReusePolicy.allowFailedOnly()));
    }

    @Override
    public String name() {
        return "c" + program.number();
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public long frozenUntil() {
        return 0;
    }

    FlowProgram program() {
        return program;
    }

    TaskId taskId() {
        return task.id();
    }

    boolean isStarted() {
        return started;
    }

    boolean isDone() {
        return started && accepted == program.signals();
    }

    void start(Duration in) {
        later(in, () -> submit(task, answer -> started = true));
    }

    /** Sends all signals, once the workflow is started. */
    void signalLater() {
        later(randomness.spread(50, 8_000), () -> {
            if (!started) {
                signalLater();
            } else if (accepted < program.signals()) {
                signal(accepted + 1);
            }
        });
    }

    private void signal(int number) {
        SubmitRequest.Signal signal = new SubmitRequest.Signal(task.id(), "s" + number, "go", String.valueOf(number));
        submit(signal, answer -> {
            if (answer == Submitted.Signalled.ACCEPTED && accepted < number) {
                accepted = number;
                if (randomness.chance(0.3)) {
                    later(randomness.spread(10, 3_000), () -> submit(signal, again -> {}));
                }
                signalLater();
            } else if (answer != Submitted.Signalled.ACCEPTED) {
                throw new Broken(Invariant.I2, "signal " + number + " of an open workflow was answered with " + answer);
            }
        });
    }

    /** Waits until the workflow has started a step. */
    void whenItHasAStep(Runnable then) {
        later(randomness.spread(50, 500), () -> {
            if (!started) {
                whenItHasAStep(then);
                return;
            }
            world.network.send(
                    this,
                    new Call.ReadHistories(List.of(History.Query.whole(task.id()))),
                    found -> {
                        if (hasStep(found)) {
                            then.run();
                        } else {
                            whenItHasAStep(then);
                        }
                    },
                    thrown -> whenItHasAStep(then));
        });
    }

    private boolean hasStep(Map<TaskId, History> found) {
        History history = found.get(task.id());
        return history != null && history.lines().stream().anyMatch(line -> line.kind() == HistoryLine.Kind.STEP);
    }

    private void submit(SubmitRequest request, Consumer<Submitted> answered) {
        world.network.send(
                this,
                new Call.Submit(List.of(request)),
                answers -> answered.accept(answers.getFirst()),
                thrown -> later(randomness.spread(20, 1_000), () -> submit(request, answered)));
    }

    private void later(Duration time, Runnable step) {
        world.timeline.after(time, this, step);
    }
}
