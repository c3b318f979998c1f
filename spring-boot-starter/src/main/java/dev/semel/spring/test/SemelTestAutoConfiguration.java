package dev.semel.spring.test;

import dev.semel.TransactionLookup;
import dev.semel.guard.GuardStore;
import dev.semel.guard.InMemoryGuardStore;
import dev.semel.spring.SemelCustomizer;
import dev.semel.spring.autoconfigure.SemelAutoConfiguration;
import dev.semel.store.InMemoryTaskStore;
import dev.semel.testkit.ManualClock;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The stores in memory of a {@link SemelTest}. */
@AutoConfiguration(before = SemelAutoConfiguration.class)
final class SemelTestAutoConfiguration {

    private static final Duration SCHEDULER_INTERVAL = Duration.ofMillis(50);

    @Bean
    ManualClock semelManualClock() {
        return new ManualClock();
    }

    @Bean(destroyMethod = "")
    AnnouncingTaskStore semelTaskStore(ManualClock clock) {
        return new AnnouncingTaskStore(new InMemoryTaskStore(clock));
    }

    @Bean
    GuardStore semelGuardStore(ManualClock clock) {
        return new InMemoryGuardStore(clock);
    }

    @Bean
    TestClock semelTestClock(ManualClock clock, AnnouncingTaskStore store) {
        return new TestClock(clock, store, store::announce);
    }

    /** Lets ticks follow the clock that a test moves: a scheduler does not notice that. */
    @Bean
    SemelCustomizer semelTestScheduler() {
        return builder -> builder.schedulerInterval(SCHEDULER_INTERVAL);
    }

    @Bean
    TransactionLookup semelNoTransactions() {
        return semel -> Optional.empty();
    }
}
