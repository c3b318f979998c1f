package dev.semel.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What makes two submissions the same: tenant, scope and key.
 *
 * @param tenant the tenant
 * @param scopeKind what gave the scope its name
 * @param scopeName the name of the scope; empty for the tenant's own
 * @param key the caller's key, or the one that an {@link IdentityStrategy} made
 */
public record Identity(String tenant, Scope.Kind scopeKind, String scopeName, String key) {

    /** The tenant of those who do not name one. */
    public static final String DEFAULT_TENANT = "default";

    // Changes when the derivation changes, so that hashes of two versions of Semel never mean the same by accident.
    private static final byte VERSION = 1;

    /** Checks each part. */
    public Identity {
        Limits.name("tenant", tenant);
        if (scopeKind == Scope.Kind.TENANT) {
            if (!scopeName.isEmpty()) {
                throw new InvalidInput("The tenant's scope has no name, but got \"" + Limits.shown(scopeName) + "\".");
            }
        } else {
            Limits.name("scope", scopeName);
        }
        Limits.key(key);
    }

    /**
     * The identity of a submission.
     *
     * @param tenant the tenant
     * @param scope the scope
     * @param queue the submission's queue
     * @param type the submission's task type
     * @param key the key
     * @return the identity
     */
    public static Identity of(String tenant, Scope scope, String queue, String type, String key) {
        return new Identity(tenant, scope.kind(), scope.nameFor(queue, type), key);
    }

    /**
     * The 32 bytes under which a store keeps the record: SHA-256 over a version byte and the four parts, each with its
     * length before it, so that no two different identities give the same bytes.
     *
     * @return a new array
     */
    public byte[] hash() {
        byte[] tenantBytes = tenant.getBytes(StandardCharsets.UTF_8);
        byte[] kindBytes = scopeKind.word().getBytes(StandardCharsets.UTF_8);
        byte[] nameBytes = scopeName.getBytes(StandardCharsets.UTF_8);
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        ByteBuffer whole = ByteBuffer.allocate(
                1 + 4 * Integer.BYTES + tenantBytes.length + kindBytes.length + nameBytes.length + keyBytes.length);
        whole.put(VERSION);
        for (byte[] part : new byte[][] {tenantBytes, kindBytes, nameBytes, keyBytes}) {
            whole.putInt(part.length).put(part);
        }
        return Sha256.of(whole.array());
    }
}
