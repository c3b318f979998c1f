package dev.semel.guard;

import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import java.util.HexFormat;

/**
 * What makes two calls of a guard the same: tenant and key.
 *
 * @param tenant the tenant
 * @param key the key, with the guard's prefix before it
 */
public record GuardKey(String tenant, String key) {

    // A name space of its own, so that the token of a guarded effect is never that of a submission.
    private static final Scope SCOPE = Scope.custom("semel:guard");

    /** Checks both parts. */
    public GuardKey {
        Limits.name("tenant", tenant);
        Limits.key(key);
    }

    /**
     * The token for the outside world: the same for every call under this key, in every process, after every crash.
     * That is why it comes from the key and not out of the store, which may have lost the entry.
     *
     * @return 32 hexadecimal characters
     */
    public String effectToken() {
        return HexFormat.of()
                .formatHex(Identity.of(tenant, SCOPE, "guard", "guard", key).hash(), 0, 16);
    }
}
