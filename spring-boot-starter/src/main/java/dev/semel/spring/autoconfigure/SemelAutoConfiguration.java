package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.SettingsFile;
import dev.semel.TransactionLookup;
import dev.semel.engine.Codec;
import dev.semel.observe.Observer;
import dev.semel.observe.Tracing;
import dev.semel.schedule.Schedule;
import dev.semel.spring.SemelCustomizer;
import dev.semel.spring.SetUpFailure;
import dev.semel.store.TaskStore;
import java.util.HashSet;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Semel as beans: the store in the application's own database, {@link Semel}, the worker with the application's handlers,
 * and the guard. Each of them gives way to a bean of the application.
 *
 * <p>It orders itself by the names of classes, because the same classes are in other packages in Boot 3 and Boot 4.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "semel", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(SemelProperties.class)
@Import({
    TransactionConfiguration.class,
    MetricsConfiguration.class,
    TracingConfiguration.class,
    WorkerConfiguration.class,
    GuardConfiguration.class,
    HealthConfiguration.Boot3.class,
    HealthConfiguration.Boot4.class,
    EndpointConfiguration.class
})
public final class SemelAutoConfiguration {

    SemelAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(TaskStore.class)
    Storage semelStorage(BeanFactory beans, SemelProperties properties) {
        return new StorageLocator(beans, properties).locate();
    }

    // The instance closes it.
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    TaskStore semelTaskStore(Storage storage) {
        return storage.tasks();
    }

    @Bean
    @ConditionalOnMissingBean
    Settings semelSettings(SemelProperties properties) {
        return applied("semel.settings", properties.settings(), Settings.NONE, SettingsFile::read);
    }

    @Bean
    @ConditionalOnMissingBean
    Semel semel(
            TaskStore store,
            Settings settings,
            SemelProperties properties,
            ObjectProvider<TransactionLookup> transactions,
            ObjectProvider<Codec> codec,
            ObjectProvider<Observer> metrics,
            ObjectProvider<Tracing> tracing,
            ObjectProvider<DepthReading> depths,
            ObjectProvider<Schedule> schedules,
            ObjectProvider<SemelCustomizer> customizers) {
        // Spring ends the worker before it closes the data source, so no hook of the JVM is needed.
        Semel.Builder builder = Semel.on(store).withoutShutdownHook().settings(settings);
        applied("semel.tenant", properties.tenant(), builder, builder::tenant);
        codec.ifUnique(builder::codec);
        metrics.ifUnique(builder::metrics);
        tracing.ifUnique(builder::tracing);
        transactions.ifUnique(builder::transactions);
        depths.ifUnique(reading -> reading.applyTo(builder));
        declare(schedules, builder);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    /** Declares the schedules that are beans. */
    private static void declare(ObjectProvider<Schedule> schedules, Semel.Builder builder) {
        Set<String> names = new HashSet<>();
        schedules.orderedStream().forEach(schedule -> {
            if (!names.add(schedule.name())) {
                throw new SetUpFailure(
                        "Two beans are schedules with the name \"" + schedule.name() + "\".",
                        "Give each schedule a name of its own.");
            }
            builder.schedule(schedule);
        });
    }
}
