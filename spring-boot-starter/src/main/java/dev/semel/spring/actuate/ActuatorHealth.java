package dev.semel.spring.actuate;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** The health indicator for Boot 3. */
public final class ActuatorHealth extends AbstractHealthIndicator {

    private final HealthCheck check;

    /**
     * Creates the indicator.
     *
     * @param check what is checked
     */
    public ActuatorHealth(HealthCheck check) {
        super("The store of Semel did not answer");
        this.check = check;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up().withDetails(check.details());
    }
}
