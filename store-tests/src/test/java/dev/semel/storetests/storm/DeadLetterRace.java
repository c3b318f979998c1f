package dev.semel.storetests.storm;

import dev.semel.store.DeadLetter;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.QueueSettings;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.Task;
import dev.semel.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Stores that forward dead letters in a step of their own, after the death. */
abstract class DeadLetterRace extends RacingStore.SettlesOneByOne {

    private final Map<String, String> queues = new ConcurrentHashMap<>();
    private final ManualClock clock;

    DeadLetterRace(ManualClock clock) {
        super(new InMemoryTaskStore(clock));
        this.clock = clock;
    }

    /** The right store does not know of dead-letter queues. */
    @Override
    public List<Operated> operate(List<? extends Operation> batch) {
        List<Operation> without = new ArrayList<>();
        for (Operation operation : batch) {
            if (operation instanceof Operation.DeclareQueue(String queue, QueueSettings settings)
                    && settings.deadLettersTo() != null) {
                queues.put(queue, settings.deadLettersTo());
                without.add(new Operation.DeclareQueue(queue, without(settings)));
            } else {
                without.add(operation);
            }
        }
        return right.operate(without);
    }

    private static QueueSettings without(QueueSettings settings) {
        return new QueueSettings(
                settings.paused(),
                settings.rateLimit(),
                settings.concurrency(),
                settings.retention(),
                settings.idempotencyTtl(),
                settings.reuse(),
                null);
    }

    final @Nullable Task find(Settlement settlement) {
        return right.find(List.of(settlement.lease().taskId()))
                .get(settlement.lease().taskId());
    }

    final void forward(Task dead) {
        String queue = queues.get(dead.queue());
        if (queue != null) {
            right.submit(List.of(DeadLetter.of(dead, queue, Instant.ofEpochMilli(clock.millis()))));
        }
    }

    /** Forwards after the death, and not at all if another settlement is under way by then. */
    static final class ForwardsLater extends DeadLetterRace {

        private final AtomicInteger underWay = new AtomicInteger();

        ForwardsLater(ManualClock clock) {
            super(clock);
        }

        @Override
        Settled settle(Settlement settlement) {
            underWay.incrementAndGet();
            try {
                Task before = find(settlement);
                Settled answer = rightly(settlement);
                window();
                Task task = find(settlement);
                boolean died = before != null
                        && before.state().isOpen()
                        && task != null
                        && task.state().isDead();
                if (died && underWay.get() == 1) {
                    forward(task);
                }
                return answer;
            } finally {
                underWay.decrementAndGet();
            }
        }
    }

    /** Forwards the task as it is when an attempt reports its death, also if that attempt is over. */
    static final class ForwardsStale extends DeadLetterRace {

        ForwardsStale(ManualClock clock) {
            super(clock);
        }

        @Override
        Settled settle(Settlement settlement) {
            Settled answer = rightly(settlement);
            Task task = find(settlement);
            boolean reported = answer == Settled.APPLIED || answer == Settled.STALE;
            if (settlement instanceof Settlement.Fail && reported && task != null && !task.dataGone()) {
                forward(task);
            }
            return answer;
        }
    }

    /** Forwards whatever failed, also a task that was asked to cancel and has ended as cancelled. */
    static final class ForwardsCancelled extends DeadLetterRace {

        ForwardsCancelled(ManualClock clock) {
            super(clock);
        }

        @Override
        Settled settle(Settlement settlement) {
            Task before = find(settlement);
            Settled answer = rightly(settlement);
            Task task = find(settlement);
            boolean failed = settlement instanceof Settlement.Fail
                    && answer == Settled.APPLIED
                    && before != null
                    && before.state().isOpen()
                    && task != null
                    && task.progress().attempt() == settlement.lease().attempt();
            if (failed) {
                forward(task);
            }
            return answer;
        }
    }
}
