package dev.semel.spring.autoconfigure;

import static dev.semel.spring.autoconfigure.PropertyCheck.applied;

import dev.semel.Semel;
import dev.semel.Settings;
import dev.semel.engine.Worker;
import dev.semel.engine.WorkerSettings;
import dev.semel.spring.WorkerCustomizer;
import dev.semel.spring.handler.WorkerLifecycle;
import dev.semel.spring.handler.WorkerOptions;
import dev.semel.task.Limits;
import dev.semel.task.TaskType;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The worker that runs the handlers of the application. */
@Configuration(proxyBeanMethods = false)
class WorkerConfiguration {

    private static final String PREFIX = "semel.worker.";
    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";
    private static final Duration STANDARD_PHASE_TIMEOUT = Duration.ofSeconds(30);

    @Bean
    @ConditionalOnMissingBean
    WorkerLifecycle semelWorker(
            ConfigurableListableBeanFactory beans,
            Semel semel,
            SemelProperties properties,
            Settings settings,
            Environment environment,
            ObjectProvider<WorkerCustomizer> customizers) {
        SemelProperties.Worker worker = properties.worker();
        check(worker);
        Duration grace = worker.closeGrace() != null
                ? worker.closeGrace()
                : Binder.get(environment).bind(PHASE_TIMEOUT, Duration.class).orElse(STANDARD_PHASE_TIMEOUT);
        WorkerOptions options = new WorkerOptions(
                worker.enabled(),
                worker.keepAlive(),
                worker.queues(),
                type -> queue(settings, type),
                builder -> apply(worker, grace, builder));
        return new WorkerLifecycle(beans, semel, options, customizers);
    }

    private static String queue(Settings settings, TaskType<?, ?> type) {
        String configured = settings.task(type.name()).queue();
        return configured != null ? configured : type.queue();
    }

    /** Checks each setting by itself, so that the message can name its property. */
    private static void check(SemelProperties.Worker worker) {
        WorkerSettings usual = WorkerSettings.standard("semel", TaskType.DEFAULT_QUEUE);
        String name = usual.name();
        Set<String> queues = usual.queues();
        int concurrency = usual.concurrency();
        int prefetch = usual.prefetch();
        Duration lease = usual.lease();
        Duration poll = usual.poll();
        int vanished = usual.maxVanished();
        long bytes = usual.heldBytes();
        worker.queues().forEach(given -> check("queues", given, queue -> Limits.name("queue", queue)));
        check("name", worker.name(), given -> Limits.name("worker", given));
        check(
                "concurrency",
                worker.concurrency(),
                given -> new WorkerSettings(name, queues, given, prefetch, lease, poll, vanished, bytes));
        check(
                "prefetch",
                worker.prefetch(),
                given -> new WorkerSettings(name, queues, concurrency, given, lease, poll, vanished, bytes));
        check(
                "lease",
                worker.lease(),
                given -> new WorkerSettings(name, queues, concurrency, prefetch, given, poll, vanished, bytes));
        check(
                "poll",
                worker.poll(),
                given -> new WorkerSettings(name, queues, concurrency, prefetch, lease, given, vanished, bytes));
        check(
                "max-vanished",
                worker.maxVanished(),
                given -> new WorkerSettings(name, queues, concurrency, prefetch, lease, poll, given, bytes));
        check(
                "held-bytes",
                worker.heldBytes(),
                given -> new WorkerSettings(
                        name, queues, concurrency, prefetch, lease, poll, vanished, given.toBytes()));
        check("close-grace", worker.closeGrace(), given -> Limits.duration("close grace", given));
    }

    private static <V> void check(String property, @Nullable V value, Function<V, Object> check) {
        Object unused = applied(PREFIX + property, value, "", check);
    }

    private static void apply(SemelProperties.Worker worker, Duration grace, Worker.Builder builder) {
        ifSet(worker.name(), builder::name);
        ifSet(worker.concurrency(), builder::concurrency);
        ifSet(worker.prefetch(), builder::prefetch);
        ifSet(worker.heldBytes(), size -> builder.heldBytes(size.toBytes()));
        ifSet(worker.lease(), builder::lease);
        ifSet(worker.poll(), builder::poll);
        ifSet(worker.maxVanished(), builder::maxVanished);
        builder.closeGrace(grace);
    }

    private static <V> void ifSet(@Nullable V value, Function<V, Worker.Builder> setter) {
        if (value != null) {
            Worker.Builder unused = setter.apply(value);
        }
    }
}
