package dev.semel.spring;

import dev.semel.engine.Worker;

/** A bean that changes the settings of the application's {@link Worker} before it is started. */
@FunctionalInterface
public interface WorkerCustomizer {

    /**
     * Changes the settings. It is called after the settings of {@code semel.worker.*} were applied and the handlers
     * were added.
     *
     * @param builder the builder of the worker
     */
    void customize(Worker.Builder builder);
}
