package dev.semel.storetests.storm;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.TaskStore;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores that are wrong about schedules. */
final class ScheduleRace {

    private ScheduleRace() {}

    /** Compares the version of a schedule outside the lock, and then writes whatever version is stored. */
    static final class ComparesUnlocked extends RacingStore.OperatesOneByOne {

        ComparesUnlocked(TaskStore right) {
            super(right);
        }

        @Override
        Operated operate(Operation operation) {
            if (!(operation instanceof Operation.ChangeSchedule change)) {
                return rightly(operation);
            }
            if (!Objects.equals(version(change), change.expected())) {
                return rightly(change);
            }
            window();
            Operated answer = Operated.STALE;
            for (int tries = 0; tries < 10 && answer == Operated.STALE; tries++) {
                answer = rightly(new Operation.ChangeSchedule(
                        change.id(),
                        version(change),
                        change.next(),
                        change.notBefore(),
                        change.create(),
                        change.cancel()));
            }
            return answer;
        }

        private @Nullable UUID version(Operation.ChangeSchedule change) {
            ScheduleRecord stored = right.schedules(List.of(change.id())).get(change.id());
            return stored == null ? null : stored.version();
        }
    }

    /** Creates the task of a tick in a step of its own, before it compares the version. */
    static final class CreatesFirst extends RacingStore.OperatesOneByOne {

        CreatesFirst(TaskStore right) {
            super(right);
        }

        @Override
        Operated operate(Operation operation) {
            if (operation instanceof Operation.ChangeSchedule change
                    && !change.create().isEmpty()) {
                right.submit(change.create());
                return rightly(new Operation.ChangeSchedule(
                        change.id(), change.expected(), change.next(), change.notBefore(), List.of(), change.cancel()));
            }
            return rightly(operation);
        }
    }
}
