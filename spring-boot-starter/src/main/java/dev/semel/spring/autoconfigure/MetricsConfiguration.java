package dev.semel.spring.autoconfigure;

import dev.semel.metrics.MicrometerChecks;
import dev.semel.metrics.MicrometerMetrics;
import dev.semel.observe.Observer;
import dev.semel.task.CheckObserver;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Metrics, if the application has Micrometer. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
class MetricsConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Observer semelObserver(ObjectProvider<MeterRegistry> registries) {
        MeterRegistry registry = registries.getIfUnique();
        return registry == null ? Observer.NONE : new MicrometerMetrics(registry);
    }

    /** For the guard: the observer above has the checks of submissions already. */
    @Bean
    @ConditionalOnMissingBean
    CheckObserver semelCheckObserver(ObjectProvider<MeterRegistry> registries) {
        MeterRegistry registry = registries.getIfUnique();
        return registry == null ? CheckObserver.NONE : new MicrometerChecks(registry);
    }
}
