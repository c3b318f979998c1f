package dev.semel.guard;

import dev.semel.task.Identity;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.time.Duration;

/**
 * How a guard behaves.
 *
 * @param tenant the tenant of calls that name none
 * @param prefix what stands before every key of this guard; empty for nothing
 * @param type what the effects are called in logs
 * @param ttl how long outcomes are kept
 * @param lease how long a call holds its key without a renewal
 * @param failMode what to do when the store fails
 * @param whenBusy what to do when somebody else runs the effect
 * @param waitLimit how long to wait for somebody else's result
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

    /** The shortest lease: below it a pause of the program would look like its death. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** Checks each setting. */
    public GuardSettings {
        Limits.name("tenant", Given.notNull("tenant", tenant));
        if (!Given.notNull("prefix", prefix).isEmpty()) {
            Limits.key(prefix);
        }
        Limits.name("type", Given.notNull("type", type));
        Limits.positive("ttl", Given.notNull("ttl", ttl));
        Limits.duration("lease", Given.notNull("lease", lease));
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInput("A guard's lease is at least " + SHORTEST_LEASE.toMillis()
                    + " ms, because it has to be renewed in time, but got \"" + lease + "\".");
        }
        Given.notNull("fail mode", failMode);
        Given.notNull("choice of what to do when busy", whenBusy);
        Limits.duration("wait limit", Given.notNull("wait limit", waitLimit));
    }

    /**
     * The tenant {@code default}, no prefix, 24 h of ttl, a lease of 30 s, fail mode closed, {@link WhenBusy#THROW}, 30 s of
     * waiting, payloads not compared.
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
