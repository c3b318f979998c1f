package dev.semel.storetests.storm;

import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.KeyRecord;
import dev.semel.store.NewTask;
import dev.semel.store.SubmitRequest;
import dev.semel.store.Submitted;
import dev.semel.task.Identity;
import dev.semel.task.TaskState;
import dev.semel.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores that guess from the large batch before whether the next one has duplicates, and rely on their guess. */
final class BulkRace {

    private static final int LARGE = 100;

    private BulkRace() {}

    private static boolean isHeld(Optional<KeyRecord> record) {
        return record.filter(found -> found.state().isOpen() || !found.windowPassed())
                .isPresent();
    }

    private static @Nullable Identity identity(SubmitRequest request) {
        return request instanceof NewTask item && item.key() != null
                ? item.key().identity()
                : null;
    }

    /** Creates without a look where it expects no duplicates. */
    static final class NeverLooks extends SplitStore {

        private volatile boolean lastHadDuplicates;

        NeverLooks(ManualClock clock) {
            super(clock);
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            if (batch.size() < LARGE) {
                return super.submit(batch);
            }
            boolean duplicates = false;
            for (SubmitRequest request : batch) {
                Identity identity = identity(request);
                if (identity != null && isHeld(right.record(now(identity)))) {
                    duplicates = true;
                    if (!lastHadDuplicates) {
                        lose(identity);
                    }
                }
            }
            lastHadDuplicates = duplicates;
            return super.submit(batch);
        }
    }

    /** Rolls back what it created when the guess was wrong, and answers it as created nevertheless. */
    static final class LosesNeighbours extends RacingStore {

        private final ManualClock clock;

        LosesNeighbours(ManualClock clock) {
            super(new InMemoryTaskStore(clock));
            this.clock = clock;
        }

        @Override
        public List<Submitted> submit(List<? extends SubmitRequest> batch) {
            if (batch.size() < LARGE) {
                return right.submit(batch);
            }
            Map<Integer, SubmitRequest> duplicates = new HashMap<>();
            for (int i = 0; i < batch.size(); i++) {
                Identity identity = identity(batch.get(i));
                if (identity != null && isHeld(right.record(identity))) {
                    duplicates.put(i, batch.get(i));
                }
            }
            if (duplicates.isEmpty() || duplicates.size() == batch.size()) {
                return right.submit(batch);
            }
            List<Submitted> answers = new ArrayList<>();
            for (int i = 0; i < batch.size(); i++) {
                SubmitRequest request = batch.get(i);
                answers.add(
                        duplicates.containsKey(i) || !(request instanceof NewTask item)
                                ? right.submit(List.of(request)).getFirst()
                                : new Submitted.Created(
                                        item.id(), 1, TaskState.PENDING, Instant.ofEpochMilli(clock.millis())));
            }
            return answers;
        }
    }
}
