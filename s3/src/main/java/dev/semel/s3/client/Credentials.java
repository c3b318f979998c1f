package dev.semel.s3.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of a service.
 *
 * @param accessKey the access key id
 * @param secretKey the secret key
 * @param sessionToken the token of temporary credentials; null for others
 * @param expiresAt when they expire; null if they do not
 */
public record Credentials(
        String accessKey,
        String secretKey,
        @Nullable String sessionToken,
        @Nullable Instant expiresAt) {

    /** Returns a text without the secrets. */
    @Override
    public String toString() {
        return "Credentials[" + (sessionToken == null ? "permanent" : "temporary") + "]";
    }
}
