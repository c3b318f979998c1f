package dev.semel.s3.client;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * What credentials are looked for in.
 *
 * @param environment the environment variables
 * @param home the user's home directory
 * @param clock the clock by which credentials expire
 */
public record Surroundings(Map<String, String> environment, Path home, InstantSource clock) {

    /** Copies the environment. */
    public Surroundings {
        environment = Map.copyOf(environment);
    }

    /**
     * Returns a variable of the environment.
     *
     * @param name its name
     * @return the value; empty if it is not set or blank
     */
    public Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }
}
