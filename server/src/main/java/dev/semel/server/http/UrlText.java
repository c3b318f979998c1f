package dev.semel.server.http;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decoding of URLs and UTF-8, which rejects what is wrong instead of guessing. */
final class UrlText {

    /** How many parameters a query may have. */
    static final int MAX_QUERIES = 50;

    private UrlText() {}

    static String decoded(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0 && text.chars().allMatch(c -> c < 128 && c != '+')) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                int value = i + 2 < text.length() ? hex(text.charAt(i + 1)) * 16 + hex(text.charAt(i + 2)) : -1;
                if (value < 0) {
                    throw new InvalidInput("A % in a URL is followed by two hexadecimal digits, but got \""
                            + Limits.shown(text) + "\".");
                }
                bytes.write(value);
                i += 2;
            } else if (c >= 128) {
                throw new InvalidInput(
                        "A URL has only ASCII characters, but got \"" + Limits.shown(text) + "\". Encode the others.");
            } else {
                bytes.write(c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        return utf8(bytes.toByteArray(), "URL");
    }

    private static int hex(char c) {
        int digit = Character.digit(c, 16);
        return digit < 0 || c >= 128 ? -1_000 : digit;
    }

    static String utf8(byte[] bytes, String what) {
        if (isAscii(bytes)) {
            // Most bodies: a copy instead of a decoder.
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InvalidInput("The " + what + " must be UTF-8, but got other bytes.", e);
        }
    }

    private static boolean isAscii(byte[] bytes) {
        int bits = 0;
        for (byte one : bytes) {
            bits |= one;
        }
        return bits >= 0;
    }

    static Map<String, String> queries(@Nullable String query) {
        Map<String, String> queries = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return queries;
        }
        for (String pair : query.split("&", MAX_QUERIES + 1)) {
            int sign = pair.indexOf('=');
            String name = decoded(sign < 0 ? pair : pair.substring(0, sign), true);
            String value = sign < 0 ? "" : decoded(pair.substring(sign + 1), true);
            if (queries.putIfAbsent(name, value) != null) {
                throw new InvalidInput(
                        "A parameter of a query is given once, but got \"" + Limits.shown(name) + "\" twice.");
            }
        }
        if (queries.size() > MAX_QUERIES) {
            throw new InvalidInput("A query has at most " + MAX_QUERIES + " parameters, but got more.");
        }
        return queries;
    }
}
