package dev.semel.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.spring.TypedHandler;
import dev.semel.spring.WorkerCustomizer;
import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.Task;
import dev.semel.store.TaskStore;
import dev.semel.task.TaskId;
import dev.semel.task.TaskState;
import dev.semel.task.TaskType;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/** When the worker starts and ends. */
@Timeout(120)
class WorkerLifecycleTest {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    // Kept open by the test, so that it can look into it after the application has ended.
    private final TaskStore store = new InMemoryTaskStore();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withBean(TaskStore.class, () -> new KeptOpen(store));

    private static final class KeptOpen extends ForwardingTaskStore {

        KeptOpen(TaskStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }

    private static final class Slow implements TypedHandler<String, String> {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public TaskType<String, String> type() {
            return WORK;
        }

        @Override
        public String handle(TaskContext context, String input) throws Exception {
            begun.countDown();
            assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
            return "done";
        }
    }

    @Test
    void aHandlerThatRunsMayEndBeforeTheStoreIsClosed() throws Exception {
        Slow slow = new Slow();
        TaskId[] id = new TaskId[1];
        runner.withBean(Slow.class, () -> slow).run(context -> {
            id[0] = context.getBean(Semel.class).submit(WORK, "x").send().taskId();
            assertThat(slow.begun.await(60, TimeUnit.SECONDS)).isTrue();
            // The first event of an application that is being closed, before its lifecycles end.
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .addApplicationListener(event -> slow.mayEnd.countDown());
        });
        Task task = store.find(List.of(id[0])).get(id[0]);
        assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    }

    @Test
    void aHandlerThatDoesNotEndIsInterruptedAndItsTaskReturned() throws Exception {
        Slow slow = new Slow();
        TaskId[] id = new TaskId[1];
        runner.withBean(Slow.class, () -> slow)
                .withPropertyValues("semel.worker.close-grace=10ms")
                .run(context -> {
                    id[0] = context.getBean(Semel.class)
                            .submit(WORK, "x")
                            .send()
                            .taskId();
                    assertThat(slow.begun.await(60, TimeUnit.SECONDS)).isTrue();
                });
        Task task = store.find(List.of(id[0])).get(id[0]);
        assertThat(task.state()).isEqualTo(TaskState.PENDING);
        assertThat(task.progress().failures()).isZero();
    }

    @Test
    void theWorkerEndsAfterTheWebServerAndCanBeStartedAgain() {
        runner.withBean(Slow.class, Slow::new)
                .withBean(WorkerCustomizer.class, () -> builder -> builder.name("customized"))
                .withPropertyValues("semel.worker.name=configured")
                .run(context -> {
                    WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
                    // Boot's web server is stopped in the phase DEFAULT_PHASE - 2048; a lower phase stops later.
                    assertThat(worker.getPhase()).isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048);
                    assertThat(worker.worker()).isEqualTo("customized");
                    ConfigurableApplicationContext application =
                            context.getSourceApplicationContext(ConfigurableApplicationContext.class);
                    application.stop();
                    assertThat(worker.worker()).isNull();
                    application.start();
                    assertThat(worker.isRunning()).isTrue();
                });
    }

    @Test
    void aRunningWorkerKeepsTheProgramRunningUnlessThatIsSwitchedOff() {
        runner.withBean(Slow.class, Slow::new)
                .run(context -> assertThat(keepAliveThreads()).isOne());
        runner.withBean(Slow.class, Slow::new)
                .withPropertyValues("semel.worker.keep-alive=false")
                .run(context -> assertThat(
                                context.getBean(WorkerLifecycle.class).isRunning())
                        .isTrue());
    }

    private static long keepAliveThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("semel-keep-alive") && !thread.isDaemon())
                .count();
    }
}
