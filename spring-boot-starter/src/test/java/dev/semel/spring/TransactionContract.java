package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Semel;
import dev.semel.Submission;
import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import dev.semel.store.TaskQuery;
import dev.semel.store.TaskStore;
import dev.semel.task.InvalidInput;
import dev.semel.workflow.WorkflowNotFound;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Submissions and guarded calls in transactions of Spring, on one database. The worker polls once an hour, so a task that
 * starts was announced by the commit.
 */
@Timeout(300)
abstract class TransactionContract {

    private static final Duration LONG = Duration.ofSeconds(60);

    private ConfigurableApplicationContext context;
    private Semel semel;
    private Shop.Orders orders;
    private Shop.Packing packing;
    private TransactionTemplate transaction;

    /** Returns the JDBC URL of an empty database. */
    abstract String freshDatabase();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SemelAutoConfiguration.class)
    static class Semels {}

    @BeforeEach
    void start() {
        start(freshDatabase());
    }

    private void start(String url, String... settings) {
        context = new SpringApplicationBuilder(Shop.class, Semels.class)
                .web(WebApplicationType.NONE)
                .properties("url=" + url, "semel.worker.poll=1h", "semel.worker.keep-alive=false")
                .properties(settings)
                .run();
        semel = context.getBean(Semel.class);
        orders = context.getBean(Shop.Orders.class);
        packing = context.getBean(Shop.Packing.class);
        transaction = context.getBean(TransactionTemplate.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void aWorkflowStartsWhenItsTransactionCommitsAndNeverIfItRollsBack() throws Exception {
        assertThatThrownBy(() -> orders.process("lost", true)).isInstanceOf(IllegalStateException.class);
        orders.process("kept", false);
        assertThat(packing.next()).isEqualTo("kept");
        assertThat(semel.workflows().handle(Shop.PROCESS, "process-kept").result(LONG))
                .isEqualTo("packed kept in attempt 1 by workflow process-kept");
        assertThatThrownBy(() -> semel.workflows().handle(Shop.PROCESS, "process-lost"))
                .isInstanceOf(WorkflowNotFound.class);
        assertThat(orders.all()).containsExactly("kept");
    }

    @Test
    void aTaskStartsWhenItsTransactionCommits() throws Exception {
        Submission<String> packed = orders.place("A");
        assertThat(packing.next()).isEqualTo("A");
        assertThat(packed.result(LONG)).isEqualTo("packed A in attempt 1");
        // A transaction in the program, with several submissions.
        transaction.executeWithoutResult(status -> {
            orders.submit("B");
            semel.submitAll(List.of(semel.submit(Shop.PACK, new Shop.Order("C"))));
        });
        assertThat(List.of(packing.next(), packing.next())).containsExactlyInAnyOrder("B", "C");
    }

    @Test
    void aTransactionThatRollsBackLeavesNoTask() throws Exception {
        assertThatThrownBy(() -> orders.placeAndFail("A")).hasMessage("no stock");
        transaction.executeWithoutResult(status -> {
            orders.submit("B");
            status.setRollbackOnly();
        });
        assertThat(orders.all()).isEmpty();
        assertThat(tasks()).isZero();
        // The key is free again.
        assertThat(orders.place("A").created()).isTrue();
        assertThat(packing.next()).isEqualTo("A");
    }

    @Test
    void aSubmissionWithoutATransactionStandsOnItsOwn() throws Exception {
        assertThat(orders.submit("A").result(LONG)).isEqualTo("packed A in attempt 1");
        assertThat(orders.submit("A").created()).isFalse();
    }

    @Test
    void anInnerTransactionAndASavepointKeepTheirOwnSubmissions() throws Exception {
        TransactionTemplate inner = new TransactionTemplate(manager());
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transaction.executeWithoutResult(status -> {
            if (concurrentWriters()) {
                orders.submit("lost");
            }
            inner.executeWithoutResult(own -> orders.submit("inner"));
            orders.submit("lost as well");
            status.setRollbackOnly();
        });
        assertThat(packing.next()).isEqualTo("inner");
        TransactionTemplate nested = new TransactionTemplate(manager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transaction.executeWithoutResult(status -> {
            nested.executeWithoutResult(part -> {
                orders.submit("undone");
                part.setRollbackOnly();
            });
            orders.submit("kept");
        });
        assertThat(packing.next()).isEqualTo("kept");
        assertThat(tasks()).isEqualTo(2);
    }

    /** Whether two transactions can write at the same time. */
    boolean concurrentWriters() {
        return true;
    }

    @Test
    void aSubmissionInACallbackAfterTheCommitStandsOnItsOwn() throws Exception {
        transaction.executeWithoutResult(status -> {
            orders.submit("inside");
            after(committed -> orders.submit("after the commit"));
        });
        assertThat(List.of(packing.next(), packing.next())).containsExactlyInAnyOrder("inside", "after the commit");
        transaction.executeWithoutResult(status -> {
            after(committed -> orders.submit("after the rollback"));
            status.setRollbackOnly();
        });
        assertThat(packing.next()).isEqualTo("after the rollback");
    }

    private static void after(Consumer<Boolean> callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                callback.accept(status == STATUS_COMMITTED);
            }
        });
    }

    @Test
    void aTransactionThatTheStoreCannotJoinRejectsTheSubmission() {
        TransactionTemplate other = new TransactionTemplate(new OtherManager());
        assertThatThrownBy(() -> other.executeWithoutResult(status -> orders.submit("A")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("semel.join=never");
        // The same if JDBC was used in it before: that connection commits each statement by itself.
        assertThatThrownBy(() -> other.executeWithoutResult(status -> {
                    assertThat(orders.all()).isEmpty();
                    orders.submit("A");
                }))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("semel.join=never");
        TransactionTemplate reading = new TransactionTemplate(manager());
        reading.setReadOnly(true);
        assertThatThrownBy(() -> reading.executeWithoutResult(status -> orders.submit("A")))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("read-only");
        assertThat(tasks()).isZero();
    }

    @Test
    void withJoinNeverASubmissionIsSentAtOnce() throws Exception {
        context.close();
        start(freshDatabase(), "semel.join=never");
        transaction.executeWithoutResult(status -> {
            orders.submit("A");
            status.setRollbackOnly();
        });
        assertThat(packing.next()).isEqualTo("A");
    }

    @Test
    void aGuardedMethodRunsOnceAndItsRecordCommitsWithItsWrites() {
        assertThatThrownBy(() -> orders.bill("A", true)).hasMessage("no paper");
        assertThat(orders.all()).isEmpty();
        assertThat(orders.bill("A", false)).isEqualTo("bill 1");
        assertThat(orders.bill("A", false)).isEqualTo("bill 1");
        assertThat(orders.bill("B", false)).isEqualTo("bill 2");
        assertThat(orders.all()).containsExactly("bill-A", "bill-B");
        // The record is part of the caller's transaction.
        transaction.executeWithoutResult(status -> {
            assertThat(orders.bill("C", false)).isEqualTo("bill 3");
            status.setRollbackOnly();
        });
        assertThat(orders.bill("C", false)).isEqualTo("bill 4");
    }

    @Test
    void aGuardedMethodWithoutATransactionRunsOnce() {
        orders.greet("Ada");
        orders.greet("Ada");
        assertThat(orders.bills()).isOne();
        assertThatThrownBy(() -> orders.greet(""))
                .isInstanceOf(InvalidInput.class)
                .hasMessageContaining("is empty");
    }

    private AbstractPlatformTransactionManager manager() {
        return context.getBean(AbstractPlatformTransactionManager.class);
    }

    private int tasks() {
        return context.getBean(TaskStore.class).list(TaskQuery.all(100)).tasks().size();
    }

    /** A transaction manager of something that is not the database. */
    private static final class OtherManager extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new DefaultTransactionDefinition();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            // nothing to begin
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            // nothing to commit
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            // nothing to roll back
        }
    }
}
