package dev.semel.spring;

import dev.semel.Semel;

/** A bean that changes the settings of the application's {@link Semel} before it is built. */
@FunctionalInterface
public interface SemelCustomizer {

    /**
     * Changes the settings. It is called after the settings of {@code semel.*} were applied.
     *
     * @param builder the builder of the instance
     */
    void customize(Semel.Builder builder);
}
