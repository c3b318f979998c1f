package dev.semel.storetests.simulation;

import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.SubmitRequest;
import dev.semel.store.SweepRequest;
import dev.semel.store.Task;
import dev.semel.store.TaskQuery;
import dev.semel.task.Identity;
import dev.semel.task.TaskState;
import dev.semel.testkit.virtualtime.Call;
import dev.semel.testkit.virtualtime.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A person and a cleaning service: cancels, redrives, releases keys, pauses queues and sweeps, also twice and on old knowledge. */
final class Operator implements Timeline.Party {

    private static final TaskQuery DEAD = new TaskQuery(
            null, null, null, Set.of(TaskState.FAILED, TaskState.TIMED_OUT), null, null, TaskQuery.MAX_LIMIT);

    // Few, so that sweeps are cut short by their limit.
    private static final int SWEPT_AT_ONCE = 5;

    private final World world;
    private final RandomSource randomness;

    Operator(World world, RandomSource randomness) {
        this.world = world;
        this.randomness = randomness;
    }

    @Override
    public String name() {
        return "operator";
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
        world.timeline.after(randomness.spread(300, 6_000), this, () -> {
            if (!world.isCalm()) {
                act();
                start();
            }
        });
    }

    private void act() {
        if (world.sentIds.isEmpty() || world.sentKeys.isEmpty()) {
            return;
        }
        switch (randomness.between(0, 11)) {
            case 0 -> operate(new Operation.Cancel(recent(world.sentIds)));
            case 1 -> send(new Call.Submit(List.of(new SubmitRequest.Cancel(recent(world.sentIds)))));
            case 2, 3, 4 -> redriveOne();
            case 5, 6 -> releaseOne(recent(world.sentKeys));
            case 7 -> {
                Identity identity = recent(world.sentKeys);
                operate(new Operation.ReleaseKey(identity, recent(world.sentIds)));
            }
            case 8, 9 -> pause();
            default -> sweep();
        }
    }

    /** Pauses a queue and, unless that is forgotten or lost, resumes it soon. */
    private void pause() {
        String queue = randomness.oneOf(Queueing.ALL);
        QueueSettings.Builder paused = QueueSettings.builder().paused(true);
        QueueSettings.Builder resumed = QueueSettings.builder().paused(false);
        operate(new Operation.SetQueue(queue, paused.build()));
        world.timeline.after(
                randomness.spread(500, 10_000),
                this,
                () -> operate(
                        randomness.chance(0.5)
                                ? new Operation.SetQueue(queue, resumed.build())
                                : new Operation.ResetQueue(queue)));
    }

    /** One of the last: the first ones are soon too old to be interesting. */
    private <T> T recent(List<T> all) {
        int from = Math.max(0, all.size() - 10);
        return randomness.oneOf(all.subList(from, all.size()));
    }

    private void redriveOne() {
        world.network.send(
                this,
                new Call.ListTasks(DEAD),
                dead -> {
                    if (!dead.isEmpty()) {
                        Task task = randomness.oneOf(dead);
                        int attempt = task.progress().attempt();
                        int of = randomness.chance(0.15) ? Math.max(0, attempt - 1) : attempt;
                        // Sometimes on old knowledge: meanwhile it may have been redriven, or its key may have been
                        // taken.
                        Duration later = randomness.spread(1, 5_000);
                        world.timeline.after(later, this, () -> operate(new Operation.Redrive(task.id(), of)));
                    }
                },
                thrown -> {});
    }

    private void releaseOne(Identity identity) {
        world.network.send(
                this,
                new Call.LookUp(identity),
                found -> found.ifPresent(record -> world.timeline.after(
                        randomness.spread(1, 3_000),
                        this,
                        () -> operate(new Operation.ReleaseKey(identity, record.taskId())))),
                thrown -> {});
    }

    private void operate(Operation operation) {
        send(new Call.Operate(List.of(operation)));
    }

    private void send(Call<?> call) {
        world.network.send(
                this,
                call,
                answers -> {
                    if (randomness.chance(0.1)) {
                        world.timeline.after(randomness.spread(10, 5_000), this, () -> send(call));
                    }
                },
                thrown -> {
                    if (randomness.chance(0.7)) {
                        world.timeline.after(randomness.spread(10, 5_000), this, () -> send(call));
                    }
                });
    }

    private void sweep() {
        Map<String, Duration> byQueue =
                randomness.chance(0.5) ? Map.of() : Map.of("fast", randomness.spread(1, 30_000));
        SweepRequest request = new SweepRequest(
                randomness.chance(0.2) ? Duration.ZERO : randomness.spread(100, 60_000),
                byQueue,
                randomness.spread(1_000, 60_000),
                SWEPT_AT_ONCE);
        world.network.send(this, new Call.Sweep(request), swept -> {}, thrown -> {});
    }
}
