package dev.semel.guard;

import dev.semel.task.Identity;
import dev.semel.task.Limits;
import dev.semel.task.Scope;
import java.util.HexFormat;

/**
 * The identity of a guarded call: tenant and key.
 *
 * @param tenant the tenant
 * @param key the key, including the guard's prefix
 */
public record GuardKey(String tenant, String key) {

    // A separate name space, so that the token of a guarded effect never equals that of a submission.
    private static final Scope SCOPE = Scope.custom("semel:guard");

    /** Checks both parts. */
    public GuardKey {
        Limits.name("tenant", tenant);
        Limits.storedKey(key);
    }

    /**
     * Returns the token for other systems. It is the same for every call under this key, in every process, after every
     * crash. For that reason it is derived from the key and not read from the store, which may have lost the entry.
     *
     * @return 32 hexadecimal characters
     */
    public String effectToken() {
        return HexFormat.of()
                .formatHex(Identity.of(tenant, SCOPE, "guard", "guard", key).hash(), 0, 16);
    }
}
