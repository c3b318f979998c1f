package dev.semel.examples.shop;

import dev.semel.schedule.Schedule;
import dev.semel.spring.TaskHandler;
import dev.semel.task.TaskType;
import java.time.ZoneId;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Work that recurs: every morning the orders are counted. */
// snippet: schedule
@Configuration(proxyBeanMethods = false)
class Summaries {

    record Day(String date) {}

    record Summary(String date, int orders) {}

    static final TaskType<Day, Summary> COUNT = TaskType.of("count_orders", Day.class, Summary.class);

    @Bean
    TaskType<Day, Summary> countOrders() {
        return COUNT;
    }

    @Bean
    Schedule everyMorning() {
        return Schedule.cron("every-morning", "0 6 * * *", ZoneId.of("Europe/Berlin"))
                .template(COUNT, "{\"date\":\"${tick.date}\"}")
                .build();
    }

    private final JdbcTemplate jdbc;

    Summaries(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @TaskHandler("count_orders")
    Summary count(Day day) {
        Integer orders = jdbc.queryForObject("SELECT count(*) FROM orders", Integer.class);
        return new Summary(day.date(), orders == null ? 0 : orders);
    }
}
// end
