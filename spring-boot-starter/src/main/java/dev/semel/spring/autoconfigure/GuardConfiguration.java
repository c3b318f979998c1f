package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardStore;
import dev.semel.spring.SetUpFailure;
import dev.semel.spring.guard.GuardPostProcessor;
import dev.semel.spring.guard.GuardTransactions;
import dev.semel.task.CheckObserver;
import java.time.Duration;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The guard. It is made when it is first used, because it creates a table. */
@Configuration(proxyBeanMethods = false)
class GuardConfiguration {

    private static final String PREFIX = "semel.guard.";

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    GuardStore semelGuardStore(ObjectProvider<Storage> storages) {
        return storages.getIfAvailable(() -> {
                    throw new SetUpFailure(
                            "The task store is a bean of the application, so the guard's store is not known.",
                            "Declare a bean of class GuardStore as well.");
                })
                .guards();
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    Guard semelGuard(GuardStore store, SemelProperties properties, ObjectProvider<CheckObserver> observer) {
        SemelProperties.Guard given = properties.guard();
        Guard.Builder builder = Guard.on(store);
        applied(PREFIX + "ttl", given.ttl(), builder, builder::ttl);
        applied(PREFIX + "lease", given.lease(), builder, builder::lease);
        applied(PREFIX + "when-busy", given.whenBusy(), builder, builder::whenBusy);
        applied(PREFIX + "wait-limit", given.waitLimit(), builder, builder::waitLimit);
        applied(PREFIX + "fail-mode", given.failMode(), builder, builder::failMode);
        applied("semel.tenant", properties.tenant(), builder, builder::tenant);
        observer.ifUnique(builder::observer);
        return builder.build();
    }

    /** Lets one of all processes read the depths of queues at a time. */
    @Bean
    @ConditionalOnProperty(prefix = "semel.metrics", name = "depths")
    DepthReading semelDepthReading(GuardStore store, SemelProperties properties) {
        Duration interval = Objects.requireNonNull(properties.metrics().depths(), "the condition of this bean");
        return new DepthReading(interval, store);
    }

    /**
     * Makes the guard at start if a bean has a guarded method. With the first call would be too late: that may be inside
     * a transaction that has the only write lock of a SQLite file, and the guard has to create its table.
     */
    @Bean
    SmartInitializingSingleton semelGuardOpener(GuardPostProcessor processor, ObjectProvider<Guard> guard) {
        return () -> {
            if (processor.isUsed()) {
                Guard unused = guard.getObject();
            }
        };
    }

    @Bean
    static GuardPostProcessor semelGuardPostProcessor(
            ObjectProvider<Guard> guard, ObjectProvider<GuardTransactions> transactions) {
        return new GuardPostProcessor(guard::getObject, () -> transactions.getIfUnique(() -> GuardTransactions.NONE));
    }
}
