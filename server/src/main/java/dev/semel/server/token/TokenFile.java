package dev.semel.server.token;

import dev.semel.server.http.TokenScope;
import dev.semel.server.json.JsonDocument;
import dev.semel.server.json.JsonMembers;
import dev.semel.server.json.JsonText;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
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
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of a server's tokens. It holds hashes only, so it can be copied to each of several servers. It is replaced as a whole, under
 * a lock beside it, so that a server never reads half of it and two commands do not lose a token.
 */
public final class TokenFile {

    /** What every token begins with, so that scanners of secrets recognise it. */
    public static final String PREFIX = "semel_";

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
        change(tokens -> tokens.add(token));
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
        change(tokens -> found[0] = tokens.removeIf(token -> token.id().equals(id)));
        return found[0];
    }

    /**
     * Reads all tokens.
     *
     * @return the tokens, oldest first; none if there is no file
     */
    public List<Token> list() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new InvalidInput("A file of tokens has at most " + MAX_FILE_BYTES + " bytes.");
            }
            return JsonDocument.parse(Files.readString(file, StandardCharsets.UTF_8))
                    .members("file of tokens")
                    .get("tokens")
                    .elements("list of tokens")
                    .stream()
                    .map(entry -> token(entry.members("token")))
                    .toList();
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

    private interface Change {
        void apply(List<Token> tokens);
    }

    private void change(Change change) {
        Path absolute = file.toAbsolutePath();
        Path lockFile = absolute.resolveSibling(absolute.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            List<Token> tokens = new ArrayList<>(list());
            change.apply(tokens);
            Path next = absolute.resolveSibling(absolute.getFileName() + ".new");
            Files.deleteIfExists(next);
            createPrivate(next);
            Files.writeString(next, json(tokens), StandardCharsets.UTF_8);
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

    private static String json(List<Token> tokens) {
        return new JsonText()
                        .objects(
                                "tokens",
                                tokens.stream()
                                        .map(token -> new JsonText()
                                                .put("id", token.id())
                                                .put("name", token.name())
                                                .put("tenant", token.tenant())
                                                .put(
                                                        "scopes",
                                                        token.scopes().stream()
                                                                .sorted()
                                                                .map(TokenScope::word)
                                                                .toList())
                                                .put("hash", token.hash())
                                                .put("created_at", token.createdAt())
                                                .put("expires_at", token.expiresAt()))
                                        .toList())
                + "\n";
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
