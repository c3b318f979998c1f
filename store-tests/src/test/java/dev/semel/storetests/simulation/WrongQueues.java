package dev.semel.storetests.simulation;

import dev.semel.store.DeadLetter;
import dev.semel.store.NewTask;
import dev.semel.store.Operated;
import dev.semel.store.Operation;
import dev.semel.store.Page;
import dev.semel.store.QueueSettings;
import dev.semel.store.Submitted;
import dev.semel.store.TaskOptions;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import java.util.List;
import java.util.function.UnaryOperator;

/** The planted bugs that concern queues. */
final class WrongQueues {

    private WrongQueues() {}

    /** The settings, less those that are not kept. */
    static QueueSettings with(QueueSettings said, boolean pause, boolean concurrency, boolean rate, boolean retention) {
        return new QueueSettings(
                pause ? said.paused() : null,
                rate ? said.rateLimit() : null,
                concurrency ? said.concurrency() : null,
                retention ? said.retention() : null,
                said.idempotencyTtl(),
                said.reuse(),
                said.deadLetterQueue());
    }

    static final class MutexIgnored extends WrongStore.Resubmitting {

        MutexIgnored(TaskStore right) {
            super(right);
        }

        @Override
        Submitted submit(NewTask item) {
            TaskOptions options = item.options();
            return rightly(new NewTask(
                    item.id(),
                    item.tenant(),
                    item.queue(),
                    item.type(),
                    item.input(),
                    item.start(),
                    new TaskOptions(options.priority(), options.retry(), options.timeout()),
                    item.key()));
        }
    }

    static final class SettingIgnored extends WrongStore {

        private final UnaryOperator<QueueSettings> kept;

        SettingIgnored(TaskStore right, UnaryOperator<QueueSettings> kept) {
            super(right);
            this.kept = kept;
        }

        @Override
        public List<Operated> operate(List<? extends Operation> batch) {
            return right.operate(batch.stream().map(this::cut).toList());
        }

        private Operation cut(Operation operation) {
            return switch (operation) {
                case Operation.SetQueue set -> new Operation.SetQueue(set.queue(), kept.apply(set.changes()));
                case Operation.DeclareQueue declare ->
                    new Operation.DeclareQueue(declare.queue(), kept.apply(declare.settings()));
                default -> operation;
            };
        }
    }

    static final class LetterLost extends WrongStore {

        LetterLost(TaskStore right) {
            super(right);
        }

        @Override
        public Page list(TaskQuery query) {
            Page page = right.list(query);
            return new Page(
                    page.tasks().stream()
                            .filter(task -> !task.type().equals(DeadLetter.TYPE)
                                    || task.id().value().getLeastSignificantBits() % 3 != 0)
                            .toList(),
                    page.next());
        }
    }
}
