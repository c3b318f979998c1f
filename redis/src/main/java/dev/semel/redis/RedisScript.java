package dev.semel.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * A script that the server runs as one atomic step. The client sends its hash, and the whole script if the server does
 * not know it.
 */
final class RedisScript {

    private final String text;
    private final String sha;

    private RedisScript(String text) {
        this.text = text;
        this.sha = sha1(text);
    }

    static RedisScript of(String name) {
        try (InputStream in = RedisScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The program is incomplete: \"" + name + "\" is missing from its jar.");
            }
            return new RedisScript(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs the script on one key. It accesses no other key, so it also runs on a cluster. */
    Object run(UnifiedJedis redis, String key, String... arguments) {
        List<String> keys = List.of(key);
        List<String> given = List.of(arguments);
        try {
            return redis.evalsha(sha, keys, given);
        } catch (JedisNoScriptException e) {
            // A server that was restarted or failed over knows no scripts; EVAL also loads the script there.
            return redis.eval(text, keys, given);
        }
    }

    /** Returns the name of a script in Redis; it is not used for security. */
    private static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java platform has SHA-1", e);
        }
    }
}
