package dev.semel.task;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The identity of a submission: tenant, scope and key. Two submissions with equal identities ask for the same task.
 *
 * @param tenant the tenant
 * @param scopeKind the kind of the scope
 * @param scopeName the name of the scope; empty for the scope of the tenant
 * @param key the caller's key, or a key derived by an {@link IdentityStrategy}
 */
public record Identity(String tenant, Scope.Kind scopeKind, String scopeName, String key) {

    /** The tenant of submissions that name none. */
    public static final String DEFAULT_TENANT = "default";

    // Incremented when the derivation changes, so that hashes of two versions of Semel never match by accident.
    private static final byte VERSION = 1;

    /** Checks each part. */
    public Identity {
        Limits.name("tenant", tenant);
        Limits.notNull("kind of scope", scopeKind);
        if (scopeKind == Scope.Kind.TENANT) {
            if (!Limits.notNull("scope name", scopeName).isEmpty()) {
                throw new InvalidInput("The tenant scope has no name, but got \"" + Limits.shown(scopeName) + "\".");
            }
        } else {
            Limits.name("scope", scopeName);
        }
        Limits.storedKey(key);
    }

    /**
     * Returns the identity of a submission.
     *
     * @param tenant the tenant
     * @param scope the scope
     * @param queue the submission's queue
     * @param type the submission's task type
     * @param key the key
     * @return the identity
     */
    public static Identity of(String tenant, Scope scope, String queue, String type, String key) {
        Limits.notNull("scope", scope);
        Limits.notNull("queue", queue);
        Limits.notNull("task type", type);
        return new Identity(tenant, scope.kind(), scope.nameFor(queue, type), key);
    }

    /**
     * Returns the hash under which a store keeps the record: SHA-256 over a version byte and the four parts, each
     * prefixed with its length, so that two different identities never hash the same bytes.
     *
     * @return a new array of 32 bytes
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
