package dev.semel.spring.autoconfigure;

import dev.semel.Semel;
import dev.semel.spring.actuate.SemelEndpoint;
import dev.semel.spring.handler.WorkerLifecycle;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint of Semel, for the actuator. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Endpoint.class)
class EndpointConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SemelEndpoint semelEndpoint(Semel semel, WorkerLifecycle worker) {
        return new SemelEndpoint(semel, worker);
    }
}
