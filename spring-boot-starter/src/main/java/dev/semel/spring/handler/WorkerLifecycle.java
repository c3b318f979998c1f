package dev.semel.spring.handler;

import dev.semel.Semel;
import dev.semel.engine.Worker;
import dev.semel.spring.WorkerCustomizer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The application's worker. It starts before the web server and ends after it: no request arrives any more, and the data
 * source is still open, because beans are destroyed after all lifecycles have ended.
 */
public final class WorkerLifecycle implements SmartLifecycle, SmartInitializingSingleton {

    /** The phase, below that in which Boot stops the web server ({@code DEFAULT_PHASE - 2048}). */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);

    private final ConfigurableListableBeanFactory beans;
    private final Semel semel;
    private final WorkerOptions options;
    private final ObjectProvider<WorkerCustomizer> customizers;
    private volatile List<DefinedHandler> handlers = List.of();
    private @Nullable Running running;

    /**
     * Creates the lifecycle.
     *
     * @param beans where the handlers are
     * @param semel the instance whose tasks they run
     * @param options the settings of the worker
     * @param customizers change the settings of the worker
     */
    public WorkerLifecycle(
            ConfigurableListableBeanFactory beans,
            Semel semel,
            WorkerOptions options,
            ObjectProvider<WorkerCustomizer> customizers) {
        this.beans = beans;
        this.semel = semel;
        this.options = options;
        this.customizers = customizers;
    }

    /** A running worker. */
    private record Running(Worker worker, CountDownLatch end) {}

    @Override
    public void afterSingletonsInstantiated() {
        handlers = new HandlerDiscovery(beans).find();
    }

    /** {@return the names of the task types that have a handler} */
    public Set<String> types() {
        Set<String> types = new TreeSet<>();
        handlers.forEach(handler -> types.add(handler.type().name()));
        return types;
    }

    /** {@return the queues that the worker claims from} */
    public Set<String> queues() {
        if (!options.queues().isEmpty()) {
            return new TreeSet<>(options.queues());
        }
        Set<String> queues = new TreeSet<>();
        handlers.forEach(handler -> queues.add(options.queueOf().apply(handler.type())));
        return queues;
    }

    /** {@return the name of the running worker, or null if there is none} */
    public synchronized @Nullable String worker() {
        return running == null ? null : running.worker().name();
    }

    @Override
    public boolean isAutoStartup() {
        return options.enabled();
    }

    @Override
    public synchronized void start() {
        if (running != null || handlers.isEmpty()) {
            return;
        }
        List<String> queues = List.copyOf(queues());
        Worker.Builder builder =
                semel.worker(queues.getFirst(), queues.subList(1, queues.size()).toArray(String[]::new));
        options.applyTo(builder);
        handlers.forEach(handler -> handler.addTo(builder));
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        Worker worker = builder.start();
        CountDownLatch end = new CountDownLatch(1);
        if (options.keepAlive()) {
            keepAlive(end);
        }
        running = new Running(worker, end);
        LOG.info("Worker started: worker={} queues={} types={}", worker.name(), queues, types());
    }

    /** Keeps the JVM running, as a web server does: all threads of a worker are daemons. */
    private static void keepAlive(CountDownLatch end) {
        Thread.ofPlatform().daemon(false).name("semel-keep-alive").start(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public synchronized void stop() {
        if (running != null) {
            Running stopped = running;
            running = null;
            try {
                stopped.worker().close();
            } finally {
                stopped.end().countDown();
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
