package dev.semel.guard;

import dev.semel.task.Durations;
import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * The settings of a guard.
 *
 * @param tenant the tenant of calls that do not set one
 * @param prefix the prefix of every key of this guard; empty for none
 * @param type the name of the effects in logs
 * @param ttl how long outcomes are kept
 * @param lease how long a call holds its key without a renewal
 * @param failMode the behaviour when the store fails
 * @param whenBusy the behaviour when another call is running the effect
 * @param waitLimit how long to wait for the result of another call
 * @param checkPayload whether {@link Guard#wrap wrapped} functions compare their inputs
 */
public record GuardSettings(
        String tenant,
        String prefix,
        String type,
        Duration ttl,
        Duration lease,
        FailMode failMode,
        WhenBusy whenBusy,
        Duration waitLimit,
        boolean checkPayload) {

    /** The shortest lease: below it a pause of the process would look like its death. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** Checks each setting. */
    public GuardSettings {
        Limits.name("tenant", Arguments.notNull("tenant", tenant));
        if (!Arguments.notNull("prefix", prefix).isEmpty()) {
            Limits.key(prefix);
        }
        Limits.name("type", Arguments.notNull("type", type));
        Limits.positive("ttl", Arguments.notNull("ttl", ttl));
        Limits.duration("lease", Arguments.notNull("lease", lease));
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInput("A guard's lease is at least " + SHORTEST_LEASE.toMillis()
                    + " ms, so that it can be renewed in time, but got \"" + Durations.shown(lease) + "\".");
        }
        Arguments.notNull("fail mode", failMode);
        Arguments.notNull("behaviour when busy", whenBusy);
        Limits.duration("wait limit", Arguments.notNull("wait limit", waitLimit));
    }

    /**
     * Returns the default settings: the tenant {@code default}, no prefix, a ttl of 24 h, a lease of 30 s,
     * {@link FailMode#CLOSED}, {@link WhenBusy#THROW}, a wait limit of 30 s, payloads not compared.
     *
     * @return the settings
     */
    public static GuardSettings standard() {
        return new GuardSettings(
                Identity.DEFAULT_TENANT,
                "",
                "effect",
                Duration.ofHours(24),
                Duration.ofSeconds(30),
                FailMode.CLOSED,
                WhenBusy.THROW,
                Duration.ofSeconds(30),
                false);
    }

    GuardSettings withTenant(String newTenant) {
        return new GuardSettings(newTenant, prefix, type, ttl, lease, failMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withPrefix(String newPrefix) {
        return new GuardSettings(tenant, newPrefix, type, ttl, lease, failMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withType(String newType) {
        return new GuardSettings(tenant, prefix, newType, ttl, lease, failMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withTtl(Duration newTtl) {
        return new GuardSettings(tenant, prefix, type, newTtl, lease, failMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withLease(Duration newLease) {
        return new GuardSettings(tenant, prefix, type, ttl, newLease, failMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withFailMode(FailMode newMode) {
        return new GuardSettings(tenant, prefix, type, ttl, lease, newMode, whenBusy, waitLimit, checkPayload);
    }

    GuardSettings withWhenBusy(WhenBusy newChoice) {
        return new GuardSettings(tenant, prefix, type, ttl, lease, failMode, newChoice, waitLimit, checkPayload);
    }

    GuardSettings withWaitLimit(Duration newLimit) {
        return new GuardSettings(tenant, prefix, type, ttl, lease, failMode, whenBusy, newLimit, checkPayload);
    }

    GuardSettings withCheckPayload(boolean check) {
        return new GuardSettings(tenant, prefix, type, ttl, lease, failMode, whenBusy, waitLimit, check);
    }
}
