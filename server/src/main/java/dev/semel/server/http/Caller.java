package dev.semel.server.http;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a request.
 *
 * @param name the name of the token, or "local" where no tokens are required
 * @param tenant the only tenant that the caller knows of; null for an operator of all tenants
 * @param scopes what the caller may do
 */
public record Caller(String name, @Nullable String tenant, Set<TokenScope> scopes) {

    /** The caller of a server without tokens, which listens on a loopback address only: may do everything. */
    public static final Caller LOCAL = new Caller("local", null, EnumSet.allOf(TokenScope.class));

    /** Copies. */
    public Caller {
        scopes = Set.copyOf(scopes);
    }
}
