package dev.semel.server.token;

import dev.semel.server.http.Authenticator;
import dev.semel.server.http.Caller;
import dev.semel.server.http.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the caller by the token in the header Authorization. A revoked token is refused within a second. */
public final class TokenAuthenticator implements Authenticator {

    private static final long LOOK_AGAIN = Duration.ofMillis(500).toNanos();

    // Compared with if there is no such token, so that the answer takes as long.
    private static final String NO_HASH = "0".repeat(64);

    private final TokenFile file;
    private volatile Known known;

    /** Which version of the file was read. The file is replaced and never changed, so a new one has another key. */
    private record Version(FileTime changedAt, String key) {}

    private record Known(
            Map<String, Token> tokens, @Nullable Version version, long readAt) {}

    /**
     * Reads the tokens.
     *
     * @param file where they are
     */
    public TokenAuthenticator(TokenFile file) {
        this.file = file;
        this.known = read();
    }

    private Known read() {
        Version version = version();
        Map<String, Token> tokens = new HashMap<>();
        file.list().forEach(token -> tokens.put(token.id(), token));
        return new Known(Map.copyOf(tokens), version, System.nanoTime());
    }

    private @Nullable Version version() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file.file(), BasicFileAttributes.class);
            return new Version(attributes.lastModifiedTime(), String.valueOf(attributes.fileKey()));
        } catch (IOException e) {
            return null;
        }
    }

    private @Nullable Token find(String id) {
        Known now = known;
        Token found = now.tokens().get(id);
        // A token that is not known may have just been created.
        if (found == null || System.nanoTime() - now.readAt() > LOOK_AGAIN) {
            Version version = version();
            boolean same = version != null && version.equals(now.version());
            now = same ? new Known(now.tokens(), version, System.nanoTime()) : read();
            known = now;
        }
        return now.tokens().get(id);
    }

    @Override
    public Caller caller(Function<String, Optional<String>> headers) {
        String header = headers.apply("Authorization").orElse("");
        String given = header.regionMatches(true, 0, "Bearer ", 0, 7)
                ? header.substring(7).strip()
                : "";
        int begin = TokenFile.PREFIX.length();
        int end = given.indexOf('_', begin);
        Token token = given.startsWith(TokenFile.PREFIX) && end > 0 ? find(given.substring(begin, end)) : null;
        boolean same =
                MessageDigest.isEqual(bytes(TokenFile.hash(given)), bytes(token == null ? NO_HASH : token.hash()));
        if (token == null || !same || token.isExpired(file.clock().instant())) {
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
