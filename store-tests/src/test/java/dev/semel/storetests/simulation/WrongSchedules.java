package dev.semel.storetests.simulation;

import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.ScheduleRecord;
import dev.semel.store.TaskStore;
import java.util.List;

/** The planted bugs that concern schedules. */
final class WrongSchedules {

    private WrongSchedules() {}

    /** Whoever changes a schedule is taken for one who has read it last. */
    static final class VersionIgnored extends WrongStore {

        VersionIgnored(TaskStore right) {
            super(right);
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            return batch.stream()
                    .map(operation ->
                            operation instanceof Operation.ChangeSchedule change ? current(change) : operation)
                    .map(operation -> right.operate(List.of(operation)).getFirst())
                    .toList();
        }

        private Operation current(Operation.ChangeSchedule change) {
            ScheduleRecord stored = right.schedules(List.of(change.id())).get(change.id());
            return new Operation.ChangeSchedule(
                    change.id(),
                    stored == null ? null : stored.version(),
                    change.next(),
                    change.notBefore(),
                    change.create(),
                    change.cancel());
        }
    }
}
