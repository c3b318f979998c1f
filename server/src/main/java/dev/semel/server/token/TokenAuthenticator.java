package dev.semel.server.token;

import dev.semel.server.http.Authenticator;
import dev.semel.server.http.Caller;
import dev.semel.server.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Function;

/** Finds the caller by the token in the header Authorization. A revoked token is refused within a second. */
public final class TokenAuthenticator implements Authenticator {

    // Compared with if there is no such token, so that the answer takes as long.
    private static final String NO_HASH = "0".repeat(64);

    private final WatchedTokenFile file;

    /**
     * Creates an authenticator.
     *
     * @param file where the tokens are
     */
    public TokenAuthenticator(WatchedTokenFile file) {
        this.file = file;
    }

    @Override
    public Caller caller(Function<String, Optional<String>> headers) {
        String header = headers.apply("Authorization").orElse("");
        String given = header.regionMatches(true, 0, "Bearer ", 0, 7)
                ? header.substring(7).strip()
                : "";
        int begin = TokenFile.PREFIX.length();
        int end = given.indexOf('_', begin);
        Token token = given.startsWith(TokenFile.PREFIX) && end > 0 ? file.find(given.substring(begin, end)) : null;
        boolean same =
                MessageDigest.isEqual(bytes(TokenFile.hash(given)), bytes(token == null ? NO_HASH : token.hash()));
        if (token == null || !same || token.isExpired(file.time())) {
            throw new Problem(
                            401,
                            "unauthorized",
                            "Send a valid token in the header Authorization: Bearer TOKEN. It may be missing, revoked"
                                    + " or expired.")
                    .header("WWW-Authenticate", "Bearer");
        }
        return new Caller(token.name(), token.tenant(), token.scopes());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
