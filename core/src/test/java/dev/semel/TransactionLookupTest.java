package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Joining;
import dev.semel.store.NewTask;
import dev.semel.store.Submitted;
import dev.semel.task.InvalidInput;
import dev.semel.task.TaskType;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Submissions that join the transaction of the calling thread by themselves. */
class TransactionLookupTest {

    private static final TaskType<String, String> GREET = TaskType.of("greet", String.class, String.class);

    private final List<NewTask> joined = new ArrayList<>();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicReference<Optional<JoinedSemel>> open = new AtomicReference<>(Optional.empty());

    @Test
    void aSubmissionJoinsTheTransactionThatIsOpenWhenItIsSent() {
        try (Semel semel = Semel.on(new JoinableStore())
                .transactions(instance -> open.get())
                .build()) {
            SubmissionRequest<String, String> request = semel.submit(GREET, "prepared before");
            JoinedSemel transaction = semel.joining(connection());
            open.set(Optional.of(transaction));
            assertThat(request.send().created()).isTrue();
            assertThat(semel.submitAll(List.of(semel.submit(GREET, "one of many"))))
                    .hasSize(1);
            assertThat(joined).extracting(NewTask::input).containsExactly("\"prepared before\"", "\"one of many\"");

            open.set(Optional.empty());
            transaction.committed();
            semel.submit(GREET, "alone").send();
            assertThat(joined).hasSize(2);
            assertThat(commits).hasValue(1);
        }
    }

    @Test
    void aTransactionThatCannotBeJoinedRejectsTheSubmission() {
        try (Semel semel = Semel.on(new InMemoryTaskStore())
                .transactions(instance -> Optional.of(instance.joining(connection())))
                .build()) {
            assertThatThrownBy(() -> semel.submit(GREET, "world").send())
                    .isInstanceOf(InvalidInput.class)
                    .hasMessageContaining("cannot join");
        }
    }

    private static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, given) -> null);
    }

    private final class JoinableStore extends ForwardingTaskStore {

        JoinableStore() {
            super(new InMemoryTaskStore());
        }

        @Override
        public Optional<Joining> joining() {
            return Optional.of(connection -> new Joining.Joined() {
                @Override
                public List<Submitted> submit(List<NewTask> batch) {
                    joined.addAll(batch);
                    return JoinableStore.this.submit(batch);
                }

                @Override
                public void committed() {
                    commits.incrementAndGet();
                }
            });
        }
    }
}
