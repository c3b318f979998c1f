package dev.semel.server.token;

import dev.semel.server.limit.TenantLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The file of tokens and limits as a server knows it. It is read again within half a second after it was replaced. */
public final class WatchedTokenFile {

    private static final long LOOK_AGAIN = Duration.ofMillis(500).toNanos();

    private final TokenFile file;
    private volatile Known known;

    /** Which version of the file was read. The file is replaced and never changed, so a new one has another key. */
    private record Version(FileTime changedAt, String key) {}

    private record Known(
            Map<String, Token> tokens,
            Map<String, TenantLimits> limits,
            @Nullable Version version,
            long readAt) {}

    /**
     * Reads the file.
     *
     * @param file where it is
     */
    public WatchedTokenFile(TokenFile file) {
        this.file = file;
        this.known = read();
    }

    private Known read() {
        Version version = version();
        TokenFile.Contents contents = file.contents();
        Map<String, Token> tokens = new HashMap<>();
        contents.tokens().forEach(token -> tokens.put(token.id(), token));
        return new Known(Map.copyOf(tokens), contents.limits(), version, System.nanoTime());
    }

    private @Nullable Version version() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file.file(), BasicFileAttributes.class);
            return new Version(attributes.lastModifiedTime(), String.valueOf(attributes.fileKey()));
        } catch (IOException e) {
            return null;
        }
    }

    private Known lookAgain(Known now) {
        Version version = version();
        boolean same = version != null && version.equals(now.version());
        Known next = same ? new Known(now.tokens(), now.limits(), version, System.nanoTime()) : read();
        known = next;
        return next;
    }

    private static boolean isOld(Known now) {
        return System.nanoTime() - now.readAt() > LOOK_AGAIN;
    }

    @Nullable
    Token find(String id) {
        Known now = known;
        Token found = now.tokens().get(id);
        // A token that is not known may have just been created.
        return found == null || isOld(now) ? lookAgain(now).tokens().get(id) : found;
    }

    Instant time() {
        return file.clock().instant();
    }

    /**
     * Returns the limits of a tenant.
     *
     * @param tenant the tenant
     * @return its own limits, or else those of every tenant without limits of its own, or else none
     */
    public TenantLimits limits(String tenant) {
        Known now = known;
        Map<String, TenantLimits> limits = (isOld(now) ? lookAgain(now) : now).limits();
        TenantLimits own = limits.get(tenant);
        return own != null ? own : limits.getOrDefault(TokenFile.OTHERS, TenantLimits.NONE);
    }
}
