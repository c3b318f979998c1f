package dev.semel.server.token;

import dev.semel.server.http.Authenticator;
import dev.semel.server.http.Caller;
import dev.semel.server.http.Problem;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Admits every caller of a server without tokens, which listens on a loopback address. A web page could still reach it through the
 * user's browser: so the host must be a local name, which a page of another site cannot fake, and a request of a page is refused.
 */
public final class LocalAuthenticator implements Authenticator {

    private static final Pattern LOCAL = Pattern.compile("(?i)(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])(:[0-9]{1,5})?");

    /** Creates the authenticator of a server without tokens. */
    public LocalAuthenticator() {}

    @Override
    public Caller caller(Function<String, Optional<String>> headers) {
        String host = headers.apply("Host").orElse("");
        if (!LOCAL.matcher(host).matches()) {
            throw new Problem(
                    403,
                    "host-not-local",
                    "A server without tokens is addressed as localhost or 127.0.0.1. Create tokens.");
        }
        String origin = headers.apply("Origin").orElse("");
        if (!origin.isEmpty()
                && !LOCAL.matcher(origin.replaceFirst("^https?://", "")).matches()) {
            throw new Problem(403, "host-not-local", "A server without tokens does not answer pages of other sites.");
        }
        return Caller.LOCAL;
    }
}
