package dev.semel.server.token;

import dev.semel.server.http.TokenScope;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token as it is stored: without its secret.
 *
 * @param id what names it, and is part of the secret text
 * @param name who uses it, for logs
 * @param tenant the tenant that it belongs to; null for an operator of all tenants
 * @param scopes what it allows
 * @param hash the SHA-256 of the secret text, in hexadecimal digits
 * @param createdAt when it was created
 * @param expiresAt from when on it is not valid; null for never
 */
public record Token(
        String id,
        String name,
        @Nullable String tenant,
        Set<TokenScope> scopes,
        String hash,
        Instant createdAt,
        @Nullable Instant expiresAt) {

    /** Copies. */
    public Token {
        scopes = Set.copyOf(scopes);
    }

    boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** {@return the id and the name, without the hash} */
    @Override
    public String toString() {
        return "Token[" + id + ", " + name + "]";
    }
}
