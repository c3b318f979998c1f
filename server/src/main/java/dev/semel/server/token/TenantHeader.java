package dev.semel.server.token;

import dev.semel.server.http.Authenticator;
import dev.semel.server.http.Caller;
import dev.semel.server.http.Problem;
import dev.semel.task.Limits;
import java.util.Optional;
import java.util.function.Function;

/** Lets an operator of all tenants act for one of them, with the header Semel-Tenant. It never widens what a caller may do. */
public final class TenantHeader implements Authenticator {

    /** The header. */
    public static final String NAME = "Semel-Tenant";

    private final Authenticator authenticator;

    /**
     * Narrows the callers that another authenticator finds.
     *
     * @param authenticator the other one
     */
    public TenantHeader(Authenticator authenticator) {
        this.authenticator = authenticator;
    }

    @Override
    public Caller caller(Function<String, Optional<String>> headers) {
        Caller caller = authenticator.caller(headers);
        Optional<String> named = headers.apply(NAME).map(name -> Limits.name("tenant", name));
        if (named.isEmpty() || named.get().equals(caller.tenant())) {
            return caller;
        }
        if (caller.tenant() != null) {
            throw new Problem(
                    403, "wrong-tenant", "The token belongs to another tenant than the header " + NAME + " names.");
        }
        return new Caller(caller.name(), named.get(), caller.scopes());
    }
}
