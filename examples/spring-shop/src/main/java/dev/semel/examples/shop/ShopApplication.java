package dev.semel.examples.shop;

import dev.semel.task.RetryPolicy;
import dev.semel.task.TaskType;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** The shop of docs/how-to/spring-boot.md. */
@SpringBootApplication
public class ShopApplication {

    // snippet: type
    record Charge(String order, long cents) {}

    record Receipt(String payment) {}

    static final TaskType<Charge, Receipt> CHARGE = TaskType.builder("charge_order", Charge.class, Receipt.class)
            .queue("payments")
            .retry(RetryPolicy.attempts(5))
            .build();

    @Bean
    TaskType<Charge, Receipt> charge() {
        return CHARGE;
    }
    // end

    /** Starts the shop. */
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
