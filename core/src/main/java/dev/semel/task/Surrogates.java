package dev.semel.task;

import java.util.HexFormat;

/**
 * A search for unpaired surrogates. Text with an unpaired surrogate is not valid Unicode: it has no UTF-8 form, so it
 * cannot be hashed.
 */
final class Surrogates {

    private static final int ESCAPE_LENGTH = "\\u0000".length();

    private Surrogates() {}

    /** Returns the position of the first unpaired surrogate, or -1. */
    static int firstLone(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!isPair(text, i)) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /**
     * Returns the position of the first unpaired surrogate in JSON text, or -1. A raw half next to an escaped one
     * counts as unpaired: decoded they would be a pair, but text with a raw half has no UTF-8 form.
     */
    static int firstLoneInJson(String json) {
        int i = 0;
        while (i < json.length()) {
            char c = json.charAt(i);
            if (c == '\\') {
                int unit = escapedUnit(json, i);
                if (unit < 0) {
                    // Any other escape, including "\\": the character after that one is not escaped.
                    i += 2;
                } else if (!Character.isSurrogate((char) unit)) {
                    i += ESCAPE_LENGTH;
                } else if (Character.isHighSurrogate((char) unit) && isEscapedLow(json, i + ESCAPE_LENGTH)) {
                    i += 2 * ESCAPE_LENGTH;
                } else {
                    return i;
                }
            } else if (!Character.isSurrogate(c)) {
                i++;
            } else if (isPair(json, i)) {
                i += 2;
            } else {
                return i;
            }
        }
        return -1;
    }

    /** Returns the text with every unpaired surrogate replaced by U+FFFD. */
    static String replaceUnpaired(String text) {
        int lone = firstLone(text);
        if (lone < 0) {
            return text;
        }
        StringBuilder replaced = new StringBuilder(text);
        for (int i = lone; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (isPair(text, i)) {
                    i++;
                } else {
                    replaced.setCharAt(i, '\uFFFD');
                }
            }
        }
        return replaced.toString();
    }

    /**
     * Returns the length of the text in UTF-8; an unpaired surrogate, which has no UTF-8 form, counts as three bytes.
     */
    static long utf8Length(String text) {
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                bytes += c < 0x800 ? 1 : 2;
                if (Character.isSurrogate(c) && isPair(text, i)) {
                    // Two characters and two more bytes are the four bytes of the pair.
                    i++;
                }
            }
        }
        return bytes;
    }

    private static boolean isPair(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
    }

    private static boolean isEscapedLow(String json, int at) {
        int unit = escapedUnit(json, at);
        return unit >= 0 && Character.isLowSurrogate((char) unit);
    }

    /** Returns the code unit of the escape with backslash, u and four digits at a position, or -1 if there is none. */
    private static int escapedUnit(String json, int at) {
        int end = at + ESCAPE_LENGTH;
        if (end > json.length() || !json.startsWith("\\u", at)) {
            return -1;
        }
        for (int i = at + 2; i < end; i++) {
            if (!HexFormat.isHexDigit(json.charAt(i))) {
                return -1;
            }
        }
        return HexFormat.fromHexDigits(json, at + 2, end);
    }
}
