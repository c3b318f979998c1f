package dev.semel.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.metrics.MicrometerChecks;
import dev.semel.spring.TypedHandler;
import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import dev.semel.store.ForwardingTaskStore;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.store.QueueSetUp;
import dev.semel.store.TaskStore;
import dev.semel.task.StoreUnavailable;
import dev.semel.task.TaskType;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What the actuator shows. The health indicator is called by reflection: it is another interface in each Boot. */
class ActuatorTest {

    private static final TaskType<String, String> WORK = TaskType.of("work", String.class, String.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.worker.keep-alive=false");

    private static final class Worked implements TypedHandler<String, String> {

        @Override
        public TaskType<String, String> type() {
            return WORK;
        }

        @Override
        public String handle(TaskContext context, String input) {
            return input;
        }
    }

    private static String health(ApplicationContext context) throws Exception {
        Object indicator = context.getBean("semelHealthIndicator");
        return indicator.getClass().getMethod("health").invoke(indicator).toString();
    }

    @Test
    void theHealthNamesTheWorkerAndIsDownIfTheStoreDoesNotAnswer() {
        runner.withPropertyValues("semel.store=memory", "semel.worker.name=w-1")
                .withBean(Worked.class)
                .run(context -> assertThat(health(context))
                        .contains("UP")
                        .contains("w-1")
                        .contains("[work]"));
        runner.withBean(TaskStore.class, Silent::new)
                .run(context -> assertThat(health(context)).contains("DOWN").contains("no answer"));
        runner.withPropertyValues("semel.store=memory", "management.health.semel.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("semelHealthIndicator"));
    }

    @Test
    void theEndpointShowsWorkerAndQueues() {
        runner.withPropertyValues("semel.store=memory").withBean(Worked.class).run(context -> {
            Semel semel = context.getBean(Semel.class);
            semel.submit(WORK, "later").delay(Duration.ofHours(1)).send();
            SemelEndpoint.Overview overview =
                    context.getBean(SemelEndpoint.class).overview();
            assertThat(overview.worker()).isNotNull();
            assertThat(overview.types()).containsExactly("work");
            assertThat(overview.queues().get("default").delayed()).isOne();
        });
    }

    @Test
    void checksAreCountedIfThereIsARegistry() {
        runner.withPropertyValues("semel.store=memory")
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    Semel semel = context.getBean(Semel.class);
                    semel.submit(WORK, "x").idempotencyKey("k").send();
                    semel.submit(WORK, "x").idempotencyKey("k").send();
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.get(MicrometerChecks.COUNTER)
                                    .tag("result", "duplicate")
                                    .counter()
                                    .count())
                            .isOne();
                });
    }

    private static final class Silent extends ForwardingTaskStore {

        Silent() {
            super(new InMemoryTaskStore());
        }

        @Override
        public Map<String, QueueSetUp> queues() {
            throw new StoreUnavailable("no answer");
        }
    }
}
