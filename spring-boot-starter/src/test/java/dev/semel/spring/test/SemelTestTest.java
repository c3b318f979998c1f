package dev.semel.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.TaskHandle;
import dev.semel.schedule.Schedule;
import dev.semel.spring.TaskHandler;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

    private static final TaskType<String, String> REMIND = TaskType.of("remind", String.class, String.class);

    @Configuration(proxyBeanMethods = false)
    static class Reminders {

        final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();

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

    @Test
    void aTaskOfNextWeekRunsWhenTheTestSaysSo() throws Exception {
        TaskHandle<String> later =
                semel.submit(REMIND, "Ada").delay(Duration.ofDays(7)).send().handle();
        assertThat(semel.submit(REMIND, "Bob").send().result(Duration.ofSeconds(60)))
                .isEqualTo("reminded Bob");
        assertThat(reminders.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("Bob");
        semel.schedules().pause("daily", "it has a test of its own");
        clock.advance(Duration.ofDays(6));
        assertThat(semel.submit(REMIND, "Cy").send().result(Duration.ofSeconds(60)))
                .isEqualTo("reminded Cy");
        assertThat(reminders.sent).containsExactly("Cy");
        clock.advance(Duration.ofDays(1));
        assertThat(later.result(Duration.ofSeconds(60))).isEqualTo("reminded Ada");
    }

    @Test
    void aScheduleTicksWhenTheTestSaysSo() throws Exception {
        semel.schedules().resume("daily");
        clock.advance(Duration.ofDays(1));
        assertThat(reminders.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("everybody");
        assertThat(semel.schedules().get("daily").state().last()).isNotNull();
    }
}
