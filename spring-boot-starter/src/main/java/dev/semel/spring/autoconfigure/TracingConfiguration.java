package dev.semel.spring.autoconfigure;

import dev.semel.observe.Tracing;
import dev.semel.tracing.OpenTelemetryTracing;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Traces, if the application has OpenTelemetry. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(OpenTelemetry.class)
class TracingConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Tracing semelTracing(ObjectProvider<OpenTelemetry> found) {
        OpenTelemetry openTelemetry = found.getIfUnique();
        return openTelemetry == null ? Tracing.NONE : new OpenTelemetryTracing(openTelemetry);
    }
}
