package dev.semel.server.token;

import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.server.limit.TenantLimits;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import dev.semel.task.RateLimit;
import dev.semel.task.StoreUnusable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The file of a server's tokens, and of the limits of tenants. It holds hashes only, so it can be copied to each of several servers. It is replaced as a whole, under
 * a lock beside it, so that a server never reads half of it and two commands do not lose a token.
 */
public final class TokenFile {

    /** What every token begins with, so that scanners of secrets recognise it. */
    public static final String PREFIX = "semel_";

    /** What stands for all tenants without limits of their own. */
    public static final String OTHERS = "*";

    private static final int MAX_FILE_BYTES = 16 << 20;

    private final Path file;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * A file of tokens.
     *
     * @param file the file; it is created with the first token
     * @param clock the clock that decides about expiry
     */
    public TokenFile(Path file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    /**
     * What is in the file.
     *
     * @param tokens the tokens, oldest first
     * @param limits the limits of tenants
     */
    public record Contents(List<Token> tokens, Map<String, TenantLimits> limits) {

        /** Copies. */
        public Contents {
            tokens = List.copyOf(tokens);
            limits = Collections.unmodifiableMap(new TreeMap<>(limits));
        }
    }

    /**
     * A new token and its secret text, which is not stored and cannot be shown again.
     *
     * @param token the token
     * @param secret the text that callers send
     */
    public record Created(Token token, String secret) {

        /** {@return the token, without the secret} */
        @Override
        public String toString() {
            return "Created[" + token + "]";
        }
    }

    /**
     * Creates a token.
     *
     * @param name who will use it
     * @param tenant the tenant that it belongs to; null for all
     * @param scopes what it allows
     * @param expiry how long it is valid; null for ever
     * @return the token and its secret
     */
    public Created create(String name, @Nullable String tenant, Set<TokenScope> scopes, @Nullable Duration expiry) {
        Limits.name("token", name);
        if (tenant != null) {
            Limits.name("tenant", tenant);
        }
        if (scopes.isEmpty()) {
            throw new InvalidInput("A token has at least one scope of submit, work, read and admin, but got none.");
        }
        Instant now = clock.instant();
        byte[] bytes = new byte[6];
        random.nextBytes(bytes);
        String id = HexFormat.of().formatHex(bytes);
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        String text =
                PREFIX + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        Token token = new Token(
                id,
                name,
                tenant,
                scopes,
                hash(text),
                now,
                expiry == null ? null : now.plus(Limits.positive("expiry of a token", expiry)));
        change((tokens, limits) -> tokens.add(token));
        return new Created(token, text);
    }

    /**
     * Revokes a token.
     *
     * @param id its id
     * @return whether there was such a token
     */
    public boolean revoke(String id) {
        boolean[] found = new boolean[1];
        change((tokens, limits) ->
                found[0] = tokens.removeIf(token -> token.id().equals(id)));
        return found[0];
    }

    /**
     * Reads all tokens.
     *
     * @return the tokens, oldest first; none if there is no file
     */
    public List<Token> list() {
        return contents().tokens();
    }

    /**
     * Reads the limits of tenants.
     *
     * @return the limits by tenant, with {@link #OTHERS} for all tenants without limits of their own
     */
    public Map<String, TenantLimits> limits() {
        return contents().limits();
    }

    /**
     * Sets limits of a tenant. Limits that are not set stay as they are.
     *
     * @param tenant the tenant, or {@link #OTHERS}
     * @param change changes its limits
     * @return the limits from now on
     */
    public TenantLimits limit(String tenant, UnaryOperator<TenantLimits> change) {
        if (!tenant.equals(OTHERS)) {
            Limits.name("tenant", tenant);
        }
        TenantLimits[] next = new TenantLimits[1];
        change((tokens, limits) -> {
            next[0] = change.apply(limits.getOrDefault(tenant, TenantLimits.NONE));
            limits.put(tenant, next[0]);
        });
        return next[0];
    }

    /**
     * Removes the limits of a tenant.
     *
     * @param tenant the tenant, or {@link #OTHERS}
     * @return whether it had limits of its own
     */
    public boolean unlimit(String tenant) {
        boolean[] found = new boolean[1];
        change((tokens, limits) -> found[0] = limits.remove(tenant) != null);
        return found[0];
    }

    Contents contents() {
        if (!Files.exists(file)) {
            return new Contents(List.of(), Map.of());
        }
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new InvalidInput("A file of tokens has at most " + MAX_FILE_BYTES + " bytes.");
            }
            JsonMembers members = JsonDocument.parse(Files.readString(file, StandardCharsets.UTF_8))
                    .members("file of tokens");
            Map<String, TenantLimits> limits = new TreeMap<>();
            members.find("limits")
                    .map(list -> list.elements("list of limits"))
                    .orElse(List.of())
                    .forEach(entry -> addLimits(limits, entry.members("limits of a tenant")));
            return new Contents(
                    members.get("tokens").elements("list of tokens").stream()
                            .map(entry -> token(entry.members("token")))
                            .toList(),
                    limits);
        } catch (IOException | InvalidInput | IllegalArgumentException e) {
            throw new StoreUnusable("The file of tokens \"" + file + "\" cannot be read: " + e.getMessage(), e);
        }
    }

    Path file() {
        return file;
    }

    InstantSource clock() {
        return clock;
    }

    private static Token token(JsonMembers members) {
        Set<TokenScope> scopes = EnumSet.noneOf(TokenScope.class);
        members.strings("scopes")
                .orElse(List.of())
                .forEach(word -> scopes.add(TokenScope.valueOf(word.toUpperCase(Locale.ROOT))));
        return new Token(
                members.text("id"),
                members.text("name"),
                members.string("tenant").orElse(null),
                scopes,
                members.text("hash"),
                members.time("created_at").orElse(Instant.EPOCH),
                members.time("expires_at").orElse(null));
    }

    private static void addLimits(Map<String, TenantLimits> limits, JsonMembers members) {
        limits.put(
                members.text("tenant"),
                new TenantLimits(
                        members.string("submissions").map(RateLimit::parse).orElse(null),
                        members.find("open_tasks")
                                .map(JsonDocument::text)
                                .map(Long::valueOf)
                                .orElse(null),
                        members.find("stored_bytes")
                                .map(JsonDocument::text)
                                .map(Long::valueOf)
                                .orElse(null)));
    }

    private interface Change {
        void apply(List<Token> tokens, Map<String, TenantLimits> limits);
    }

    private void change(Change change) {
        Path absolute = file.toAbsolutePath();
        Path lockFile = absolute.resolveSibling(absolute.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            Contents before = contents();
            List<Token> tokens = new ArrayList<>(before.tokens());
            Map<String, TenantLimits> limits = new TreeMap<>(before.limits());
            change.apply(tokens, limits);
            Path next = absolute.resolveSibling(absolute.getFileName() + ".new");
            Files.deleteIfExists(next);
            createPrivate(next);
            Files.writeString(next, json(tokens, limits), StandardCharsets.UTF_8);
            Files.move(next, absolute, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            lock.release();
        } catch (IOException e) {
            throw new StoreUnusable("The file of tokens \"" + file + "\" cannot be written: " + e.getMessage(), e);
        }
    }

    private static void createPrivate(Path path) throws IOException {
        boolean posix = Files.getFileStore(path.getParent()).supportsFileAttributeView("posix");
        if (posix && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
    }

    private static String json(List<Token> tokens, Map<String, TenantLimits> limits) {
        JsonText json = new JsonText()
                .objects("tokens", tokens.stream().map(TokenFile::json).toList());
        if (!limits.isEmpty()) {
            json.objects(
                    "limits",
                    limits.entrySet().stream()
                            .map(entry -> json(entry.getKey(), entry.getValue()))
                            .toList());
        }
        return json + "\n";
    }

    private static JsonText json(Token token) {
        return new JsonText()
                .put("id", token.id())
                .put("name", token.name())
                .put("tenant", token.tenant())
                .put(
                        "scopes",
                        token.scopes().stream().sorted().map(TokenScope::word).toList())
                .put("hash", token.hash())
                .put("created_at", token.createdAt())
                .put("expires_at", token.expiresAt());
    }

    private static JsonText json(String tenant, TenantLimits limits) {
        JsonText json = new JsonText().put("tenant", tenant);
        if (limits.submissions() != null) {
            json.put("submissions", limits.submissions().text());
        }
        if (limits.openTasks() != null) {
            json.put("open_tasks", limits.openTasks());
        }
        if (limits.storedBytes() != null) {
            json.put("stored_bytes", limits.storedBytes());
        }
        return json;
    }

    static String hash(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }
}
