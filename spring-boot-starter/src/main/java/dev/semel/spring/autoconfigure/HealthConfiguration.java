package dev.semel.spring.autoconfigure;

import dev.semel.spring.actuate.ActuatorHealth;
import dev.semel.spring.actuate.HealthCheck;
import dev.semel.spring.actuate.ModuleHealth;
import dev.semel.spring.handler.WorkerLifecycle;
import dev.semel.store.TaskStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health of Semel, for the actuator. The interface of an indicator moved to another package with Boot 4. */
final class HealthConfiguration {

    private static final String INDICATOR = "semelHealthIndicator";
    private static final String PREFIX = "management.health.semel";

    private HealthConfiguration() {}

    /** The indicator of Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    @ConditionalOnProperty(prefix = PREFIX, name = "enabled", matchIfMissing = true)
    static class Boot3 {

        @Bean(INDICATOR)
        @ConditionalOnMissingBean(name = INDICATOR)
        ActuatorHealth semelHealthIndicator(TaskStore store, WorkerLifecycle worker) {
            return new ActuatorHealth(new HealthCheck(store, worker));
        }
    }

    /** The indicator of Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @ConditionalOnProperty(prefix = PREFIX, name = "enabled", matchIfMissing = true)
    static class Boot4 {

        @Bean(INDICATOR)
        @ConditionalOnMissingBean(name = INDICATOR)
        ModuleHealth semelHealthIndicator(TaskStore store, WorkerLifecycle worker) {
            return new ModuleHealth(new HealthCheck(store, worker));
        }
    }
}
