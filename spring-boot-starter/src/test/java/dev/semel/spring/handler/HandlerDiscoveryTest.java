package dev.semel.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.TaskContext;
import dev.semel.spring.Idempotent;
import dev.semel.spring.SetUpFailure;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.TypedHandler;
import dev.semel.spring.TypedWorkflow;
import dev.semel.spring.WorkflowCode;
import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** Handlers as beans, and what is found out about them at start. */
class HandlerDiscoveryTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final TaskType<String, String> GREET = TaskType.of("greet", String.class, String.class);
    private static final TaskType<Integer, Void> COUNT = TaskType.builder("count", Integer.class, Void.class)
            .queue("numbers")
            .build();
    private static final WorkflowType<String, String> WELCOME =
            WorkflowType.of(TaskType.builder("welcome", String.class, String.class)
                    .queue("flows")
                    .build());

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory", "semel.worker.keep-alive=false");

    @Configuration(proxyBeanMethods = false)
    static class Types {

        @Bean
        TaskType<String, String> greet() {
            return GREET;
        }

        @Bean
        TaskType<Integer, Void> count() {
            return COUNT;
        }
    }

    static class Methods {

        int sum;

        @TaskHandler("greet")
        String greet(TaskContext context, CharSequence name) {
            return "hello " + name + " from " + context.queue();
        }

        @TaskHandler("count")
        void count(int number) {
            sum += number;
        }
    }

    static class Typed implements TypedHandler<String, String> {

        @Override
        public TaskType<String, String> type() {
            return GREET;
        }

        @Override
        public String handle(TaskContext context, String name) {
            return "good day " + name;
        }
    }

    @Test
    void annotatedMethodsAndTypedBeansRunTasks() {
        runner.withUserConfiguration(Types.class).withBean(Methods.class).run(context -> {
            Semel semel = context.getBean(Semel.class);
            assertThat(semel.submit(GREET, "Ada").send().result(LONG)).isEqualTo("hello Ada from default");
            semel.submit(COUNT, 3).send().result(LONG);
            assertThat(context.getBean(Methods.class).sum).isEqualTo(3);
            WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
            assertThat(worker.queues()).containsExactly("default", "numbers");
            assertThat(worker.types()).containsExactly("count", "greet");
        });
        runner.withBean(Typed.class)
                .run(context -> assertThat(context.getBean(Semel.class)
                                .submit(GREET, "Ada")
                                .send()
                                .result(LONG))
                        .isEqualTo("good day Ada"));
    }

    @Test
    void aProgramWithoutHandlersOnlySubmits() {
        runner.run(context -> {
            assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isFalse();
            assertThat(context.getBean(Semel.class).submit(GREET, "Ada").send().created())
                    .isTrue();
        });
        runner.withUserConfiguration(Types.class)
                .withBean(Methods.class)
                .withPropertyValues("semel.worker.enabled=false")
                .run(context -> assertThat(
                                context.getBean(WorkerLifecycle.class).isRunning())
                        .isFalse());
    }

    @Configuration(proxyBeanMethods = false)
    static class WorkflowTypes {

        @Bean
        WorkflowType<String, String> welcome() {
            return WELCOME;
        }
    }

    static class WorkflowMethods {

        @WorkflowCode("welcome")
        String welcome(Flow flow, String name) {
            return flow.run(GREET, name) + ", welcome " + flow.id();
        }
    }

    static class WelcomeWorkflow implements TypedWorkflow<String, String> {

        @Override
        public WorkflowType<String, String> type() {
            return WELCOME;
        }

        @Override
        public String run(Flow flow, String name) {
            return "typed: " + flow.run(GREET, name);
        }
    }

    @Test
    void annotatedMethodsAndTypedBeansRunWorkflows() {
        runner.withUserConfiguration(Types.class, WorkflowTypes.class)
                .withBean(Methods.class)
                .withBean(WorkflowMethods.class)
                .run(context -> {
                    Semel semel = context.getBean(Semel.class);
                    assertThat(semel.start(WELCOME, "w-1", "Ada").result(LONG))
                            .isEqualTo("hello Ada from default, welcome w-1");
                    WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
                    assertThat(worker.types()).containsExactly("count", "greet", "welcome");
                    assertThat(worker.queues()).containsExactly("default", "flows", "numbers");
                });
        runner.withBean(Typed.class)
                .withBean(WelcomeWorkflow.class)
                .run(context -> assertThat(context.getBean(Semel.class)
                                .start(WELCOME, "w-1", "Ada")
                                .result(LONG))
                        .isEqualTo("typed: good day Ada"));
    }

    static class UnknownWorkflow {
        @WorkflowCode("greet")
        String greet(Flow flow, String name) {
            return name;
        }
    }

    static class WithoutFlow {
        @WorkflowCode("welcome")
        String welcome(String name) {
            return name;
        }
    }

    static class WrongWorkflowInput {
        @WorkflowCode("welcome")
        String welcome(Flow flow, Integer name) {
            return "" + name;
        }
    }

    static class TransactionalWorkflow {
        @Transactional
        @WorkflowCode("welcome")
        String welcome(Flow flow, String name) {
            return name;
        }
    }

    @Test
    void aWorkflowThatDoesNotFitItsTypeStopsTheStart() {
        fails(UnknownWorkflow.class, "@WorkflowCode method", "\"greet\"", "WorkflowType", "[welcome]");
        fails(WithoutFlow.class, "1 parameters", "Flow");
        fails(WrongWorkflowInput.class, "takes \"java.lang.Integer\"", "is \"java.lang.String\"");
        fails(TransactionalWorkflow.class, "is transactional");
    }

    static class UnknownType {
        @TaskHandler("great")
        String greet(String name) {
            return name;
        }
    }

    static class WrongInput {
        @TaskHandler("greet")
        String greet(Integer name) {
            return "" + name;
        }
    }

    static class WrongOutput {
        @TaskHandler("greet")
        int greet(String name) {
            return name.length();
        }
    }

    static class NoOutput {
        @TaskHandler("greet")
        void greet(String name) {}
    }

    static class TwoInputs {
        @TaskHandler("greet")
        String greet(String first, String last) {
            return first + last;
        }
    }

    static class Private {
        @TaskHandler("greet")
        @SuppressWarnings("UnusedMethod") // found, and refused, by reflection
        private String greet(String name) {
            return name;
        }
    }

    static class GenericResult {
        @Idempotent(name = "list", key = "#p0")
        public List<String> list(String name) {
            return List.of(name);
        }
    }

    static class WrongExpression {
        @Idempotent(name = "broken", key = "#p0.(")
        public String broken(String name) {
            return name;
        }
    }

    @Test
    void aHandlerThatDoesNotFitItsTypeStopsTheStart() {
        fails(UnknownType.class, "\"great\"", "[count, greet]");
        fails(WrongInput.class, "takes \"java.lang.Integer\"", "is \"java.lang.String\"");
        fails(WrongOutput.class, "returns \"int\"", "is \"java.lang.String\"");
        fails(NoOutput.class, "returns \"void\"");
        fails(TwoInputs.class, "2 parameters", "TaskContext");
        fails(Private.class, "is private");
        fails(Typed.class, "two handlers", Methods.class.getName(), Typed.class.getName());
    }

    @Test
    void aGuardedMethodThatCannotBeGuardedStopsTheStart() {
        fails(GenericResult.class, "java.util.List<java.lang.String>", "generic");
        fails(WrongExpression.class, "WrongExpression.broken", "annotation that is not allowed");
    }

    private void fails(Class<?> bean, String... message) {
        ApplicationContextRunner started =
                runner.withUserConfiguration(Types.class, WorkflowTypes.class).withBean(bean);
        (bean == Typed.class ? started.withBean(Methods.class) : started).run(context -> {
            Throwable cause = context.getStartupFailure();
            while (cause != null && !(cause instanceof SetUpFailure)) {
                cause = cause.getCause();
            }
            assertThat(cause).as("%s", context.getStartupFailure()).isNotNull().hasMessageContainingAll(message);
        });
    }
}
