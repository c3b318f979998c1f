package dev.semel.spring.actuate;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health indicator for Boot 4, where it is a part of a module of its own. */
public final class ModuleHealth extends AbstractHealthIndicator {

    private final HealthCheck check;

    /**
     * Creates the indicator.
     *
     * @param check what is checked
     */
    public ModuleHealth(HealthCheck check) {
        super("The store of Semel did not answer");
        this.check = check;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up().withDetails(check.details());
    }
}
