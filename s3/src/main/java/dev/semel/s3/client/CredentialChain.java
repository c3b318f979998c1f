package dev.semel.s3.client;

import dev.semel.task.StoreUnusable;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The usual order in which credentials are looked for: environment, web identity, profile files, container, instance. A named
 * profile is looked for first. Temporary credentials are kept until five minutes before they expire.
 *
 * <p>Not supported: profiles that assume a role, single sign-on, and {@code credential_process}.
 */
public final class CredentialChain implements CredentialSource {

    private static final Duration BEFORE_EXPIRY = Duration.ofMinutes(5);

    private final Surroundings surroundings;
    private final @Nullable String profile;
    private final RemoteCredentials remote;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Credentials current; // guarded by the lock

    /**
     * Creates the chain. Nothing is read.
     *
     * @param surroundings where to look
     * @param profile the profile that the user named; null for none
     * @param region the region whose token service exchanges a web identity
     */
    public CredentialChain(Surroundings surroundings, @Nullable String profile, String region) {
        this.surroundings = surroundings;
        this.profile = profile;
        this.remote = new RemoteCredentials(surroundings, region);
    }

    @Override
    public Credentials credentials() {
        lock.lock();
        try {
            Credentials known = current;
            if (known == null || isNearExpiry(known)) {
                known = found();
                current = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void discard() {
        lock.lock();
        try {
            current = null;
        } finally {
            lock.unlock();
        }
    }

    private boolean isNearExpiry(Credentials known) {
        Instant until = known.expiresAt();
        return until != null && !surroundings.clock().instant().isBefore(until.minus(BEFORE_EXPIRY));
    }

    private Credentials found() {
        Optional<Credentials> named = profile == null ? Optional.empty() : fromProfile();
        if (profile != null && named.isEmpty()) {
            throw new StoreUnusable(
                    "The profile \"" + profile + "\" has no aws_access_key_id and aws_secret_access_key. Profiles that"
                            + " assume a role, single sign-on and credential_process are not"
                            + " supported; set the environment variables instead.");
        }
        return named.or(this::fromEnvironment)
                .or(remote::fromWebIdentity)
                .or(this::fromProfile)
                .or(remote::fromContainer)
                .or(remote::fromInstance)
                .orElseThrow(
                        () -> new StoreUnusable("There are no credentials for object storage. Set AWS_ACCESS_KEY_ID"
                                + " and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials, or run where a"
                                + " container or an instance provides them."));
    }

    private Optional<Credentials> fromEnvironment() {
        Optional<String> key = surroundings.variable("AWS_ACCESS_KEY_ID");
        Optional<String> secret = surroundings.variable("AWS_SECRET_ACCESS_KEY");
        if (key.isEmpty() || secret.isEmpty()) {
            return Optional.empty();
        }
        String token = surroundings.variable("AWS_SESSION_TOKEN").orElse(null);
        return Optional.of(new Credentials(key.get(), secret.get(), token, null));
    }

    private Optional<Credentials> fromProfile() {
        ProfileFiles files = ProfileFiles.read(surroundings, profile);
        Optional<String> key = files.property("aws_access_key_id");
        Optional<String> secret = files.property("aws_secret_access_key");
        if (key.isEmpty() || secret.isEmpty()) {
            return Optional.empty();
        }
        String token = files.property("aws_session_token").orElse(null);
        return Optional.of(new Credentials(key.get(), secret.get(), token, null));
    }
}
