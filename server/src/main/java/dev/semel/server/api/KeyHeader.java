package dev.semel.server.api;

import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;

/**
 * The header Idempotency-Key. The draft of the IETF makes it a string of RFC 9651, in quotes; most clients send it without. Both are
 * accepted and mean the same key.
 */
final class KeyHeader {

    private KeyHeader() {}

    static String parse(String header) {
        String value = header.strip();
        if (value.chars().anyMatch(c -> c < 0x20 || c > 0x7E)) {
            throw new InvalidInput(
                    "The header Idempotency-Key has printable ASCII characters, but got others. Send such a key"
                            + " in the member \"key\" of the body.");
        }
        return Limits.key(value.startsWith("\"") ? quoted(value) : value);
    }

    private static String quoted(String value) {
        StringBuilder key = new StringBuilder();
        int i = 1;
        for (; i < value.length() && value.charAt(i) != '"'; i++) {
            if (value.charAt(i) == '\\') {
                i++;
                if (i == value.length() || (value.charAt(i) != '"' && value.charAt(i) != '\\')) {
                    throw malformed(value);
                }
            }
            key.append(value.charAt(i));
        }
        if (i != value.length() - 1) {
            throw malformed(value);
        }
        return key.toString();
    }

    private static InvalidInput malformed(String value) {
        return new InvalidInput(
                "The header Idempotency-Key is a string in quotes, with \\\" and \\\\ for quotes and backslashes in"
                        + " it, or a key without quotes, but got \"" + Limits.shown(value) + "\".");
    }
}
