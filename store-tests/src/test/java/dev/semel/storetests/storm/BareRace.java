package dev.semel.storetests.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Settled;
import dev.semel.store.Settlement;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.store.Submitted.ExistingTask;
import dev.semel.store.Task;
import dev.semel.task.TaskId;
import dev.semel.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Stores that are wrong about a queue with a retention of zero. */
abstract class BareRace extends RacingStore.SettlesOneByOne {

    BareRace(ManualClock clock) {
        super(new InMemoryTaskStore(clock));
    }

    final boolean isBare(@Nullable Task task) {
        return task != null && !task.state().isOpen() && task.dataGone();
    }

    final @Nullable Task find(TaskId id) {
        return right.find(List.of(id)).get(id);
    }

    /** Deletes the result in a step of its own: a duplicate in between still gets it. */
    static final class StripsLater extends BareRace {

        private final Map<TaskId, String> results = new ConcurrentHashMap<>();

        StripsLater(ManualClock clock) {
            super(clock);
        }

        @Override
        Settled settle(Settlement settlement) {
            if (!(settlement instanceof Settlement.Complete complete) || complete.result() == null) {
                return rightly(settlement);
            }
            results.put(complete.lease().taskId(), complete.result());
            Settled answer = rightly(complete);
            window();
            window();
            window();
            results.remove(complete.lease().taskId());
            return answer;
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            List<Submitted> answers = new ArrayList<>();
            for (Submitted answer : right.submit(batch)) {
                answers.add(
                        answer instanceof Submitted.Returned(ExistingTask existing, boolean differs)
                                        && existing.dataGone()
                                        && results.containsKey(existing.taskId())
                                ? new Submitted.Returned(withResult(existing), differs)
                                : answer);
            }
            return answers;
        }

        private ExistingTask withResult(ExistingTask existing) {
            return new ExistingTask(
                    existing.taskId(),
                    existing.type(),
                    existing.run(),
                    existing.state(),
                    existing.inputHash(),
                    existing.createdAt(),
                    existing.finishedAt(),
                    false,
                    existing.input(),
                    results.get(existing.taskId()));
        }
    }

    /** Forgets with its data how a task ended: the same end sent again is stale. */
    static final class ForgetsEnd extends BareRace {

        ForgetsEnd(ManualClock clock) {
            super(clock);
        }

        @Override
        Settled settle(Settlement settlement) {
            return settlement instanceof Settlement.Ending
                            && isBare(find(settlement.lease().taskId()))
                    ? Settled.STALE
                    : rightly(settlement);
        }
    }
}
