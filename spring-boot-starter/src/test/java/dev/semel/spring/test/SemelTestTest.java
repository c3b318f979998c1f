package dev.semel.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.TaskHandle;
import dev.semel.schedule.Schedule;
import dev.semel.spring.TaskHandler;
import dev.semel.spring.WorkflowCode;
import dev.semel.task.TaskType;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** A test with {@link SemelTest}, as an application would write it. */
@SpringJUnitConfig
@SemelTest
@TestPropertySource(properties = "semel.worker.keep-alive=false")
@Timeout(120)
class SemelTestTest {

    private static final WorkflowType<String, String> TRIAL = WorkflowType.of("trial", String.class, String.class);
    private static final TaskType<String, String> REMIND = TaskType.of("remind", String.class, String.class);

    @Configuration(proxyBeanMethods = false)
    static class Reminders {

        final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<String> started = new LinkedBlockingQueue<>();

        @Bean
        TaskType<String, String> remind() {
            return REMIND;
        }

        @Bean
        Schedule daily() {
            return Schedule.cron("daily", "0 8 * * *", ZoneOffset.UTC)
                    .task(REMIND, "everybody")
                    .build();
        }

        @Bean
        WorkflowType<String, String> trial() {
            return TRIAL;
        }

        @Bean
        Schedule monthly() {
            return Schedule.cron("monthly", "0 0 1 * *", ZoneOffset.UTC)
                    .workflow(TRIAL, "all trials")
                    .build();
        }

        @WorkflowCode("trial")
        String trial(Flow flow, String whom) {
            started.add(whom); // in each turn again: a test may look, a workflow must not depend on it
            Instant began = flow.now();
            flow.sleep(Duration.ofDays(30));
            String reminded = flow.run(REMIND, whom);
            boolean paid =
                    flow.signal("paid", Boolean.class, Duration.ofDays(14)).orElse(false);
            return reminded + (paid ? ", paid" : ", not paid") + " after "
                    + Duration.between(began, flow.now()).toDays() + " days";
        }

        @TaskHandler("remind")
        String remind(String whom) {
            sent.add(whom);
            return "reminded " + whom;
        }
    }

    @Autowired
    Semel semel;

    @Autowired
    TestClock clock;

    @Autowired
    Reminders reminders;

    @BeforeEach
    void pause() {
        semel.schedules().pause("daily", "it has a test of its own");
        semel.schedules().pause("monthly", "it has a test of its own");
        reminders.sent.clear();
    }

    @Test
    void aTaskOfNextWeekRunsWhenTheTestSaysSo() throws Exception {
        TaskHandle<String> later =
                semel.submit(REMIND, "Ada").delay(Duration.ofDays(7)).send().handle();
        assertThat(semel.submit(REMIND, "Bob").send().result(Duration.ofSeconds(60)))
                .isEqualTo("reminded Bob");
        assertThat(reminders.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("Bob");
        clock.advance(Duration.ofDays(6));
        assertThat(semel.submit(REMIND, "Cy").send().result(Duration.ofSeconds(60)))
                .isEqualTo("reminded Cy");
        assertThat(reminders.sent).containsExactly("Cy");
        clock.advance(Duration.ofDays(1));
        assertThat(later.result(Duration.ofSeconds(60))).isEqualTo("reminded Ada");
    }

    @Test
    void aWorkflowOfSixWeeksRunsWhenTheTestSaysSo() throws Exception {
        TaskHandle<String> trial = semel.start(TRIAL, "trial-1", "Eve").handle();
        clock.advanceWhenIdle(Duration.ofDays(30));
        assertThat(reminders.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("Eve");
        clock.advanceWhenIdle(Duration.ofDays(14));
        assertThat(trial.result(Duration.ofSeconds(60))).isEqualTo("reminded Eve, not paid after 44 days");
    }

    @Test
    void aScheduleStartsAWorkflowWhenTheTestSaysSo() throws Exception {
        semel.schedules().resume("monthly");
        Instant tick = semel.schedules().next("monthly", 1).getFirst();
        clock.advance(Duration.between(clock.now(), tick));
        String started = reminders.started.poll(60, TimeUnit.SECONDS);
        while (started != null && !started.equals("all trials")) {
            started = reminders.started.poll(60, TimeUnit.SECONDS);
        }
        assertThat(semel.workflows().handle(TRIAL, "monthly@" + tick).state().isOpen())
                .isTrue();
        semel.workflows().terminate(TRIAL, "monthly@" + tick);
    }

    @Test
    void aScheduleTicksWhenTheTestSaysSo() throws Exception {
        semel.schedules().resume("daily");
        clock.advance(Duration.ofDays(1));
        assertThat(reminders.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("everybody");
        assertThat(semel.schedules().get("daily").state().last()).isNotNull();
    }
}
